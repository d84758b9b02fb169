/* Positions in the text of a document.

   A position is a number of characters (Unicode code points) before a point, as in Python. JavaScript and
   the DOM count UTF-16 units, in which characters above U+FFFF have two. */

/** The number of the first indexes, below a limit, for which a condition holds. */
function countWhile(limit, holds) {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first number in a sorted array that is not less than a value. */
export const lowerBound = (numbers, value) =>
  countWhile(numbers.length, (index) => numbers[index] < value);

/** The text of an element, whose characters are counted as code points, and the DOM's points for it. */
export class Positions {
  constructor(element) {
    const text = element.textContent;
    Object.assign(this, { element, text });
    this.surrogates = []; // UTF-16 index of each character with two units
    this.wide = []; // position of each of them
    for (const match of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) {
      this.wide.push(match.index - this.surrogates.length);
      this.surrogates.push(match.index);
    }
    this.length = text.length - this.surrogates.length;
    this.nodes = [];
    this.starts = []; // UTF-16 index of each text node
    this.indexes = new Map();
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let length = 0;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!node.data.length) continue;
      this.indexes.set(node, this.nodes.length);
      this.nodes.push(node);
      this.starts.push(length);
      length += node.data.length;
    }
  }

  /** The UTF-16 index of a position. */
  unit(position) {
    return position + lowerBound(this.wide, position);
  }

  /** The position of a UTF-16 index; inside a character, the position of the character. */
  position(unit) {
    return unit - lowerBound(this.surrogates, unit);
  }

  slice(start, end) {
    return this.text.slice(this.unit(start), this.unit(end));
  }

  /** A span without the white space at its ends; null if it has nothing else. */
  trimmed(start, end) {
    const text = start < end ? this.slice(start, end) : "";
    if (!text.trim()) return null;
    const [first, last] = [text.trimStart().length, text.trimEnd().length]; // white space has one unit
    return { start: start + text.length - first, end: end - text.length + last };
  }

  /** The node and offset of a position: before the following text, or after the preceding text. */
  point(position, { after = false } = {}) {
    const unit = this.unit(position);
    let index = lowerBound(this.starts, unit + 1) - 1;
    if (after && index > 0 && this.starts[index] === unit) index -= 1;
    if (index < 0) return { node: this.element, offset: 0 };
    const node = this.nodes[index];
    return { node, offset: Math.min(unit - this.starts[index], node.data.length) };
  }

  range(start, end) {
    const range = document.createRange();
    const first = this.point(start);
    const last = this.point(end, { after: end > start });
    range.setStart(first.node, first.offset);
    range.setEnd(last.node, last.offset);
    return range;
  }

  /** The position of a point of the DOM; points outside the element have the nearest position. */
  positionOf(node, offset) {
    const index = this.indexes.get(node);
    if (index !== undefined) return this.position(this.starts[index] + offset);
    const point = document.createRange();
    point.setStart(node, offset);
    const before = countWhile(
      this.nodes.length,
      (middle) => point.comparePoint(this.nodes[middle], 0) < 0,
    );
    return before < this.nodes.length ? this.position(this.starts[before]) : this.length;
  }

  contains(node) {
    return node !== null && this.element.contains(node);
  }

  /** The position at a point of the window; null if there is no text. */
  at(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    const node = caret?.offsetNode ?? caret?.startContainer ?? null;
    return this.contains(node) ? this.positionOf(node, caret.offset ?? caret.startOffset) : null;
  }

  /** The rectangle of a position as a line without width, in the window; null without layout. */
  rectangle(position, { after = false } = {}) {
    const { node, offset } = this.point(position, { after });
    const range = document.createRange();
    range.setStart(node, offset);
    const [rectangle] = range.getClientRects();
    if (rectangle) return rectangle;
    const near = after
      ? this.range(Math.max(position - 1, 0), position)
      : this.range(position, Math.min(position + 1, this.length));
    const rectangles = near.getClientRects();
    if (!rectangles.length) return null;
    const { left, right, top, height } = rectangles[after ? rectangles.length - 1 : 0];
    return new DOMRect(after ? right : left, top, 0, height);
  }
  /** Where a span is in the window: its height, and the rectangles of its ends; null without layout. */
  extent(start, end) {
    const [first, last] = [this.rectangle(start), this.rectangle(end, { after: true })];
    return first && last && { first, last, height: Math.max(last.bottom - first.top, first.height) };
  }
}
