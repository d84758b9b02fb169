/* Paragraphs, sentences and words of a document, for moves with the keyboard. */

import { lowerBound } from "./positions.js";

const LINE_BREAK = /(?<!\n[^\S\n]*)\r?\n(?![^\S\n]*\n)/g; // without blank lines
const NUMBER = /^(\d+)\.(?=\s)/; // of an item, which is no sentence
const LANGUAGE = document.documentElement.lang || "en";

/** The units of the text: spans {start, end} in positions, without white space at their ends. */
export class Units {
  constructor(positions) {
    this.positions = positions;
    this.segmenters = {
      word: new Intl.Segmenter(LANGUAGE, { granularity: "word" }),
      sentence: new Intl.Segmenter(LANGUAGE, { granularity: "sentence" }),
    };
    this.paragraphs = this.findParagraphs();
    this.starts = this.paragraphs.map((paragraph) => paragraph.start);
  }

  /** Runs of text in one block; only code keeps its lines. */
  findParagraphs() {
    const { positions } = this;
    const paragraphs = [];
    const blocks = new Map();
    let block = null;
    let start = 0;
    const close = (end) => {
      const span = block && positions.trimmed(positions.position(start), positions.position(end));
      if (span) paragraphs.push({ ...span, flows: !block.classList.contains("code") });
    };
    positions.nodes.forEach((node, index) => {
      const parent = node.parentElement;
      if (!blocks.has(parent)) blocks.set(parent, parent.closest("div, article"));
      if (blocks.get(parent) !== block) {
        close(positions.starts[index]);
        block = blocks.get(parent);
        start = positions.starts[index];
      }
    });
    close(positions.text.length);
    return paragraphs;
  }

  /** The index of the last paragraph that starts at or before a position; 0 before the first. */
  paragraphIndex(position) {
    return Math.max(lowerBound(this.starts, position + 1) - 1, 0);
  }

  /** The words or sentences of a paragraph. */
  parts(kind, index) {
    const { start, end, flows } = this.paragraphs[index];
    const { positions } = this;
    const first = positions.unit(start);
    const parts = [];
    const lines = positions.slice(start, end);
    const line = flows ? lines.replace(LINE_BREAK, (found) => " ".repeat(found.length)) : lines;
    const text = kind === "sentence" ? line.replace(NUMBER, "$1 ") : line;
    for (const segment of this.segmenters[kind].segment(text)) {
      if (kind === "word" && !segment.isWordLike) continue;
      const from = first + segment.index;
      const until = positions.position(from + segment.segment.length);
      const span = positions.trimmed(positions.position(from), until);
      if (span) parts.push(span);
    }
    return parts.length ? parts : [{ start, end }];
  }

  /** The unit at a position: the one around it, otherwise the next one of its paragraph, or the last. */
  at(kind, position) {
    if (!this.paragraphs.length) return { start: 0, end: 0 };
    const index = this.paragraphIndex(position);
    if (kind === "paragraph") return this.paragraphs[index];
    const parts = this.parts(kind, index);
    return parts.find((part) => position < part.end) ?? parts.at(-1);
  }

  /** The position after a move by one unit: the start of a unit.

     A move that extends a selection forward goes to the ends of units, so that it selects whole units. */
  move(kind, position, direction, { toEnds = false } = {}) {
    if (!this.paragraphs.length) return 0;
    const edge = toEnds && direction > 0 ? "end" : "start";
    let index = this.paragraphIndex(position);
    for (; index >= 0 && index < this.paragraphs.length; index += direction) {
      const parts = kind === "paragraph" ? [this.paragraphs[index]] : this.parts(kind, index);
      const found =
        direction > 0
          ? parts.find((part) => part[edge] > position)
          : parts.findLast((part) => part[edge] < position);
      if (found) return found[edge];
    }
    return direction > 0 ? this.positions.length : this.paragraphs[0].start;
  }
}
