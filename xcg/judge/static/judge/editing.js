/* The operations on a judgement as the server applies them (xcg/judge/editing.py).

   They show a change at once, before the server has saved it. The answer of the server replaces the result. */

class EditingError extends Error {}

/** The highlights that have a position, in order. */
export const placed = (judgement) => judgement.highlights.filter((one) => one.status !== "lost");

const find = (judgement, id) => {
  const found = judgement.highlights.find((one) => one.id === id);
  if (!found) throw new EditingError("The highlight does not exist any more.");
  return found;
};

const overlapping = (judgement, start, end) =>
  placed(judgement).filter((one) => one.start < end && start < one.end);

const nextId = (judgement) => Math.max(0, ...judgement.highlights.map((one) => one.id)) + 1;

function checkSpan(text, start, end) {
  if (text.trimmed(start, end) === null) throw new EditingError("Select some text first.");
}

function changed(judgement, removed, added) {
  const highlights = judgement.highlights.filter((one) => !removed.includes(one)).concat(added);
  const isLost = (one) => one.status === "lost";
  highlights.sort((a, b) => isLost(b) - isLost(a) || a.start - b.start || a.id - b.id);
  const finished = judgement.finished && judgement.highlights.length > 0 === highlights.length > 0;
  return { ...judgement, highlights, finished };
}

const highlight = (text, id, start, end, grade) => ({
  id,
  start,
  end,
  grade,
  text: text.slice(start, end),
  status: "placed",
});

const OPERATIONS = {
  add(judgement, text, { start, end, grade = null }) {
    checkSpan(text, start, end);
    const joined = overlapping(judgement, start, end);
    if (!joined.length)
      return changed(judgement, [], [highlight(text, nextId(judgement), start, end, grade)]);
    const first = Math.min(start, joined[0].start);
    const last = Math.max(end, joined.at(-1).end);
    return changed(judgement, joined, [
      highlight(text, joined[0].id, first, last, grade ?? joined[0].grade),
    ]);
  },
  resize(judgement, text, { id, start, end }) {
    const old = find(judgement, id);
    checkSpan(text, start, end);
    if (overlapping(judgement, start, end).some((one) => one !== old)) {
      throw new EditingError("Highlights cannot overlap.");
    }
    return changed(judgement, [old], [highlight(text, id, start, end, old.grade)]);
  },
  erase(judgement, text, { start, end }) {
    const touched = overlapping(judgement, start, end);
    if (!touched.length) throw new EditingError("The selection contains no highlighted text.");
    const id = nextId(judgement);
    const parts = touched.flatMap((one) =>
      [
        text.trimmed(one.start, Math.min(one.end, start)),
        text.trimmed(Math.max(one.start, end), one.end),
      ]
        .filter((span) => span !== null)
        .map((span, index) => highlight(text, index ? id : one.id, span.start, span.end, one.grade)),
    );
    return changed(judgement, touched, parts);
  },
  split(judgement, text, { id, position }) {
    const old = find(judgement, id);
    const first = text.trimmed(old.start, Math.min(position, old.end));
    const second = text.trimmed(Math.max(position, old.start), old.end);
    if (first === null || second === null) {
      throw new EditingError(
        "Move the cursor into the highlight, to the position at which it should be split.",
      );
    }
    return changed(
      judgement,
      [old],
      [
        highlight(text, id, first.start, first.end, old.grade),
        highlight(text, nextId(judgement), second.start, second.end, old.grade),
      ],
    );
  },
  delete: (judgement, text, { id }) => changed(judgement, [find(judgement, id)], []),
  grade(judgement, text, { id, grade }) {
    const old = find(judgement, id);
    return changed(
      judgement,
      [old],
      [{ ...old, grade, status: old.status === "lost" ? "lost" : "placed" }],
    );
  },
  confirm(judgement, text, { id }) {
    const old = find(judgement, id);
    return changed(judgement, [old], [{ ...old, status: "placed" }]);
  },
  entry_point: (judgement, text, { position }) => ({ ...judgement, entry_point: position }),
  finish(judgement, text, { finished }) {
    if (finished && judgement.highlights.some((one) => one.status === "lost")) {
      throw new EditingError(
        "Delete the lost highlights, or place them again, before you finish the document.",
      );
    }
    if (finished && !judgement.highlights.length) return { ...judgement, finished, entry_point: null };
    return { ...judgement, finished };
  },
};

/** Whether the history of the server determines the result of an operation. */
export const needsHistory = (operation) => operation === "undo" || operation === "redo";

/** Apply an operation; an EditingError has a message for the assessor. */
export function edit(judgement, text, { operation, values }) {
  if (needsHistory(operation)) return judgement;
  return { ...OPERATIONS[operation](judgement, text, values), can_undo: true, can_redo: false };
}

/** Whether two judgements state the same. */
export function isSame(one, other) {
  const content = ({ highlights, entry_point: entry, finished }) =>
    JSON.stringify([
      highlights.map(({ id, start, end, grade, status }) => [id, start, end, grade, status]),
      entry,
      finished,
    ]);
  return content(one) === content(other);
}

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
