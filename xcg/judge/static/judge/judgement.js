/* A judgement as the server states it, and its changes in words. */

/** The highlights that have a position, in order. */
export const placed = (judgement) => judgement.highlights.filter((one) => one.status !== "lost");

/** Write a text on one line, with at most the given number of characters. */
export function shortened(text, longest) {
  const words = text.slice(0, 4 * longest).trim().replace(/\s+/g, " ");
  return words.length > longest ? `${words.slice(0, longest - 1)}…` : words;
}

const DESCRIBED = 40; // characters of a highlight

/** Describe a change in a few words. */
export function describe(judgement, text, { operation, values }) {
  const old = judgement.highlights.find((one) => one.id === values.id);
  const quote = () =>
    `“${shortened(values.end ? text.slice(values.start, values.end) : (old?.text ?? ""), DESCRIBED)}”`;
  const grade = values.grade ? ` with grade ${values.grade}` : "";
  switch (operation) {
    case "add":
      return `highlight ${quote()}${grade}`;
    case "resize":
      return `change a highlight to ${quote()}`;
    case "erase":
      return `remove the highlight from ${quote()}`;
    case "split":
      return "split a highlight";
    case "delete":
      return `delete the highlight ${quote()}`;
    case "grade":
      return `grade ${quote()} as ${values.grade ?? "ungraded"}`;
    case "confirm":
      return `confirm the highlight ${quote()}`;
    case "entry_point":
      return values.position === null ? "remove the best entry point" : "set the best entry point";
    case "finish":
      return values.finished ? "finish the document" : "reopen the document";
    default:
      return operation;
  }
}
