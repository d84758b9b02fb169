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

const SYMBOLS = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Delete: "Del",
  Escape: "Esc",
};

/** Write a key for people. */
function shownKey(name) {
  const parts = name === "+" ? ["+"] : name.split("+");
  return parts
    .map((part) => SYMBOLS[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(" + ");
}

/** Choose a key for each grade: its own digit, otherwise the first free digit. */
export function keysOfGrades(grades) {
  const own = grades.map(({ value }) => (/^[0-9]$/.test(value) ? value : null));
  const free = [..."1234567890"].filter((digit) => !own.includes(digit));
  return own.map((key) => key ?? free.shift() ?? null);
}

/** The rows of a command in the dialog. */
function rows({ keys, does }) {
  const names = keys.flatMap((key, index) => [
    ...(index ? [" or "] : []),
    node("kbd", {}, shownKey(key)),
  ]);
  return [node("dt", {}, ...names), node("dd", {}, does)];
}

/** Runs commands: {keys, moreKeys, does, run, inText, repeats}.

   The dialog lists the keys, and not moreKeys. Commands with inText work only while the text has the focus,
   and only those with repeats run again while the key is held.
   A command that returns false leaves the key to the browser. */
export class Keyboard {
  constructor({ article, dialog, table, toggle }) {
    this.commands = new Map();
    this.article = article;
    this.dialog = dialog;
    this.table = table;
    this.toggle = toggle;
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
      for (const command of shown) {
        for (const key of [...command.keys, ...(command.moreKeys ?? [])])
          this.commands.set(key, command);
      }
      this.table.append(
        node("section", {}, node("h3", {}, heading), node("dl", {}, ...shown.flatMap(rows))),
      );
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
    if (event.repeat && !command.repeats) {
      event.preventDefault();
      return;
    }
    if (command.run(name) === false) return;
    event.preventDefault();
  }

  show() {
    this.dialog.showModal();
  }
}

const withShift = (key) => key.replace(/([^+]+)$/, "Shift+$1");

/** Return the keys of the page for Keyboard.add. */
export function createKeymap({ article, commands, data, gradeKeys, selection }) {
  const isRightToLeft = article.matches(":dir(rtl)");
  const move = (keys, kind, does) => ({
    keys,
    moreKeys: keys.map(withShift),
    does,
    inText: true,
    repeats: true,
    run: (name) => {
      const isBack = /(Left|Up|Home|,)$/.test(name);
      const direction = isBack === (isRightToLeft && /(Left|Right)$/.test(name)) ? 1 : -1;
      commands.moveBy(kind, direction, { extend: name.includes("Shift+") });
    },
  });
  const select = (key, kind) => ({
    keys: [key],
    does: `select the ${kind}; again: extend by the next one`,
    run: () => commands.selectUnit(kind),
  });
  const enter = () => {
    if (selection.edge) return commands.finishEdge();
    return selection.span ? commands.highlightAgain() : false;
  };
  const highlightKeys = gradeKeys.filter((key) => key !== null);
  const withGrades = highlightKeys.length ? " with the last grade" : "";
  return {
    "Move and select": [
      move(["ArrowUp", "ArrowDown"], "paragraph", "previous and next paragraph"),
      move(["ArrowLeft", "ArrowRight"], "word", "previous and next word"),
      move(
        ["Ctrl+ArrowLeft", "Ctrl+ArrowRight", "Alt+ArrowUp", "Alt+ArrowDown"],
        "sentence",
        "previous and next sentence",
      ),
      move([",", "."], "character", "previous and next character"),
      move(["Home", "End"], "edge", "start and end of the paragraph"),
      move(["Ctrl+Home", "Ctrl+End"], "document", "start and end of the document"),
      {
        keys: ["n", "Shift+n"],
        does: "next and previous result of the pool",
        run: (name) => commands.jumpResult(name === "n" ? 1 : -1),
      },
      {
        keys: ["h", "Shift+h"],
        does: "next and previous highlight",
        run: (name) => commands.jumpHighlight(name === "h" ? 1 : -1),
      },
      {
        keys: ["o", "Shift+o"],
        does: "next and previous heading of the outline",
        run: (name) => commands.jumpHeading(name === "o" ? 1 : -1),
      },
      {
        keys: ["v"],
        does: "start or end selecting: moves then extend the selection, as with Shift",
        run: commands.toggleSelecting,
      },
      select("p", "paragraph"),
      select("s", "sentence"),
      select("w", "word"),
      { keys: ["Escape"], does: "cancel", run: commands.cancel },
    ],
    Highlight: [
      {
        keys: highlightKeys,
        does: "highlight the selection with this grade, or grade the highlight",
        run: (name) => commands.highlight(data.grades[gradeKeys.indexOf(name)].value),
      },
      {
        keys: ["Enter"],
        does: `highlight the selection${withGrades}; save a moved end`,
        inText: true,
        run: enter,
      },
      {
        keys: ["b", "e"],
        does: "move the beginning or the end of the highlight",
        run: (name) => commands.startEdge(name === "b" ? "start" : "end"),
      },
      { keys: ["c"], does: "split the highlight at the cursor", run: commands.splitActive },
      {
        keys: ["x"],
        moreKeys: ["Delete", "Backspace"],
        does: "remove highlights from the selection, or delete the highlight",
        run: commands.erase,
      },
      {
        keys: ["m"],
        does: "mark the best entry point at the cursor or the start of the highlight; again: remove it",
        run: commands.setEntry,
      },
      { keys: ["u", "Ctrl+z"], does: "undo", run: commands.undo },
      { keys: ["r", "Ctrl+y", "Ctrl+Shift+z"], does: "redo", run: commands.redo },
    ],
    Document: [
      {
        keys: ["0", "z"].filter((key) => !gradeKeys.includes(key)),
        does: "nothing relevant",
        run: commands.nothingRelevant,
      },
      { keys: ["f"], does: "finish and show the next document", run: commands.finishAndContinue },
      { keys: ["Shift+f"], does: "reopen the document", run: commands.reopen },
      {
        keys: ["[", "]"],
        does: "previous and next document, without finishing",
        run: (name) => {
          if (name === "[") commands.go(data.previous, "This is the first document of the pool.");
          else commands.go(data.next, "This is the last document of the pool.");
        },
      },
      { keys: ["t"], does: "show or hide the description of the topic", run: commands.toggleTopic },
      { keys: ["g"], does: "mark the words of the topic in the text", run: commands.toggleWords },
      { keys: ["?"], does: "show the keys", run: commands.showKeys },
    ],
  };
}
