/* The page on which an assessor judges a document. */

import { edit, placed } from "./judge/editing.js";
import { Drawing } from "./judge/drawing.js";
import { gradeKeys, Keyboard } from "./judge/keyboard.js";
import { gradeButton, node, Panel } from "./judge/panel.js";
import { Positions } from "./judge/positions.js";
import { Saving } from "./judge/saving.js";
import { dragHandles, Selection } from "./judge/selection.js";
import { Units } from "./judge/units.js";

const element = (id) => document.getElementById(id);
const data = JSON.parse(element("page-data").textContent);
const grades = data.grades;
const article = element("article");
const toolbar = element("toolbar");

if (!globalThis.Highlight || !CSS.highlights || !Intl.Segmenter) {
  element("unsupported").hidden = false;
  throw new Error("The browser does not support the CSS Custom Highlight API.");
}

const positions = new Positions(article);
if (positions.length !== data.length) {
  element("unsupported").hidden = false;
  element("unsupported").textContent = "The text of this page is not the text of the document. Reload the page.";
  throw new Error(`expected ${data.length} characters, found ${positions.length}`);
}
const units = new Units(positions);
const saving = new Saving({ api: data.api, judgement: data.judgement, text: positions });
const currentJudgement = () => saving.judgement;
const selection = new Selection({ article, positions, units, currentJudgement });
const results = data.pool.filter(([start, end]) => start < end).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
const drawing = new Drawing({ frame: element("frame"), overlay: element("overlay"), positions, grades, results });
const keys = gradeKeys(grades);
let lastGrade = grades[0]?.value ?? null;

/* Messages */

let messageTimer = 0;

function announce(text) {
  element("announcement").textContent = text;
}

function tell(text) {
  const message = element("message");
  message.textContent = text;
  message.hidden = false;
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (message.hidden = true), 6_000);
}

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

/* Commands */

function highlight(grade) {
  const { span, active } = selection;
  if (!span && active) return setGrade(active, grade);
  if (!span) return tell("Select the relevant text first, with the mouse or with Shift and the arrow keys.");
  if (grade !== null) lastGrade = grade;
  if (!change("add", { ...span, grade })) return undefined;
  selection.isSelecting = false;
  selection.moveTo(span.end, { scroll: false });
  announce(`Highlighted${grade === null ? "" : ` with grade ${grade}`}: ${positions.slice(span.start, span.end).slice(0, 80)}`);
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
  const { active, position } = selection;
  if (!active || active.status === "lost") return tell("There is no highlight at the cursor.");
  const at = selection.span ? selection.span.start : position;
  if (change("split", { id: active.id, position: at })) {
    selection.clear();
    announce("Highlight split");
  }
  return undefined;
}

function startEdge(edge) {
  if (!selection.startEdge(edge)) return tell("There is no highlight at the cursor.");
  selection.setKeyboard(true);
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
  const at = selection.span?.start ?? units.at("word", selection.position).start;
  const isSame = currentJudgement().entry_point === at;
  if (change("entry_point", { position: isSame ? null : at })) announce(isSame ? "Best entry point removed" : "Best entry point set");
}

function moveBy(kind, direction, { extend = false } = {}) {
  selection.setKeyboard(true);
  const isExtending = extend || selection.isSelecting || selection.edge !== null;
  let at;
  if (kind === "character") at = selection.position + direction;
  else if (kind === "edge") at = direction > 0 ? units.at("paragraph", selection.position).end : units.at("paragraph", selection.position).start;
  else if (kind === "document") at = direction > 0 ? positions.length : 0;
  else at = units.move(kind, selection.position, direction, { toEnds: isExtending });
  selection.moveTo(at, { extend: isExtending });
  const unit = ["character", "edge", "document"].includes(kind) ? "word" : kind;
  const said = units.at(unit, Math.min(selection.position, positions.length - 1));
  announce(positions.slice(said.start, Math.min(said.end, said.start + 300)));
}

/** Select the unit at the cursor; a selection is extended to whole units, and then by the next unit. */
function selectUnit(kind) {
  selection.setKeyboard(true);
  const { span } = selection;
  if (!span) {
    const { start, end } = units.at(kind, selection.position);
    selection.select(start, end);
    return;
  }
  const { start } = units.at(kind, span.start);
  const { end } = units.at(kind, span.end - 1);
  const isWhole = span.start <= start && span.end >= end;
  selection.select(Math.min(start, span.start), isWhole ? units.move(kind, span.end, 1, { toEnds: true }) : end);
}

function jump(spans, direction, missing) {
  selection.setKeyboard(true);
  const { position } = selection;
  const starts = spans.map(([start]) => start);
  const at = direction > 0 ? starts.find((start) => start > position) : starts.findLast((start) => start < position);
  const found = at ?? (direction > 0 ? starts[0] : starts.at(-1));
  if (found === undefined) return tell(missing);
  selection.isSelecting = false;
  selection.moveTo(found);
  article.focus({ preventScroll: true });
  announce(positions.slice(found, found + 120));
  return undefined;
}

const jumpHighlight = (direction) => jump(placed(currentJudgement()).map(({ start, end }) => [start, end]), direction, "There are no highlights in this document.");
const jumpResult = (direction) => jump(results, direction, "The pool has no results inside this document.");

function nothingRelevant() {
  const judgement = currentJudgement();
  if (judgement.highlights.length) return tell("The document has highlights: delete them first, or finish it.");
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

function cancel() {
  toolbar.hidden = true;
  if (!selection.edge && !selection.span && !selection.isSelecting && selection.activeId === null) return false;
  const isActive = selection.edge || selection.span || selection.isSelecting;
  selection.clear();
  if (!isActive) selection.activeId = null;
  selection.notify();
  return undefined;
}

function toggleTopic() {
  const text = element("topic-text");
  if (!text) return tell("The topic has no description.");
  text.hidden = !text.hidden;
  element("show-topic").setAttribute("aria-expanded", String(!text.hidden));
  return undefined;
}

/* The panel and the toolbar */

const actions = {
  showHighlight(one) {
    selection.setKeyboard(true);
    selection.activateHighlight(one);
  },
  showResult([start]) {
    selection.setKeyboard(true);
    selection.moveTo(start);
    article.focus({ preventScroll: true });
  },
  confirm: (one) => change("confirm", { id: one.id }),
  placeAgain,
  remove,
  startEdge,
};

const panel = new Panel({
  elements: {
    article,
    ...Object.fromEntries(
      ["highlight-list", "highlight-count", "no-highlights", "result-list", "result-count", "result-section", "document-state", "nothing", "finish", "reopen",
        "undo", "redo", "entry", "remove-entry", "save-state", "problem", "problem-text", "retry", "discard", "conflict", "conflict-changes", "again"]
        .map((id) => [id.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), element(id)]),
    ),
  },
  grades,
  positions,
  results,
  actions,
});

function addGradeButtons(parent) {
  if (grades.length) return grades.map((grade, index) => parent.appendChild(gradeButton(grades, keys, index, () => highlight(grade.value))));
  const button = node("button", { type: "button", className: "grade", onclick: () => highlight(null) }, "Highlight", node("kbd", {}, "Enter"));
  return [parent.appendChild(button)];
}

const gradeButtons = [...addGradeButtons(element("grade-buttons")), ...addGradeButtons(element("toolbar-grades"))];

const clicks = {
  erase, split: splitActive, entry: setEntry, undo, redo, nothing: nothingRelevant, finish: finishAndContinue, reopen,
  "toolbar-erase": erase, "toolbar-split": splitActive, "toolbar-entry": setEntry,
  "remove-entry": () => change("entry_point", { position: null }),
  "show-keys": () => keyboard.show(),
  "show-topic": toggleTopic,
  retry: () => saving.retry(),
  discard: () => saving.discard(),
  again: () => saving.applyRefused().forEach(tell),
  "discard-mine": () => saving.discardRefused(),
  "previous-result": () => jumpResult(-1),
  "next-result": () => jumpResult(1),
};
for (const [id, run] of Object.entries(clicks)) element(id)?.addEventListener("click", () => void run());

// Clicks on these must not clear the selection.
for (const part of [toolbar, element("panel")]) {
  part.addEventListener("pointerdown", (event) => event.target.closest("button") && event.preventDefault());
  part.addEventListener("mousedown", (event) => event.target.closest("button") && event.preventDefault());
}

function placeToolbar() {
  const { span, active } = selection;
  const shown = span ?? (active?.status === "lost" ? null : active);
  toolbar.hidden = !shown || selection.usesKeyboard || Boolean(selection.dragged);
  if (toolbar.hidden) return;
  element("toolbar-split").hidden = Boolean(span) || !active;
  element("toolbar-erase-text").textContent = span ? "Remove" : "Delete";
  const frame = element("frame").getBoundingClientRect();
  const first = positions.rectangle(shown.start);
  const last = positions.rectangle(shown.end, { after: true });
  if (!first || !last) return;
  const { offsetHeight: height, offsetWidth: width } = toolbar;
  const bar = element("topic-bar").getBoundingClientRect().bottom;
  const above = first.top - height - 10;
  const below = last.bottom + 26;
  const top = above > bar + 4 ? above : Math.min(below, window.innerHeight - height - 8);
  const centre = above > bar + 4 ? first.left : last.left;
  const left = Math.min(Math.max(centre - frame.left - width / 3, 0), Math.max(frame.width - width, 0));
  Object.assign(toolbar.style, { top: `${top - frame.top}px`, left: `${left}px` });
}

/* Keys */

const keyboard = new Keyboard({ article, dialog: element("keys"), table: element("key-table"), toggle: element("single-keys") });
const withShift = (key) => key.replace(/([^+]+)$/, "Shift+$1");
const moves = (kind, keys, does) => ({
  group: "Move and select", keys, moreKeys: keys.map(withShift), does, inText: true,
  run: (name) => moveBy(kind, /(Left|Up|Home|,)$/.test(name) ? -1 : 1, { extend: name.includes("Shift+") }),
});
const commands = [
  moves("paragraph", ["ArrowUp", "ArrowDown"], "previous and next paragraph"),
  moves("word", ["ArrowLeft", "ArrowRight"], "previous and next word"),
  moves("sentence", ["Ctrl+ArrowLeft", "Ctrl+ArrowRight", "Alt+ArrowUp", "Alt+ArrowDown"], "previous and next sentence"),
  moves("character", [",", "."], "previous and next character"),
  moves("edge", ["Home", "End"], "start and end of the paragraph"),
  moves("document", ["Ctrl+Home", "Ctrl+End"], "start and end of the document"),
  { group: "Move and select", keys: ["n", "Shift+n"], does: "next and previous result of the pool", run: (name) => jumpResult(name === "n" ? 1 : -1) },
  { group: "Move and select", keys: ["h", "Shift+h"], does: "next and previous highlight", run: (name) => jumpHighlight(name === "h" ? 1 : -1) },
  { group: "Move and select", keys: ["v"], does: "start or end selecting: moves then extend the selection, as with Shift", run: () => {
    selection.setKeyboard(true);
    if (selection.isSelecting || selection.span) return selection.clear();
    selection.isSelecting = true;
    selection.anchor = selection.position;
    selection.notify();
    announce("Selecting");
    return undefined;
  } },
  { group: "Move and select", keys: ["p"], does: "select the paragraph; again: extend by the next one", run: () => selectUnit("paragraph") },
  { group: "Move and select", keys: ["s"], does: "select the sentence; again: extend by the next one", run: () => selectUnit("sentence") },
  { group: "Move and select", keys: ["w"], does: "select the word; again: extend by the next one", run: () => selectUnit("word") },
  { group: "Move and select", keys: ["Escape"], does: "cancel", run: cancel },
  ...grades.flatMap(({ value, label }, index) => keys[index] === null ? [] : [{
    group: "Highlight", keys: [keys[index]], does: `grade ${value}${label ? `, ${label}` : ""}: highlight the selection, or grade the highlight`, run: () => highlight(value),
  }]),
  { group: "Highlight", keys: ["Enter"], inText: true, does: grades.length ? "highlight the selection with the last grade; save a moved end" : "highlight the selection; save a moved end", run: () => (selection.edge ? finishEdge() : selection.span ? highlight(lastGrade) : false) },
  { group: "Highlight", keys: ["b", "e"], does: "move the beginning or the end of the highlight", run: (name) => startEdge(name === "b" ? "start" : "end") },
  { group: "Highlight", keys: ["c"], does: "cut the highlight in two at the cursor", run: splitActive },
  { group: "Highlight", keys: ["x"], does: "remove highlights from the selection, or delete the highlight", run: erase },
  { group: "Highlight", keys: ["Delete", "Backspace"], does: "delete the highlight", run: () => (selection.span ? erase() : removeActive()) },
  { group: "Highlight", keys: ["m"], does: "mark the best entry point at the cursor; again: remove it", run: setEntry },
  { group: "Highlight", keys: ["u", "Ctrl+z"], does: "undo", run: undo },
  { group: "Highlight", keys: ["r", "Ctrl+y", "Ctrl+Shift+z"], does: "redo", run: redo },
  { group: "Document", keys: ["0", "z"].filter((key) => !keys.includes(key)), does: "nothing relevant", run: nothingRelevant },
  { group: "Document", keys: ["f"], does: "finish and show the next document", run: () => void finishAndContinue() },
  { group: "Document", keys: ["Shift+f"], does: "reopen the document", run: reopen },
  { group: "Document", keys: ["[", "]"], does: "previous and next document, without finishing", run: (name) => (name === "[" ? go(data.previous, "This is the first document of the pool.") : go(data.next, "This is the last document of the pool.")) },
  { group: "Document", keys: ["t"], does: "show or hide the description of the topic", run: toggleTopic },
  { group: "Document", keys: ["?"], does: "show the keys", run: () => keyboard.show() },
];
keyboard.add(commands);

/* Drawing */

let drawnAt = 0;

function show() {
  const judgement = currentJudgement();
  if (selection.activeId !== null && !selection.active) selection.activeId = null;
  if (selection.activeId === null && !selection.edge) selection.activate();
  const { active, span, position, dragged } = selection;
  drawing.draw({ judgement, active, selection: span, position, dragged, showCursor: selection.usesKeyboard });
  panel.showHighlights(judgement, active);
  panel.showState(judgement);
  panel.showGrades(gradeButtons, active, Boolean(span));
  panel.showSaving(saving);
  showProgress(judgement);
  placeToolbar();
  element("mode").textContent = selection.edge ? `Moving the ${selection.edge.edge}: Enter saves, Esc cancels` : selection.isSelecting ? "Selecting: V ends it" : "";
  drawnAt = performance.now();
}

function showProgress(judgement) {
  const finished = data.finished - (data.judgement.finished ? 1 : 0) + (judgement.finished ? 1 : 0);
  element("finished-count").textContent = finished;
  element("progress").value = finished;
}

selection.addEventListener("change", show);
selection.addEventListener("point", () => placeToolbar());
saving.addEventListener("change", () => {
  if (!selection.edge) selection.activate();
  show();
});
dragHandles({ drawing, selection, positions, currentJudgement, onDone: ({ id, start, end }) => change("resize", { id, start, end }) });
window.addEventListener("resize", placeToolbar);

/** Tell the style sheet which height the panel can have. */
function measure() {
  const { style } = document.documentElement;
  style.setProperty("--bar-height", `${element("topic-bar").offsetHeight}px`);
  style.setProperty("--page-top", `${Math.max(element("content").offsetTop - window.scrollY, 0)}px`);
}
new ResizeObserver(measure).observe(element("topic-bar"));
window.addEventListener("scroll", measure, { passive: true });
article.addEventListener("focus", () => {
  if (article.matches(":focus-visible")) {
    selection.setKeyboard(true);
    show();
  }
});

window.addEventListener("beforeunload", (event) => {
  if (saving.hasUnsaved) event.preventDefault();
});
document.addEventListener("visibilitychange", async () => {
  if (document.visibilityState === "visible" && (await saving.refresh())) tell("Another window changed this document. Its changes are shown.");
});
window.addEventListener("pageshow", (event) => event.persisted && void saving.refresh());

show();
article.focus({ preventScroll: true });
document.documentElement.dataset.ready = "true";

/* For tests: the state of the page. */
globalThis.xcgJudge = { positions, units, saving, selection, drawing, edit, get drawnAt() { return drawnAt; } };
