/* Whether the end of the document was on the screen. */

import { readableArea } from "./nodes.js";

export class Reading {
  constructor(frame) {
    this.frame = frame;
    this.hasSeenEnd = false;
    window.addEventListener("scroll", () => this.look(), { passive: true });
    this.look();
  }

  look() {
    this.hasSeenEnd ||= this.frame.getBoundingClientRect().bottom <= readableArea().bottom + 1;
    return this.hasSeenEnd;
  }
}
