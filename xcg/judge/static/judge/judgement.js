/* A judgement as the server states it, and its changes in words. */

/** The highlights that have a position, in order. */
export const placed = (judgement) => judgement.highlights.filter((one) => one.status !== "lost");

/** Write a text on one line, with at most the given number of characters. */
export function shortened(text, longest) {
  const words = text.slice(0, 4 * longest).trim().replace(/\s+/g, " ");
  return words.length > longest ? `${words.slice(0, longest - 1)}…` : words;
}

/** Describe a change in a few words. */
export function describe(judgement, text, { operation, values }) {
  const { id, start, end } = values;
  const old = judgement.highlights.find((one) => one.id === id);
  const words = shortened(end ? text.slice(start, end) : (old?.text ?? ""), 40);
  return operation.replace("_", " ") + (words && ` “${words}”`);
}
