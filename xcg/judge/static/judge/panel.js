/* The panel next to the text: grades, highlights, results of the pool, and the state of saving. */

import { styleOf } from "./drawing.js";
import { shortened } from "./judgement.js";
import { makeButton, node } from "./nodes.js";

const EXCERPT = 90; // characters

/** Fill a section with buttons that show spans of the text: {span, words, more}. */
function listSpans({ commands, element }, name, items) {
  element(`${name}-section`).hidden = !items.length;
  element(`${name}-count`).textContent = items.length;
  element(`${name}-list`).append(
    ...items.map(({ span, text, more = "" }) => {
      const properties = { className: `jump${more}`, dir: "auto" };
      const words = shortened(text, EXCERPT) || "…";
      return node("li", {}, makeButton(() => commands.showAt(span), properties, words));
    }),
  );
}

/** List the headings of the document, and return their spans. */
export function showOutline(page) {
  const items = [...page.article.querySelectorAll("[role=heading]")].map((heading) => {
    const [start, text] = [page.positions.positionOf(heading, 0), heading.textContent];
    return { span: [start, start + [...text].length], text, more: ` outline-${heading.ariaLevel}` };
  });
  listSpans(page, "outline", items);
  return items.map(({ span }) => span);
}

/** A button with the grade's colour, underline, label and key. */
export function gradeButton(grades, keys, index, onClick) {
  const { value, label } = grades[index];
  const button = makeButton(onClick, { className: "grade" });
  button.append(node("span", { className: `swatch ${styleOf(grades, value)}` }, value));
  button.dataset.grade = value;
  if (label) button.append(node("span", { className: "grade-label" }, label));
  if (keys[index] !== null) button.append(node("kbd", {}, keys[index]));
  return button;
}

/** The button for highlights without grades. */
export function highlightButton(onClick) {
  return makeButton(onClick, { className: "grade" }, "Highlight", node("kbd", {}, "Enter"));
}

export class Panel {
  constructor(page) {
    const { commands, data, element, grades, positions, results } = page;
    Object.assign(this, { element, grades, nuggets: data.nuggets, commands, shown: "" });
    listSpans(page, "result", results.map((span) => ({ span, text: positions.slice(...span) })));
  }

  /** Show the highlights in the order of the text, lost ones first. */
  showHighlights(judgement, active) {
    const { highlights } = judgement;
    const shown = JSON.stringify([highlights, active?.id]);
    if (shown === this.shown) return;
    this.shown = shown;
    const list = this.element("highlight-list");
    const { activeElement } = document;
    const focused = list.contains(activeElement) && activeElement.closest("[data-id]").dataset.id;
    const { action } = activeElement?.dataset ?? {};
    this.element("highlight-count").textContent = highlights.length;
    this.element("no-highlights").hidden = highlights.length > 0;
    list.replaceChildren(...highlights.map((one) => this.highlightItem(one, one.id === active?.id)));
    if (focused) {
      const again = list.querySelector(`[data-id="${focused}"] [data-action="${action}"]`);
      (again ?? list.querySelector("button") ?? this.element("article")).focus({ preventScroll: true });
    }
    const scrolled = list.closest(".lists");
    if (scrolled.scrollHeight > scrolled.clientHeight)
      list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  highlightItem(one, isActive) {
    const words = shortened(one.text, EXCERPT);
    const spoken = one.grade === null ? "Without a grade: " : `Grade ${one.grade}: `;
    const style = `swatch ${styleOf(this.grades, one.grade)}`;
    const stated = one.nugget === null ? [] : [" ", node("span", { className: "label" }, one.nugget)];
    const show = makeButton(
      () => this.commands.showHighlight(one),
      { className: "jump" },
      node("span", { className: style, ariaHidden: "true" }, one.grade ?? " "),
      node("span", { className: "visually-hidden" }, spoken),
      node("span", { className: "words", dir: "auto" }, words, ...stated),
    );
    show.dataset.action = "show";
    if (isActive) show.ariaCurrent = "true";
    const tools = this.tools(one, isActive, words);
    const item = node("li", { className: isActive ? "active" : "" }, show, tools);
    item.dataset.id = one.id;
    return item;
  }

  /** The buttons of a highlight. */
  tools(one, isActive, words) {
    const { commands } = this;
    const tools = node("div", { className: "tools" });
    const add = (action, text, onClick, properties = {}) => {
      const button = makeButton(onClick, properties, text);
      button.dataset.action = action;
      tools.append(button);
    };
    if (one.status !== "placed") {
      const state = one.status === "lost" ? "text not found" : "moved, please check";
      tools.append(node("span", { className: "label open" }, state));
    }
    if (one.status === "moved") add("confirm", "Confirm", () => commands.confirm(one));
    if (one.status === "lost") add("place", "Place at the selection", () => commands.placeAgain(one));
    add("delete", "Delete", () => commands.remove(one), { ariaLabel: `Delete: ${words}` });
    if (!isActive && one.status === "placed") tools.classList.add("quiet");
    return tools;
  }

  showState(judgement, canReturn) {
    const { highlights, finished, skipped, can_undo: canUndo, can_redo: canRedo } = judgement;
    const { element } = this;
    const isNothing = finished && !highlights.length;
    const state = element("document-state");
    if (skipped) state.textContent = "Skipped";
    else if (isNothing) state.textContent = "Finished: nothing relevant";
    else state.textContent = finished ? "Finished" : "Not finished";
    state.className = `label ${finished ? "done" : "open"}`;
    element("nothing").disabled = highlights.length > 0;
    element("nothing").ariaPressed = String(isNothing);
    element("reopen").hidden = !finished;
    element("undo").disabled = !canUndo && !canReturn;
    element("redo").disabled = !canRedo;
  }

  /** Show the facts of the topic, and which of them the active highlight states. */
  showNugget(active) {
    const stated = active?.nugget ?? "";
    const names = [...new Set(["", ...this.nuggets, stated])];
    const select = this.element("nugget");
    if (select.length !== names.length) // otherwise it is kept, because it can be open
      select.replaceChildren(...names.map((name) => node("option", { value: name }, name || "none")));
    Object.assign(select, { value: stated, disabled: active === null });
    select.parentElement.hidden = names.length < 2;
  }

  showGrades(buttons, active, hasSelection) {
    for (const button of buttons) {
      const isCurrent = !hasSelection && active !== null && active.grade === button.dataset.grade;
      button.ariaPressed = String(isCurrent);
    }
  }

  showSaving({ state, problem, queue, refused }) {
    const { element } = this;
    const states = { saved: "Saved", saving: "Saving…", problem: "Not saved" };
    element("save-state").textContent = states[state];
    element("save-state").className = `save-state ${state}`;
    element("problem").hidden = state !== "problem";
    if (problem) {
      const changes = queue.length === 1 ? "1 change waits" : `${queue.length} changes wait`;
      element("problem-text").textContent = `Not saved: ${problem}. ${changes}; do not close this page.`;
    }
    element("conflict").hidden = !refused.length;
    const changes = refused.map(({ description }) => node("li", {}, description));
    element("conflict-changes").replaceChildren(...changes);
    element("again").textContent = `Apply my change${refused.length === 1 ? "" : "s"} again`;
  }
}
