/* The highlights and the results of runs beside the scroll bar, at their height in the document. */

import { styleOf } from "./drawing.js";
import { placed } from "./judgement.js";
import { node } from "./nodes.js";

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
