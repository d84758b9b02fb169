/* The panel next to the text: grades, highlights, results of the pool, and the state of saving. */

import { styleOf } from "./drawing.js";

const WORDS = 90;

export function node(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

const excerpt = (text) => {
  const words = text.slice(0, 4 * WORDS).trim().replace(/\s+/g, " ");
  return words.length > WORDS ? `${words.slice(0, WORDS - 1)}…` : words;
};

/** A button with the grade's colour, underline, label and key. */
export function gradeButton(grades, keys, index, onClick) {
  const { value, label } = grades[index];
  const swatch = node("span", { className: `swatch ${styleOf(grades, value)}` }, value);
  const button = node("button", { type: "button", className: "grade", onclick: onClick }, swatch);
  button.dataset.grade = value;
  if (label) button.append(node("span", { className: "grade-label" }, label));
  if (keys[index] !== null) button.append(node("kbd", {}, keys[index]));
  return button;
}

export class Panel {
  constructor({ elements, grades, positions, results, actions }) {
    Object.assign(this, { elements, grades, positions, results, actions, signature: "" });
    this.showResults();
  }

  showResults() {
    const { results, positions } = this;
    const { resultList, resultCount, resultSection } = this.elements;
    resultSection.hidden = !results.length;
    resultCount.textContent = results.length;
    resultList.append(
      ...results.map(([start, end]) =>
        node("li", {}, node("button", { type: "button", className: "jump", onclick: () => this.actions.showResult([start, end]) }, excerpt(positions.slice(start, Math.min(end, start + 400))) || "…")),
      ),
    );
  }

  /** Show the highlights in the order of the text, lost ones first. */
  showHighlights(judgement, active) {
    const { highlightList, highlightCount, noHighlights } = this.elements;
    const signature = JSON.stringify([judgement.highlights, active?.id]);
    if (signature === this.signature) return;
    this.signature = signature;
    const focused = document.activeElement?.closest("#highlight-list [data-id]");
    const focus = focused && [focused.dataset.id, document.activeElement.dataset.action];
    highlightCount.textContent = judgement.highlights.length;
    noHighlights.hidden = judgement.highlights.length > 0;
    highlightList.replaceChildren(...judgement.highlights.map((one) => this.highlightItem(one, one.id === active?.id)));
    if (focus) {
      const again = highlightList.querySelector(`[data-id="${focus[0]}"] [data-action="${focus[1]}"]`);
      (again ?? highlightList.querySelector("button") ?? this.elements.article).focus({ preventScroll: true });
    }
    const current = highlightList.querySelector("[aria-current]");
    const list = highlightList.closest(".lists");
    if (current && list.scrollHeight > list.clientHeight) current.scrollIntoView({ block: "nearest" });
  }

  highlightItem(one, isActive) {
    const { actions } = this;
    const words = excerpt(one.text);
    const button = (action, text, onclick, properties = {}) => {
      const made = node("button", { type: "button", onclick, ...properties }, ...[text].flat());
      made.dataset.action = action;
      return made;
    };
    const swatch = node("span", { className: `swatch ${styleOf(this.grades, one.grade)}`, ariaHidden: "true" }, one.grade ?? " ");
    const label = node("span", { className: "visually-hidden" }, one.grade === null ? "Without a grade: " : `Grade ${one.grade}: `);
    const item = node("li", { className: isActive ? "active" : "" });
    item.dataset.id = one.id;
    item.append(button("show", [swatch, label, node("span", { className: "words" }, words)], () => actions.showHighlight(one), { className: "jump" }));
    if (isActive) item.firstChild.setAttribute("aria-current", "true");
    const tools = node("div", { className: "tools" });
    if (one.status !== "placed") {
      tools.append(node("span", { className: "label open" }, one.status === "lost" ? "text not found" : "moved, please check"));
    }
    if (one.status === "moved") tools.append(button("confirm", "Confirm", () => actions.confirm(one)));
    if (one.status === "lost") tools.append(button("place", "Place at the selection", () => actions.placeAgain(one)));
    if (isActive && one.status !== "lost") {
      tools.append(button("start", "Move start", () => actions.startEdge("start")), button("end", "Move end", () => actions.startEdge("end")));
    }
    const visible = isActive || one.status !== "placed";
    tools.append(button("delete", "Delete", () => actions.remove(one), { ariaLabel: `Delete: ${words}` }));
    if (!visible) tools.classList.add("quiet");
    item.append(tools);
    return item;
  }

  showState(judgement) {
    const { documentState, nothing, finish, reopen, undo, redo, entry, removeEntry } = this.elements;
    const isNothing = judgement.finished && !judgement.highlights.length;
    documentState.textContent = isNothing ? "Finished: nothing relevant" : judgement.finished ? "Finished" : "Not finished";
    documentState.className = `label ${judgement.finished ? "done" : "open"}`;
    nothing.disabled = judgement.highlights.length > 0;
    nothing.setAttribute("aria-pressed", String(isNothing));
    finish.hidden = false;
    reopen.hidden = !judgement.finished;
    undo.disabled = !judgement.can_undo;
    redo.disabled = !judgement.can_redo;
    entry.setAttribute("aria-pressed", String(judgement.entry_point !== null));
    removeEntry.hidden = judgement.entry_point === null;
  }

  showGrades(buttons, active, hasSelection) {
    for (const button of buttons) {
      const isCurrent = !hasSelection && active !== null && (active.grade ?? "") === (button.dataset.grade ?? "");
      button.setAttribute("aria-pressed", String(isCurrent));
    }
  }

  showSaving(saving) {
    const { saveState, problem, problemText, retry, discard, conflict, conflictChanges, again } = this.elements;
    const { state } = saving;
    saveState.textContent = { saved: "Saved", saving: "Saving…", problem: "Not saved" }[state];
    saveState.className = `save-state ${state}`;
    problem.hidden = state !== "problem";
    if (state === "problem") {
      const count = saving.queue.length;
      const changes = count === 1 ? "1 change waits" : `${count} changes wait`;
      problemText.textContent = `Not saved: ${saving.problem.message}. ${changes}; do not close this page.`;
      retry.hidden = saving.problem.isRejected;
      discard.hidden = !saving.problem.isRejected;
    }
    conflict.hidden = !saving.refused.length;
    conflictChanges.replaceChildren(...saving.refused.map(({ description }) => node("li", {}, description)));
    again.textContent = saving.refused.length === 1 ? "Apply my change again" : "Apply my changes again";
  }
}
