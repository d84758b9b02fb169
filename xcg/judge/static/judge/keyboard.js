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

/** Runs commands: {keys, moreKeys, does, run, inText}.

   The dialog lists the keys, and not moreKeys. Commands with inText work only while the text has the focus.
   A command that returns false leaves the key to the browser. */
export class Keyboard {
  constructor({ article, dialog, table, toggle }) {
    this.commands = new Map();
    this.article = article;
    this.dialog = dialog;
    this.table = table;
    this.toggle = toggle;
    toggle.checked = localStorage.getItem(STORED) !== "off";
    toggle.addEventListener("change", () =>
      localStorage.setItem(STORED, toggle.checked ? "on" : "off"),
    );
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
    if (event.defaultPrevented || event.isComposing || this.dialog.open) return;
    const { target } = event;
    if (target.closest("input, textarea, select, [contenteditable]")) return;
    const name = nameOf(event);
    const command = this.commands.get(name);
    if (!command) return;
    const isSingle = name.length === 1 || /^Shift\+.$/u.test(name);
    if (isSingle && !this.toggle.checked) return;
    const isInText = target === document.body || target === this.article;
    if (command.inText && !isInText) return;
    if (command.run(name) === false) return;
    event.preventDefault();
  }

  show() {
    this.dialog.showModal();
  }
}
