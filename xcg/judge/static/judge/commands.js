/* The commands of the judging page: what its buttons and keys do. */

import { placed } from "./judgement.js";

const ANNOUNCED = 200; // characters of the text that screen readers get at once

/** Return the commands by name. */
export function createCommands(page) {
  const { announce, article, data, element, finishing, positions, results } = page;
  const { saving, selection, tell, units, words } = page;
  let lastGrade = data.grades[0]?.value ?? null;
  let last = Promise.resolve();

  /** Let a command that uses the highlights wait for the answers to the changes before it. */
  function whenAnswered(command) {
    last = last.then(() => saving.settled());
    last = last.then(() => void command()).catch(reportError);
  }

  async function change(operation, values, said) {
    if (await saving.change(operation, values)) announce(said);
  }

  const withGrade = (grade) => ((grade ?? null) === null ? "" : ` with grade ${grade}`);

  function highlight(grade) {
    const { span } = selection;
    if (!span) return whenAnswered(() => setGrade(grade));
    lastGrade = grade;
    const words = positions.slice(span.start, Math.min(span.end, span.start + ANNOUNCED));
    const cut = placed(saving.judgement).find(
      (one) => one.start < span.end && span.start < one.end && ![one.grade, null].includes(grade),
    );
    selection.clear(span.end);
    if (cut && !(span.start <= cut.start && cut.end <= span.end))
      tell(`Only the selection has grade ${grade}; the rest ${cut.grade === null ? "has none" : `keeps ${cut.grade}`}.`);
    return change("add", { ...span, grade }, `Highlighted${withGrade(grade)}: ${words}`);
  }

  function setGrade(grade) {
    const { active } = selection;
    if (!active || grade === null)
      return tell("Select the relevant text first, with the mouse or with Shift and the arrow keys.");
    lastGrade = grade;
    return change("grade", { id: active.id, grade }, `Grade ${grade}`);
  }

  function erase() {
    const { span } = selection;
    if (!span) return whenAnswered(removeActive);
    selection.clear();
    return change("erase", span, "Highlight removed from the selection");
  }

  const remove = (one) => change("delete", { id: one.id }, "Highlight deleted");

  function removeActive() {
    const { active } = selection;
    return active ? remove(active) : tell("There is no highlight at the cursor.");
  }

  function resize({ id, start, end }) {
    return change("resize", { id, start, end }, "Highlight changed");
  }

  function placeAgain({ id }) {
    const { span } = selection;
    if (!span) return tell("Select the text that this highlight should have, then place it.");
    selection.clear();
    return resize({ id, ...span });
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
    const before = selection.activeId;
    selection.moveTo(target(kind, direction, extend), { extend });
    const unit = ["character", "edge", "document"].includes(kind) ? "word" : kind;
    const said = units.at(unit, Math.min(selection.position, positions.length - 1));
    announceText(said.start, said.end, before);
  }

  /** Read a text, and the highlight that the cursor has entered. */
  function announceText(start, end, before) {
    const { active } = selection;
    const isNew = active && active.id !== before;
    const highlighted = isNew ? `Highlight${withGrade(active.grade)}: ` : "";
    announce(highlighted + positions.slice(start, Math.min(end, start + ANNOUNCED)));
  }

  /** Select the unit at the cursor; a selection is extended to whole units, and then by the next unit. */
  function selectUnit(kind) {
    selection.usesKeyboard = true;
    const { span } = selection;
    const { start } = units.at(kind, span?.start ?? selection.position);
    const { end } = units.at(kind, span ? span.end - 1 : selection.position);
    const isWhole = span && span.start <= start && span.end >= end;
    const last = isWhole ? units.move(kind, span.end, 1, { toEnds: true }) : end;
    selection.select(Math.min(start, span?.start ?? start), last);
  }

  function jump(spans, direction, missing) {
    selection.usesKeyboard = true;
    const { position } = selection;
    const starts = spans.map(([start]) => start);
    const found =
      direction > 0
        ? (starts.find((start) => start > position) ?? starts[0])
        : (starts.findLast((start) => start < position) ?? starts.at(-1));
    if (found === undefined) return tell(missing);
    selection.moveTo(found);
    article.focus({ preventScroll: true });
    return announceText(found, found + ANNOUNCED, null);
  }

  const jumpHighlight = (direction) => {
    const spans = placed(saving.judgement).map(({ start }) => [start]);
    return jump(spans, direction, "There are no highlights in this document.");
  };

  async function nothingRelevant() {
    const { highlights, finished } = saving.judgement;
    if (highlights.length)
      return tell("The document has highlights: delete them first, or finish it.");
    if (!(await finishing.isMeant())) return;
    return change("finish", { finished: !finished }, finished ? "Reopened" : "Nothing relevant");
  }

  function go(url, missing) {
    if (url) location.assign(url);
    else tell(missing);
  }

  function cancel() {
    if (selection.span) return selection.clear();
    if (selection.activeId === null) return false;
    selection.activeId = null;
    return selection.notify();
  }

  function showHighlight(one) {
    selection.usesKeyboard = true;
    selection.activateHighlight(one);
  }

  function showAt([start]) {
    selection.usesKeyboard = true;
    selection.moveTo(start);
    article.focus({ preventScroll: true });
  }

  function togglePanel() {
    const isOpen = element("panel").classList.toggle("open");
    element("more").ariaExpanded = String(isOpen);
    element("more").textContent = isOpen ? "Less" : "More";
  }

  function toggleWords() {
    if (!words.expression) return tell("The title of the topic has no words to mark.");
    announce(words.toggle() ? "The words of the topic are marked" : "The words are not marked");
  }

  function toggleTopic() {
    const text = element("topic-text");
    if (!text) return tell("The topic has no description.");
    text.hidden = !text.hidden;
    element("show-topic").ariaExpanded = String(!text.hidden);
  }

  return {
    applyRefused: () => saving.applyRefused(),
    cancel,
    confirm: (one) => change("confirm", { id: one.id }, "Confirmed"),
    discardRefused: () => saving.discardRefused(),
    erase,
    finishAndContinue: () => whenAnswered(() => finishing.finishAndContinue()),
    go,
    highlight,
    highlightAgain: () => highlight(lastGrade),
    jumpHeading: (direction) => jump(page.headings, direction, "The document has no headings."),
    jumpHighlight: (direction) => whenAnswered(() => jumpHighlight(direction)),
    jumpResult: (direction) => jump(results, direction, "The pool has no results inside this document."),
    moveBy,
    nothingRelevant: () => whenAnswered(nothingRelevant),
    placeAgain,
    redo: () => change("redo", {}, "Repeated"),
    remove,
    reopen: () => change("finish", { finished: false }, "Reopened"),
    resize,
    retry: () => saving.send(),
    showKeys: () => element("keys").showModal(),
    selectUnit,
    setNugget: (nugget) => change("nugget", { id: selection.active.id, nugget }, nugget ?? "No nugget"),
    showAt,
    showHighlight,
    togglePanel,
    toggleTopic,
    toggleWords,
    undo: () => (finishing.canReturn ? finishing.goBack() : change("undo", {}, "Undone")),
  };
}
