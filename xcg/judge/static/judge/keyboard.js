/* The keys of the judging page, and the dialog that lists them. */

const STORED = "xcg-judge-single-keys";

/** A key as its users write it: "Ctrl+Shift+ArrowLeft". */
function nameOf(event) {
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isLetter = /^\p{L}$/u.test(key);
  const shift = event.shiftKey && (isLetter || event.key.length > 1);
  return `${control ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

const SYMBOLS = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Delete: "Del", Escape: "Esc" };

/** Write a key for people. */
export function shownKey(name) {
  const parts = name === "+" ? ["+"] : name.split("+");
  return parts.map((part) => SYMBOLS[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(" + ");
}

/** Choose a key for each grade: its own digit, otherwise the first free digit. */
export function gradeKeys(grades) {
  const own = grades.map(({ value }) => (/^[0-9]$/.test(value) ? value : null));
  const free = [..."1234567890"].filter((digit) => !own.includes(digit));
  return own.map((key) => key ?? free.shift() ?? null);
}

/** Commands: {group, keys, moreKeys, does, run, inText}.

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
    toggle.addEventListener("change", () => localStorage.setItem(STORED, toggle.checked ? "on" : "off"));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  add(commands) {
    const groups = new Map();
    for (const command of commands) {
      for (const key of [...command.keys, ...(command.moreKeys ?? [])]) this.commands.set(key, command);
      if (!groups.has(command.group)) groups.set(command.group, []);
      groups.get(command.group).push(command);
    }
    for (const [group, members] of groups) {
      const section = document.createElement("section");
      const heading = document.createElement("h3");
      heading.textContent = group;
      const list = document.createElement("dl");
      for (const { keys, does } of members) {
        const term = document.createElement("dt");
        keys.forEach((key, index) => {
          if (index) term.append(" or ");
          const kbd = document.createElement("kbd");
          kbd.textContent = shownKey(key);
          term.append(kbd);
        });
        const description = document.createElement("dd");
        description.textContent = does;
        list.append(term, description);
      }
      section.append(heading, list);
      this.table.append(section);
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
