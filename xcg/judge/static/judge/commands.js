/* The commands of the judging page: what its buttons and keys do. */

import { placed } from "./editing.js";

const ANNOUNCED = 200; // characters of the text that screen readers get at once

/** Return the commands by name. */
export function createCommands({
  article,
  data,
  element,
  messages,
  positions,
  results,
  saving,
  selection,
  units,
}) {
  const { announce, tell } = messages;
  const currentJudgement = () => saving.judgement;
  let lastGrade = data.grades[0]?.value ?? null;

  /** Change the judgement; return whether the change was possible. */
  function change(operation, values) {
    try {
      saving.change(operation, values);
      return true;
    } catch (error) {
      if (error instanceof TypeError || error instanceof ReferenceError) throw error;
      tell(error.message);
      return false;
    }
  }

  function highlight(grade) {
    const { span, active } = selection;
    if (!span && active) return setGrade(active, grade);
    if (!span) {
      return tell("Select the relevant text first, with the mouse or with Shift and the arrow keys.");
    }
    if (grade !== null) lastGrade = grade;
    if (!change("add", { ...span, grade })) return undefined;
    selection.isSelecting = false;
    selection.edge = null;
    selection.moveTo(span.end, { scroll: false });
    const words = positions.slice(span.start, Math.min(span.end, span.start + ANNOUNCED));
    announce(`Highlighted${grade === null ? "" : ` with grade ${grade}`}: ${words}`);
    return undefined;
  }

  function setGrade(one, grade) {
    if (grade === null) return tell("Select the text that you want to highlight.");
    lastGrade = grade;
    if (change("grade", { id: one.id, grade })) announce(`Grade ${grade}`);
    return undefined;
  }

  function erase() {
    const { span } = selection;
    if (!span) return removeActive();
    if (change("erase", span)) {
      selection.clear();
      announce("Highlight removed from the selection");
    }
    return undefined;
  }

  function removeActive() {
    const { active } = selection;
    if (!active) return tell("There is no highlight at the cursor.");
    return remove(active);
  }

  function remove(one) {
    if (change("delete", { id: one.id })) announce("Highlight deleted");
    return undefined;
  }

  function splitActive() {
    const { placedActive: active, position } = selection;
    if (!active) return tell("There is no highlight at the cursor.");
    const at = selection.span ? selection.span.start : position;
    if (change("split", { id: active.id, position: at })) {
      selection.clear();
      announce("Highlight split");
    }
    return undefined;
  }

  function startEdge(edge) {
    if (!selection.startEdge(edge)) return tell("There is no highlight at the cursor.");
    selection.usesKeyboard = true;
    article.focus({ preventScroll: true });
    selection.notify();
    announce(`Moving the ${edge} of the highlight. Enter saves, Escape cancels.`);
    return undefined;
  }

  function finishEdge() {
    const { edge, anchor, position } = selection;
    const [start, end] = edge.edge === "end" ? [anchor, position] : [position, anchor];
    const span = start < end ? positions.trimmed(start, end) : null;
    if (!span) return tell("A highlight needs some text; delete it instead.");
    if (change("resize", { id: edge.id, ...span })) {
      selection.clear();
      announce("Highlight changed");
    }
    return undefined;
  }

  function placeAgain(one) {
    const { span } = selection;
    if (!span) return tell("Select the text that this highlight should have, then place it.");
    if (change("resize", { id: one.id, ...span })) selection.clear();
    return undefined;
  }

  function setEntry() {
    const { active, span, position } = selection;
    const isAtEnd = active?.end === position; // as after highlighting
    const at = span?.start ?? (isAtEnd ? active.start : units.at("word", position).start);
    const isSame = currentJudgement().entry_point === at;
    if (change("entry_point", { position: isSame ? null : at }))
      announce(isSame ? "Best entry point removed" : "Best entry point set");
  }

  function target(kind, direction, isExtending) {
    const { position } = selection;
    if (kind === "character") return position + direction;
    if (kind === "document") return direction > 0 ? positions.length : 0;
    if (kind === "edge") return units.at("paragraph", position)[direction > 0 ? "end" : "start"];
    return units.move(kind, position, direction, { toEnds: isExtending });
  }

  /** Move the cursor by a unit, or to an end of the paragraph ("edge") or of the document. */
  function moveBy(kind, direction, { extend = false } = {}) {
    selection.usesKeyboard = true;
    const isExtending = extend || selection.isSelecting || selection.edge !== null;
    const at = target(kind, direction, isExtending);
    selection.moveTo(at, { extend: isExtending });
    const unit = ["character", "edge", "document"].includes(kind) ? "word" : kind;
    const said = units.at(unit, Math.min(selection.position, positions.length - 1));
    announce(positions.slice(said.start, Math.min(said.end, said.start + ANNOUNCED)));
  }

  /** Select the unit at the cursor; a selection is extended to whole units, and then by the next unit. */
  function selectUnit(kind) {
    selection.usesKeyboard = true;
    const { span } = selection;
    if (!span) {
      const { start, end } = units.at(kind, selection.position);
      selection.select(start, end);
      return;
    }
    const { start } = units.at(kind, span.start);
    const { end } = units.at(kind, span.end - 1);
    const isWhole = span.start <= start && span.end >= end;
    selection.select(
      Math.min(start, span.start),
      isWhole ? units.move(kind, span.end, 1, { toEnds: true }) : end,
    );
  }

  function jump(spans, direction, missing) {
    selection.usesKeyboard = true;
    const { position } = selection;
    const starts = spans.map(([start]) => start);
    const at =
      direction > 0
        ? starts.find((start) => start > position)
        : starts.findLast((start) => start < position);
    const found = at ?? (direction > 0 ? starts[0] : starts.at(-1));
    if (found === undefined) return tell(missing);
    selection.isSelecting = false;
    selection.moveTo(found);
    article.focus({ preventScroll: true });
    announce(positions.slice(found, found + ANNOUNCED));
    return undefined;
  }

  const jumpHighlight = (direction) => {
    const spans = placed(currentJudgement()).map(({ start, end }) => [start, end]);
    return jump(spans, direction, "There are no highlights in this document.");
  };
  const jumpResult = (direction) =>
    jump(results, direction, "The pool has no results inside this document.");

  function nothingRelevant() {
    const judgement = currentJudgement();
    if (judgement.highlights.length) {
      return tell("The document has highlights: delete them first, or finish it.");
    }
    const finished = !judgement.finished;
    if (change("finish", { finished })) announce(finished ? "Nothing relevant" : "Reopened");
    return undefined;
  }

  async function finishAndContinue() {
    if (!currentJudgement().finished && !change("finish", { finished: true })) return;
    if (!(await saving.settled())) {
      tell("This document is not saved yet.");
      return;
    }
    location.assign(data.next_unfinished ?? data.pool_url);
  }

  function reopen() {
    if (currentJudgement().finished && change("finish", { finished: false })) announce("Reopened");
  }

  function undo() {
    if (!currentJudgement().can_undo) return tell("There is nothing to undo.");
    saving.undo();
    announce("Undone");
    return undefined;
  }

  function redo() {
    if (!currentJudgement().can_redo) return tell("There is nothing to redo.");
    change("redo");
    announce("Repeated");
    return undefined;
  }

  function go(url, missing) {
    if (url) location.assign(url);
    else tell(missing);
  }

  function toggleSelecting() {
    selection.usesKeyboard = true;
    if (selection.isSelecting || selection.span) return selection.clear();
    selection.isSelecting = true;
    selection.anchor = selection.position;
    selection.notify();
    announce("Selecting");
    return undefined;
  }

  function cancel() {
    const isActive = selection.edge || selection.span || selection.isSelecting;
    if (!isActive && selection.activeId === null) return false;
    if (isActive) {
      selection.clear();
    } else {
      selection.activeId = null;
      selection.notify();
    }
    return undefined;
  }

  function removeEntry() {
    change("entry_point", { position: null });
  }

  function confirm(one) {
    change("confirm", { id: one.id });
  }

  function showHighlight(one) {
    selection.usesKeyboard = true;
    selection.activateHighlight(one);
  }

  function showResult([start]) {
    selection.usesKeyboard = true;
    selection.moveTo(start);
    article.focus({ preventScroll: true });
  }

  function toggleTopic() {
    const text = element("topic-text");
    if (!text) return tell("The topic has no description.");
    text.hidden = !text.hidden;
    element("show-topic").setAttribute("aria-expanded", String(!text.hidden));
    return undefined;
  }

  return {
    cancel,
    change,
    confirm,
    erase,
    finishAndContinue,
    finishEdge,
    go,
    highlight,
    jumpHighlight,
    jumpResult,
    moveBy,
    nothingRelevant,
    placeAgain,
    redo,
    remove,
    removeEntry,
    reopen,
    selectUnit,
    setEntry,
    showHighlight,
    showResult,
    splitActive,
    startEdge,
    toggleSelecting,
    toggleTopic,
    undo,
    highlightAgain: () => highlight(lastGrade),
  };
}
