/* Positions in the text of a document.

   A position is a number of characters (Unicode code points) before a point, as in Python. JavaScript and
   the DOM count UTF-16 units, in which characters above U+FFFF have two. */

/** The index of the first number in a sorted array that is not less than a value. */
export function lowerBound(numbers, value) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A text whose characters are counted as code points. */
export class Text {
  constructor(text) {
    this.text = text;
    this.surrogates = []; // UTF-16 index of each character with two units
    this.wide = []; // position of each of them
    for (const match of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) {
      this.wide.push(match.index - this.surrogates.length);
      this.surrogates.push(match.index);
    }
    this.length = text.length - this.surrogates.length;
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
}

/** The text of an element, and the points of the DOM for its positions. */
export class Positions extends Text {
  constructor(element) {
    super(element.textContent);
    this.element = element;
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

  /** The node and offset of a position: before the following text, or after the preceding text. */
  point(position, { after = false } = {}) {
    const unit = this.unit(position);
    let index = lowerBound(this.starts, unit + 1) - 1;
    if (after && index > 0 && this.starts[index] === unit) index -= 1;
    if (index < 0) return { node: this.element, offset: 0 };
    return {
      node: this.nodes[index],
      offset: Math.min(unit - this.starts[index], this.nodes[index].data.length),
    };
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
    // The first text node that begins at or after the point.
    let low = 0;
    let high = this.nodes.length;
    const point = document.createRange();
    point.setStart(node, offset);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (point.comparePoint(this.nodes[middle], 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low < this.nodes.length ? this.position(this.starts[low]) : this.length;
  }

  contains(node) {
    return node !== null && this.element.contains(node);
  }

  /** The position at a point of the window; null if there is no text. */
  at(x, y) {
    let node = null;
    let offset = 0;
    if (document.caretPositionFromPoint) {
      const caret = document.caretPositionFromPoint(x, y);
      if (caret) ({ offsetNode: node, offset } = caret);
    } else {
      const range = document.caretRangeFromPoint(x, y);
      if (range) [node, offset] = [range.startContainer, range.startOffset];
    }
    return this.contains(node) ? this.positionOf(node, offset) : null;
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
}
