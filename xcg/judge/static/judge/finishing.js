/* Finish the document: not before its end was shown without asking, and with a way back from the next one. */

import { readableArea } from "./nodes.js";

const STORED = "xcg-judge-finished"; // the document that was finished last in this window

export class Finishing {
  constructor({ data, element, frame, saving, tell }) {
    Object.assign(this, { data, dialog: element("ask"), frame, saving, tell, hasSeenEnd: false });
    window.addEventListener("scroll", () => this.look(), { passive: true });
    this.look();
    this.last = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
    const { isReturning, next, path, state } = this.last;
    if (next === location.pathname)
      tell(`Finished: ${state}. Undo goes back and reopens the document.`);
    if (isReturning && path === location.pathname) void this.reopen();
  }

  look() {
    this.hasSeenEnd ||= this.frame.getBoundingClientRect().bottom <= readableArea().bottom + 1;
  }

  /** Ask if the document would become "nothing relevant" before its end was shown. */
  async isMeant() {
    const { dialog, saving } = this;
    const { highlights, finished } = saving.judgement;
    this.look();
    if (finished || highlights.length || saving.hasUnsaved || this.hasSeenEnd) return true;
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    return dialog.returnValue === "yes";
  }

  async finishAndContinue() {
    const { data, saving, tell } = this;
    if (!(await this.isMeant())) return;
    const wasFinished = saving.judgement.finished;
    if (!wasFinished) void saving.change("finish", { finished: true });
    if (!(await saving.settled())) return tell("This document is not saved yet.");
    const { finished, highlights, version } = saving.judgement;
    if (!finished) return;
    const next = data.next_unfinished ?? data.pool_url;
    const state = highlights.length ? `highlights: ${highlights.length}` : "nothing relevant";
    if (!wasFinished) this.store({ path: location.pathname, next, version, state });
    location.assign(next);
  }

  /** Whether undo goes back: nothing has been changed since the last document was finished. */
  get canReturn() {
    const { data, last, saving } = this;
    const isUnchanged = !saving.hasUnsaved && saving.judgement.version === data.judgement.version;
    return isUnchanged && last.next === location.pathname;
  }

  goBack() {
    this.store({ ...this.last, next: "", isReturning: true });
    location.assign(this.last.path);
  }

  async reopen() {
    const { last, saving, tell } = this;
    sessionStorage.removeItem(STORED);
    if (saving.judgement.version !== last.version)
      tell("The document has been changed since; nothing is undone.");
    else if (await saving.change("undo")) tell("The document is not finished now.");
  }

  store(last) {
    sessionStorage.setItem(STORED, JSON.stringify(last));
  }
}
