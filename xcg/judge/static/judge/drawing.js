/* Draw highlights, the selection and the marks in the margin over the text, without changes to its DOM. */

import { placed } from "./judgement.js";
import { node, readableArea } from "./nodes.js";

export const STYLES = 8;

/** Return the name of the style of a grade; the style sheet has STYLES of them, and one without a grade. */
export function styleOf(grades, grade) {
  const index = grades.findIndex(({ value }) => value === grade);
  return index < 0 ? "ungraded" : `grade-${index % STYLES}`;
}

const LANE = 7; // width of a mark in the margin and the gap after it, in pixels
const LANES = 3;

/** Distribute spans to lanes, so that spans of one lane do not overlap if the lanes suffice. */
function lanesOf(spans) {
  const ends = [];
  return spans.map(([start, end]) => {
    let lane = ends.findIndex((last) => last <= start);
    if (lane < 0) lane = ends.length;
    ends[lane] = end;
    return Math.min(lane, LANES - 1);
  });
}

export class Drawing {
  constructor({ frame, overlay, positions, grades, results }) {
    Object.assign(this, { frame, overlay, positions, grades, results });
    const styles = Array.from({ length: STYLES }, (_, index) => `grade-${index}`);
    for (const name of ["ungraded", ...styles, "active", "selected"]) {
      const highlight = new Highlight();
      highlight.priority = { active: 1, selected: 2 }[name] ?? 0;
      CSS.highlights.set(name, highlight);
    }
    const make = (className, title = "") => node("div", { className, title });
    this.marks = lanesOf(results).map((lane, index) =>
      make(`result lane-${lane}`, `Result ${index + 1} of ${results.length} in the pool`),
    );
    this.flag = make("entry-flag", "Best entry point");
    [this.entry, this.cursor] = [make("entry-line"), make("cursor")];
    this.handles = ["start", "end"].map((edge) =>
      make(`handle ${edge}`, `Drag the ${edge} of the highlight`),
    );
    overlay.append(...this.marks, this.flag, this.entry, this.cursor, ...this.handles);
    new ResizeObserver(() => this.placeAll()).observe(frame);
    frame.addEventListener("scroll", () => this.placeAll(), { capture: true, passive: true });
    document.fonts?.ready.then(() => this.placeAll());
  }

  /** Draw a view: {judgement, active, selection, position, dragged, showCursor}. */
  draw(view) {
    this.view = view;
    const { judgement, active, selection, dragged } = view;
    for (const [name, highlight] of CSS.highlights) if (name !== "topic-words") highlight.clear();
    const show = (name, start, end) =>
      CSS.highlights.get(name).add(this.positions.range(start, end));
    for (const one of placed(judgement)) {
      const { start, end } = dragged?.id === one.id ? dragged : one;
      show(styleOf(this.grades, one.grade), start, end);
      if (one.id === active?.id) show("active", start, end);
    }
    if (selection) show("selected", selection.start, selection.end);
    this.place();
  }

  /** Put all marks at their positions; needed after each change of the layout. */
  placeAll() {
    const frame = this.frame.getBoundingClientRect();
    this.results.forEach(([start, end], index) => {
      const extent = this.positions.extent(start, end);
      const { style } = this.marks[index];
      this.marks[index].hidden = !extent;
      if (!extent) return;
      style.top = `${extent.first.top - frame.top}px`;
      style.height = `${extent.height}px`;
    });
    this.place();
  }

  /** Put the cursor, the best entry point and the handles at their positions. */
  place() {
    const { judgement, active, position, dragged, showCursor } = this.view;
    const frame = this.frame.getBoundingClientRect();
    const put = (element, at, options) => {
      const rectangle = at === null ? null : this.positions.rectangle(at, options);
      element.hidden = !rectangle;
      if (!rectangle) return;
      element.style.top = `${rectangle.top - frame.top}px`;
      element.style.height = `${rectangle.height}px`;
      if (element !== this.flag) element.style.left = `${rectangle.left - frame.left}px`;
    };
    put(this.flag, judgement.entry_point);
    put(this.entry, judgement.entry_point);
    put(this.cursor, showCursor ? position : null);
    const shown = dragged ?? active;
    put(this.handles[0], shown?.start ?? null);
    put(this.handles[1], shown?.end ?? null, { after: true });
  }
}

const GAP = 10; // between the toolbar and the text, in pixels
const BELOW = 26; // leaves room for the handles

/** Show the toolbar above the selection, or below it if there is no room. */
export function placeToolbar({ element, frame, positions, selection }) {
  const toolbar = element("toolbar");
  const { span } = selection;
  const shown = span ?? selection.placedActive;
  toolbar.hidden = !shown || selection.usesKeyboard || Boolean(selection.dragged);
  if (toolbar.hidden) return;
  element("toolbar-split").hidden = Boolean(span);
  element("toolbar-erase").textContent = span ? "Remove" : "Delete";
  const extent = positions.extent(shown.start, shown.end);
  if (!extent) return;
  const { first, last } = extent;
  const { offsetHeight: height, offsetWidth: width } = toolbar;
  const area = frame.getBoundingClientRect();
  const above = first.top - height - GAP;
  const readable = readableArea();
  const isAbove = above > readable.top;
  const below = Math.min(last.bottom + BELOW, readable.bottom - height - GAP);
  const top = isAbove ? above : below;
  const wanted = (isAbove ? first.left : last.left) - area.left - width / 3;
  const left = Math.min(Math.max(wanted, 0), Math.max(area.width - width, 0));
  Object.assign(toolbar.style, { top: `${top - area.top}px`, left: `${left}px` });
}
