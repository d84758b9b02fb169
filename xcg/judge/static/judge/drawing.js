/* Draw highlights, the selection and the best entry point over the text, without changes to its DOM. */

import { placed } from "./judgement.js";
import { node } from "./nodes.js";

export const STYLES = 8;

/** Return the name of the style of a grade; the style sheet has STYLES of them, and one without a grade. */
export function styleOf(grades, grade) {
  const index = grades.findIndex(({ value }) => value === grade);
  return index < 0 ? "ungraded" : `grade-${index % STYLES}`;
}

export class Drawing {
  constructor({ frame, overlay, positions, grades }) {
    Object.assign(this, { frame, overlay, positions, grades });
    const styles = Array.from({ length: STYLES }, (_, index) => `grade-${index}`);
    for (const name of ["ungraded", ...styles, "active", "selected"]) {
      const highlight = new Highlight();
      highlight.priority = { active: 1, selected: 2 }[name] ?? 0;
      CSS.highlights.set(name, highlight);
    }
    const make = (className, title = "") => node("div", { className, title });
    this.flag = make("entry-flag", "Best entry point");
    [this.entry, this.cursor] = [make("entry-line"), make("cursor")];
    this.handles = ["start", "end"].map((edge) =>
      make(`handle ${edge}`, `Drag the ${edge} of the highlight`),
    );
    overlay.append(this.flag, this.entry, this.cursor, ...this.handles);
    new ResizeObserver(() => this.place()).observe(frame);
    frame.addEventListener("scroll", () => this.place(), { capture: true, passive: true });
    document.fonts?.ready.then(() => this.place());
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
