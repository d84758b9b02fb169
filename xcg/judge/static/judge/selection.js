/* The selected text, the cursor of the keyboard, and the active highlight. */

import { placed } from "./judgement.js";
import { readableArea } from "./nodes.js";

/** Fires "change" when the selection changes. */
export class Selection extends EventTarget {
  constructor({ article, positions, saving, units }) {
    super();
    Object.assign(this, { article, positions, saving });
    this.position = units.paragraphs[0]?.start ?? 0; // the cursor
    this.anchor = null; // the other end of the selection
    this.activeId = null;
    this.dragged = null; // {id, start, end}: the span of a highlight during a drag
    this.usesKeyboard = false;
    document.addEventListener("selectionchange", () => this.read());
    // Browsers report a change of the selection later than the key or click that follows it.
    for (const type of ["keydown", "click"]) document.addEventListener(type, () => this.read(), true);
    article.addEventListener("dragstart", (event) => event.preventDefault());
    article.addEventListener("pointerdown", () => (this.usesKeyboard = false));
  }

  notify() {
    this.dispatchEvent(new Event("change"));
  }

  /** The selected span without white space at its ends; null without selected text. */
  get span() {
    if (this.anchor === null || this.anchor === this.position) return null;
    const [start, end] = [this.anchor, this.position].sort((one, other) => one - other);
    return this.positions.trimmed(start, end);
  }

  get active() {
    return this.saving.judgement.highlights.find((one) => one.id === this.activeId) ?? null;
  }

  /** The active highlight if it has a position, otherwise null. */
  get placedActive() {
    const { active } = this;
    return active?.status === "lost" ? null : active;
  }

  /** Take over the selection of the browser; a selection elsewhere on the page changes nothing. */
  read() {
    const selection = document.getSelection();
    if (!selection.rangeCount) return;
    const { anchorNode, focusNode } = selection;
    // A drag or a triple click can end after the text.
    if (!this.positions.contains(anchorNode) && !this.positions.contains(focusNode)) return;
    const anchor = this.positions.positionOf(anchorNode, selection.anchorOffset);
    const position = this.positions.positionOf(focusNode, selection.focusOffset);
    if (position === this.position && anchor === (this.anchor ?? position)) return;
    this.anchor = anchor === position ? null : anchor;
    this.position = position;
    this.activate();
    this.notify();
  }

  /** Show the selection as the selection of the browser too, so that it can be copied. */
  write() {
    const [from, to] = [this.anchor ?? this.position, this.position];
    const first = this.positions.point(from, { after: from > to });
    const last = this.positions.point(to, { after: to > from });
    document.getSelection().setBaseAndExtent(first.node, first.offset, last.node, last.offset);
  }

  /** Make the highlight at the cursor the active one. */
  activate() {
    const highlights = placed(this.saving.judgement);
    const { position } = this;
    const found =
      highlights.find((one) => one.start <= position && position < one.end) ??
      highlights.find((one) => position === one.end);
    this.activeId = found?.id ?? null;
  }

  moveTo(position, { extend = false, scroll = true } = {}) {
    if (extend) this.anchor ??= this.position;
    else this.anchor = null;
    this.position = Math.min(Math.max(position, 0), this.positions.length);
    if (this.anchor === this.position) this.anchor = null;
    this.write();
    this.activate();
    this.notify();
    if (scroll) this.scroll();
  }

  select(start, end) {
    this.anchor = start;
    this.moveTo(end, { extend: true });
  }

  clear(position = this.position) {
    this.moveTo(position, { scroll: false });
  }

  /** Make a highlight active, and show it. */
  activateHighlight(one) {
    if (one.status === "lost") {
      this.activeId = one.id;
      return this.notify();
    }
    return this.moveTo(one.start);
  }

  /** Scroll so that the cursor is visible between the bars. */
  scroll() {
    const rectangle = this.positions.rectangle(this.position);
    if (!rectangle) return;
    const area = readableArea();
    const [top, bottom] = [area.top + 12, area.bottom - 24];
    if (rectangle.top >= top && rectangle.bottom <= bottom) return;
    const distance =
      rectangle.top < top
        ? rectangle.top - top - (bottom - top) / 5
        : rectangle.bottom - bottom + (bottom - top) / 3;
    window.scrollBy({ top: distance, behavior: "instant" });
  }
}

/** Let the mouse move the ends of the active highlight. */
export function dragHandles({ commands, drawing, positions, selection }) {
  for (const handle of drawing.handles) {
    handle.addEventListener("pointerdown", (event) => {
      const { active } = selection;
      if (!active || event.button !== 0) return;
      event.preventDefault();
      drawing.overlay.classList.add("dragging");
      const move = ({ clientX, clientY }) => {
        const at = positions.at(clientX, clientY);
        if (at === null) return;
        const isStart = handle === drawing.handles[0];
        const span = isStart
          ? positions.trimmed(Math.min(at, active.end - 1), active.end)
          : positions.trimmed(active.start, Math.max(at, active.start + 1));
        if (!span) return;
        selection.dragged = { id: active.id, ...span };
        selection.notify();
      };
      const listening = new AbortController();
      const stop = ({ type }) => {
        listening.abort();
        drawing.overlay.classList.remove("dragging");
        const { dragged } = selection;
        selection.dragged = null;
        if (type === "pointerup" && dragged) commands.resize(dragged);
        selection.notify();
      };
      for (const [type, listener] of Object.entries({ pointermove: move, pointerup: stop, pointercancel: stop }))
        document.addEventListener(type, listener, { signal: listening.signal });
    });
  }
}
