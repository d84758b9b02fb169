/* The headings of the document in the panel. */

import { shortened } from "./judgement.js";
import { makeButton, node } from "./nodes.js";

const LONGEST = 80; // characters

/** List the headings, and return their spans. */
export function showOutline({ article, element, positions, onChoose }) {
  const headings = [...article.querySelectorAll("[role=heading]")];
  const spans = headings.map((heading) => {
    const start = positions.positionOf(heading, 0);
    return [start, start + [...heading.textContent].length];
  });
  element("outline-section").hidden = !headings.length;
  element("outline-count").textContent = headings.length;
  element("outline-list").append(
    ...headings.map((heading, index) => {
      const words = shortened(heading.textContent, LONGEST) || "…";
      const className = `jump outline-${heading.ariaLevel}`;
      const button = makeButton(() => onChoose(spans[index]), { className, dir: "auto" }, words);
      return node("li", {}, button);
    }),
  );
  return spans;
}
