/* Draw highlights, the selection and the cursor over the text, without changes to its DOM. */

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
    this.cursor = make("cursor");
    this.handles = ["start", "end"].map((edge) =>
      make(`handle ${edge}`, `Drag the ${edge} of the highlight`),
    );
    overlay.append(this.cursor, ...this.handles);
    new ResizeObserver(() => this.place()).observe(frame);
    frame.addEventListener("scroll", () => this.place(), { capture: true, passive: true });
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

  /** Put the cursor and the handles at their positions. */
  place() {
    const { active, position, dragged, showCursor } = this.view;
    const frame = this.frame.getBoundingClientRect();
    const put = (element, at, options) => {
      const rectangle = at === null ? null : this.positions.rectangle(at, options);
      element.hidden = !rectangle;
      if (!rectangle) return;
      element.style.top = `${rectangle.top - frame.top}px`;
      element.style.height = `${rectangle.height}px`;
      element.style.left = `${rectangle.left - frame.left}px`;
    };
    put(this.cursor, showCursor ? position : null);
    const shown = dragged ?? active;
    put(this.handles[0], shown?.start ?? null);
    put(this.handles[1], shown?.end ?? null, { after: true });
  }
}

/** The highlights and the results of runs beside the scroll bar, at their height in the document. */
export class DocumentMap {
  constructor({ element, frame, positions, grades, results, commands }) {
    Object.assign(this, { map: element("map"), frame, positions, grades, results, highlights: [] });
    this.onChoose = commands.showAt;
    new ResizeObserver(() => this.place()).observe(frame);
  }

  draw(judgement) {
    if (this.highlights === judgement.highlights) return;
    this.highlights = judgement.highlights;
    this.place();
  }

  place() {
    const { height, top } = this.frame.getBoundingClientRect();
    const mark = (start, end, name, colour) => {
      const extent = this.positions.extent(start, end);
      if (!extent) return [];
      const element = node("div", { className: name, onclick: () => this.onChoose([start, end]) });
      element.style.top = `${(100 * (extent.first.top - top)) / height}%`;
      element.style.height = `${(100 * extent.height) / height}%`;
      if (colour) element.style.background = `var(--line-${colour})`;
      return [element];
    };
    this.map.replaceChildren(
      ...this.results.flatMap(([start, end]) => mark(start, end, "map-result")),
      ...placed({ highlights: this.highlights }).flatMap(({ start, end, grade }) =>
        mark(start, end, "map-highlight", styleOf(this.grades, grade).replace("grade-", "")),
      ),
    );
  }
}
