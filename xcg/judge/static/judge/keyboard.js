/* The keys of the judging page, and the dialog that lists them. */

import { node } from "./nodes.js";

const STORED = "xcg-judge-single-keys";

/** A key as its users write it: "Ctrl+Shift+ArrowLeft". */
function nameOf(event) {
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isLetter = /^\p{L}$/u.test(key);
  const shift = event.shiftKey && (isLetter || event.key.length > 1);
  return `${control ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

const ARROWS = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const SYMBOLS = { ...ARROWS, Delete: "Del", Escape: "Esc" };

/** Write a key for people. */
function shownKey(name) {
  const shown = (part) => SYMBOLS[part] ?? (part.length === 1 ? part.toUpperCase() : part);
  return name.split("+").map(shown).join(" + ");
}

/** Choose a key for each grade: its own digit, otherwise the first free digit. */
export function keysOfGrades(grades) {
  const own = grades.map(({ value }) => (/^[0-9]$/.test(value) ? value : null));
  const free = [..."1234567890"].filter((digit) => !own.includes(digit));
  return own.map((key) => key ?? free.shift() ?? null);
}

/** The rows of a command in the dialog. */
function rows({ keys, does }) {
  const names = keys.flatMap((key) => [" or ", node("kbd", {}, shownKey(key))]).slice(1);
  return [node("dt", {}, ...names), node("dd", {}, does)];
}

/** Runs commands: {keys, moreKeys, does, run, inText, repeats}.

   The dialog lists the keys, and not moreKeys. Commands with inText work only while the text has the focus,
   and only those with repeats run again while the key is held.
   A command that returns false leaves the key to the browser. */
export class Keyboard {
  constructor({ article, element }) {
    const toggle = element("single-keys");
    Object.assign(this, { article, toggle, table: element("key-table"), commands: new Map() });
    toggle.checked = localStorage.getItem(STORED) !== "off";
    const show = () => document.body.classList.toggle("without-keys", !toggle.checked);
    toggle.addEventListener("change", () => {
      localStorage.setItem(STORED, toggle.checked ? "on" : "off");
      show();
    });
    show();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** Add groups of commands: heading → commands. */
  add(groups) {
    for (const [heading, commands] of Object.entries(groups)) {
      const shown = commands.filter(({ keys }) => keys.length);
      for (const command of shown)
        for (const key of command.keys.concat(command.moreKeys ?? [])) this.commands.set(key, command);
      const list = node("dl", {}, ...shown.flatMap(rows));
      this.table.append(node("section", {}, node("h3", {}, heading), list));
    }
  }

  press(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (target.closest("input, textarea, select, [contenteditable]")) return;
    const name = nameOf(event);
    const command = this.commands.get(name);
    if (!command) return;
    const isSingle = name.length === 1 || /^Shift\+.$/u.test(name);
    if (isSingle && !this.toggle.checked) return;
    const isInText = target === document.body || target === this.article;
    if (command.inText && !isInText) return;
    const isIgnored = event.repeat && !command.repeats;
    if (isIgnored || command.run(name) !== false) event.preventDefault();
  }
}

const withShift = (key) => key.replace(/([^+]+)$/, "Shift+$1");
const on = (keys, does, run, more = {}) => ({ keys, does, run, ...more });

/** Return the keys of the page for Keyboard.add. */
export function createKeymap({ article, commands, data, gradeKeys, selection }) {
  const isRightToLeft = article.matches(":dir(rtl)");
  const move = (keys, kind, does) => {
    const run = (name) => {
      const isBack = /(Left|Up|Home|,)$/.test(name);
      const direction = isBack === (isRightToLeft && /(Left|Right)$/.test(name)) ? 1 : -1;
      commands.moveBy(kind, direction, { extend: name.includes("Shift+") });
    };
    return on(keys, does, run, { moreKeys: keys.map(withShift), inText: true, repeats: true });
  };
  const jump = (key, does, run) =>
    on([key, `Shift+${key}`], `next and previous ${does}`, (name) => run(name === key ? 1 : -1));
  const select = (key, kind) =>
    on([key], `select the ${kind}; again: extend by the next one`, () => commands.selectUnit(kind));
  const enter = () => (selection.span ? commands.highlightAgain() : false);
  const highlightKeys = gradeKeys.filter((key) => key !== null);
  const withGrades = highlightKeys.length ? " with the last grade" : "";
  const sentenceKeys = ["Ctrl+ArrowLeft", "Ctrl+ArrowRight", "Alt+ArrowUp", "Alt+ArrowDown"];
  return {
    "Move and select": [
      move(["ArrowUp", "ArrowDown"], "paragraph", "previous and next paragraph"),
      move(["ArrowLeft", "ArrowRight"], "word", "previous and next word"),
      move(sentenceKeys, "sentence", "previous and next sentence"),
      move([",", "."], "character", "previous and next character"),
      move(["Home", "End"], "edge", "start and end of the paragraph"),
      move(["Ctrl+Home", "Ctrl+End"], "document", "start and end of the document"),
      jump("n", "result of the pool", commands.jumpResult),
      jump("h", "highlight", commands.jumpHighlight),
      jump("o", "heading of the outline", commands.jumpHeading),
      select("p", "paragraph"),
      select("s", "sentence"),
      select("w", "word"),
      on(["Escape"], "cancel", commands.cancel),
    ],
    Highlight: [
      on(
        highlightKeys,
        "highlight the selection with this grade, or grade the highlight",
        (name) => commands.highlight(data.grades[gradeKeys.indexOf(name)].value),
      ),
      on(["Enter"], `highlight the selection${withGrades}`, enter, { inText: true }),
      on(
        ["x"],
        "remove highlights from the selection, or delete the highlight",
        commands.erase,
        { moreKeys: ["Delete", "Backspace"] },
      ),
      on(["u", "Ctrl+z"], "undo", commands.undo),
      on(["r", "Ctrl+y", "Ctrl+Shift+z"], "redo", commands.redo),
    ],
    Document: [
      on(
        ["0", "z"].filter((key) => !gradeKeys.includes(key)),
        "nothing relevant",
        commands.nothingRelevant,
      ),
      on(["f"], "finish and show the next document", commands.finishAndContinue),
      on(["Shift+f"], "reopen the document", commands.reopen),
      on(["[", "]"], "previous and next document, without finishing", (name) => {
        if (name === "[") commands.go(data.previous, "This is the first document of the pool.");
        else commands.go(data.next, "This is the last document of the pool.");
      }),
      on(["t"], "show or hide the description of the topic", commands.toggleTopic),
      on(["g"], "mark the words of the topic in the text", commands.toggleWords),
      on(["?"], "show the keys", commands.showKeys),
    ],
    Remarks: [
      on(["i"], "write a note; Esc leaves it", commands.writeNote),
      on(["q"], "unsure about this judgement", commands.toggleUnsure),
      on(["k"], "skip the document, and show the next one", commands.skip),
    ],
  };
}
