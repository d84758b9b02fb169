/* The page on which an assessor judges a document. */

import { createCommands } from "./judge/commands.js";
import { DocumentMap, Drawing } from "./judge/drawing.js";
import { Finishing } from "./judge/finishing.js";
import { createKeymap, Keyboard, keysOfGrades } from "./judge/keyboard.js";
import { gradeButton, highlightButton, Panel, showOutline } from "./judge/panel.js";
import { Positions } from "./judge/positions.js";
import { Clock, createRemarks } from "./judge/remarks.js";
import { Saving } from "./judge/saving.js";
import { dragHandles, Selection } from "./judge/selection.js";
import { layOutTables, letKeysScroll } from "./judge/tables.js";
import { TopicWords } from "./judge/topic_words.js";
import { Units } from "./judge/units.js";

const MESSAGE_TIME = 6_000;

const element = (id) => document.getElementById(id);
const data = JSON.parse(element("page-data").textContent);
const { grades } = data;
const [article, frame, overlay] = ["article", "frame", "overlay"].map(element);

function stop(message) {
  const box = element("unsupported");
  box.hidden = false;
  if (message) box.textContent = message;
  throw new Error(box.textContent);
}

if (!globalThis.Highlight || !CSS.highlights || !Intl.Segmenter) stop();
const positions = new Positions(article);
if (positions.length !== data.length)
  stop("This page does not have the text of the document. Reload it.");

/** Tell screen readers. */
function announce(text) {
  element("announcement").textContent = text;
}

let timer = 0;

/** Tell everybody. */
function tell(text) {
  const message = element("message");
  message.textContent = text;
  message.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (message.hidden = true), MESSAGE_TIME);
}

layOutTables(article);
const results = data.results
  .filter(([start, end]) => start < end)
  .sort((one, other) => one[0] - other[0] || other[1] - one[1]);
// The parts of the page, each of which uses those before it.
const page = { announce, article, data, element, frame, grades, overlay, positions, results, tell };
const units = (page.units = new Units(positions));
page.clock = new Clock(page);
page.words = new TopicWords(page);
const saving = (page.saving = new Saving(page));
const selection = (page.selection = new Selection(page));
const drawing = (page.drawing = new Drawing(page));
const finishing = (page.finishing = new Finishing(page));
const commands = (page.commands = createCommands(page));
const panel = new Panel(page);
page.headings = showOutline(page);
const map = new DocumentMap(page);

/* Buttons and keys */

const gradeKeys = (page.gradeKeys = keysOfGrades(grades));

const gradeButtons = grades.map((grade, index) =>
  gradeButton(grades, gradeKeys, index, () => commands.highlight(grade.value)),
);
if (!grades.length) gradeButtons.push(highlightButton(() => commands.highlight(null)));
element("grade-buttons").append(...gradeButtons);

element("nugget").addEventListener("change", ({ target }) => commands.setNugget(target.value || null));

// Buttons name their command in data-command.
document.addEventListener("click", ({ target }) => {
  const { command } = target.closest("[data-command]")?.dataset ?? {};
  if (command) void commands[command]();
});

// Clicks on buttons must not clear the selection.
for (const type of ["pointerdown", "mousedown"]) {
  const keep = (event) => event.target.closest("button") && event.preventDefault();
  element("panel").addEventListener(type, keep);
}

/* Drawing */

const bar = element("topic-bar");

function show() {
  const { judgement } = saving;
  if (selection.activeId !== null && !selection.active) selection.activate();
  const { active, span, position, dragged, usesKeyboard: showCursor } = selection;
  const drawnActive = span ? null : selection.placedActive;
  drawing.draw({ judgement, active: drawnActive, selection: span, position, dragged, showCursor });
  panel.showHighlights(judgement, active);
  map.draw(judgement);
  panel.showState(judgement, finishing.canReturn);
  panel.showGrades(gradeButtons, active, Boolean(span));
  panel.showNugget(span ? null : active);
  panel.showSaving(saving);
  const count = data.finished + Number(judgement.finished) - Number(data.judgement.finished);
  element("finished-count").textContent = count;
  element("progress").value = count;
}

/** Tell the style sheet which height the panel can have. */
function measure() {
  const { style } = element("panel"); // for the whole page, each change would take long
  style.setProperty("--bar-height", `${bar.offsetHeight}px`);
  style.setProperty("--page-top", `${Math.max(element("content").offsetTop - window.scrollY, 0)}px`);
}

selection.addEventListener("change", show);
saving.addEventListener("change", () => {
  selection.activate();
  show();
});
Object.assign(commands, createRemarks(page));
new Keyboard(page).add(createKeymap(page));
saving.addEventListener("rejected", ({ detail }) => tell(detail));
dragHandles(page);
new ResizeObserver(measure).observe(bar);
new ResizeObserver(() => letKeysScroll(article)).observe(frame);
window.addEventListener("scroll", measure, { passive: true });
article.addEventListener("focus", () => {
  if (!article.matches(":focus-visible")) return;
  selection.usesKeyboard = true;
  show();
});

/* Other windows, and the end of this one */

async function refresh() {
  if (await saving.refresh())
    tell("Another window changed this document. Its changes are shown.");
}

window.addEventListener("beforeunload", (event) => {
  if (saving.hasUnsaved) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") void refresh();
});
window.addEventListener("pageshow", (event) => {
  if (event.persisted) void refresh();
});

show();
article.focus({ preventScroll: true });
globalThis.xcgJudge = { positions, saving, selection, units }; // for tests
document.documentElement.dataset.ready = "true";
