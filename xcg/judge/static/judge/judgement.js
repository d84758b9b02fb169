/* A judgement as the server states it, and its changes in words. */

/** The highlights that have a position, in order. */
export const placed = (judgement) => judgement.highlights.filter((one) => one.status !== "lost");

/** Write a text on one line, with at most the given number of characters. */
export function shortened(text, longest) {
  const words = text.slice(0, 4 * longest).trim().replace(/\s+/g, " ");
  return words.length > longest ? `${words.slice(0, longest - 1)}…` : words;
}

const DESCRIBED = 40; // characters of a highlight

const DESCRIPTIONS = {
  resize: "change a highlight to",
  erase: "remove the highlight from",
  delete: "delete the highlight",
  confirm: "confirm the highlight",
  nugget: "change the nugget of",
};

/** Describe a change in a few words. */
export function describe(judgement, text, { operation, values }) {
  const { id, start, end, grade, position, finished } = values;
  const old = judgement.highlights.find((one) => one.id === id);
  const words = shortened(end ? text.slice(start, end) : (old?.text ?? ""), DESCRIBED);
  if (operation === "add") return `highlight “${words}”${grade ? ` with grade ${grade}` : ""}`;
  if (operation === "grade") return `grade “${words}” as ${grade}`;
  if (operation === "entry_point")
    return `${position === null ? "remove" : "set"} the best entry point`;
  if (operation === "finish") return `${finished ? "finish" : "reopen"} the document`;
  const described = DESCRIPTIONS[operation];
  return described ? `${described} “${words}”` : operation; // split, undo and redo
}
