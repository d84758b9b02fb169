/* The document that was finished last in this window: undo in the next one goes back and reopens it. */

const STORED = "xcg-judge-finished";

export class LastFinished {
  constructor({ data, saving, tell }) {
    Object.assign(this, { data, saving });
    const last = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
    const { pathname } = location;
    this.last = last.next === pathname ? last : null;
    if (this.last) tell(`Finished: ${last.state}. Undo goes back and reopens the document.`);
    if (last.isReturning && last.path === pathname) this.reopen(last, tell);
  }

  /** Whether undo would go back: nothing has been changed since the document was finished. */
  get canReturn() {
    const { data, last, saving } = this;
    return last !== null && !saving.hasUnsaved && saving.judgement.version === data.judgement.version;
  }

  /** Remember that this document was finished, before the next page is opened. */
  remember(next) {
    const { highlights, version } = this.saving.judgement;
    const state = highlights.length ? `highlights: ${highlights.length}` : "nothing relevant";
    const path = location.pathname;
    sessionStorage.setItem(STORED, JSON.stringify({ path, next, version, state }));
  }

  goBack() {
    sessionStorage.setItem(STORED, JSON.stringify({ ...this.last, next: "", isReturning: true }));
    location.assign(this.last.path);
  }

  reopen({ version }, tell) {
    sessionStorage.removeItem(STORED);
    const { saving } = this;
    if (saving.judgement.version !== version) {
      tell("The document has been changed since; nothing is undone.");
      return;
    }
    void saving.change("undo").then((isSaved) => isSaved && tell("The document is not finished now."));
  }
}
