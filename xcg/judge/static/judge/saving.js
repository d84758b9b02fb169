/* Save changes on the server, one after the other.

   A change is shown at once and waits in a queue until the server has saved it. The server refuses a change
   of an old version (status 409). Then its version is shown, and the own changes are offered again. */

import { describe, edit, isSame, needsHistory } from "./editing.js";

const TIMEOUT = 20_000;
const RETRY_AFTER = [2_000, 5_000, 15_000];

/** Fires "change" after each change of its state. */
export class Saving extends EventTarget {
  constructor({ api, judgement, text }) {
    super();
    this.api = api;
    this.text = text;
    this.confirmed = judgement; // the state on the server
    this.judgement = judgement; // with the changes that wait
    this.queue = [];
    this.refused = []; // changes of an old version
    this.problem = null; // {message, isRejected}
    this.isSending = false;
    this.failures = 0;
    this.timer = 0;
  }

  get state() {
    if (this.problem) return "problem";
    return this.queue.length ? "saving" : "saved";
  }

  get hasUnsaved() {
    return this.queue.length > 0 || this.refused.length > 0;
  }

  notify() {
    this.dispatchEvent(new Event("change"));
  }

  /** Apply a change; an error means that it is not possible. */
  change(operation, values = {}) {
    const change = {
      operation,
      values,
      description: describe(this.judgement, this.text, { operation, values }),
    };
    const judgement = edit(this.judgement, this.text, change);
    if (!needsHistory(operation) && isSame(judgement, this.judgement)) return;
    this.queue.push(change);
    this.predict();
    this.notify();
    void this.send();
  }

  undo() {
    // A rejected change is in no history. Any other may be on the server, even without an answer.
    if (this.problem?.isRejected && this.queue.length === 1) this.discard();
    else this.change("undo");
  }

  /** Compute the state with the changes that wait. */
  predict() {
    const earlier = [];
    this.judgement = this.confirmed;
    for (const change of this.queue) {
      if (change.operation === "undo" && earlier.length) {
        this.judgement = { ...earlier.pop(), can_redo: true };
        continue;
      }
      earlier.push(this.judgement);
      try {
        this.judgement = edit(this.judgement, this.text, change);
      } catch {
        // The server answers with its reason.
      }
    }
  }

  async send() {
    if (this.isSending || !this.queue.length || this.problem?.isRejected) return;
    clearTimeout(this.timer);
    this.isSending = true;
    this.notify();
    while (this.queue.length && (await this.sendFirst()));
    this.isSending = false;
    this.notify();
  }

  /** Send the first change of the queue; return whether to continue. */
  async sendFirst() {
    const [change] = this.queue;
    const { operation, values } = change;
    let response;
    let answer;
    try {
      response = await fetch(this.api, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ version: this.confirmed.version, operation, ...values }),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      answer = await response.json();
    } catch {
      change.isUncertain = true; // the server may have saved it
      this.fail("the server does not answer", false);
      return false;
    }
    if (response.ok) {
      this.accept(answer, 1);
      return true;
    }
    if (response.status === 409 && answer.judgement) {
      const wanted = change.isUncertain && !needsHistory(operation) && this.afterFirst();
      if (wanted && isSame(wanted, answer.judgement)) {
        this.accept(answer.judgement, 1);
        return true;
      }
      this.refused.push(...this.queue);
      this.accept(answer.judgement, this.queue.length);
      return false;
    }
    if (response.status === 400 && needsHistory(operation)) {
      this.accept(this.confirmed, 1); // there is nothing to undo or redo
      return true;
    }
    this.fail(answer.error ?? `status ${response.status}`, response.status === 400);
    return false;
  }

  afterFirst() {
    try {
      return edit(this.confirmed, this.text, this.queue[0]);
    } catch {
      return null;
    }
  }

  accept(judgement, sent) {
    this.confirmed = judgement;
    this.queue.splice(0, sent);
    this.problem = null;
    this.failures = 0;
    this.predict();
    this.notify();
  }

  fail(message, isRejected) {
    this.problem = { message, isRejected };
    if (isRejected) return;
    const delay = RETRY_AFTER[Math.min(this.failures, RETRY_AFTER.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.retry(), delay);
  }

  retry() {
    this.problem = null;
    void this.send();
  }

  /** Remove the first change, which the server rejects. */
  discard() {
    this.queue.shift();
    this.problem = null;
    this.predict();
    this.notify();
    void this.send();
  }

  /** Apply the refused changes to the newer state; return the messages of those that are impossible. */
  applyRefused() {
    const messages = [];
    for (const { operation, values, description } of this.refused.splice(0)) {
      try {
        this.change(operation, values);
      } catch (error) {
        messages.push(`Could not ${description}. ${error.message}`);
      }
    }
    this.notify();
    return messages;
  }

  discardRefused() {
    this.refused = [];
    this.notify();
  }

  /** Wait until all changes are saved; return whether they are. */
  async settled() {
    if (this.queue.length && (this.isSending || !this.problem)) {
      await new Promise((resolve) => {
        const check = () => {
          if (this.isSending) return;
          this.removeEventListener("change", check);
          resolve();
        };
        this.addEventListener("change", check);
        check();
      });
    }
    return !this.hasUnsaved && !this.problem;
  }

  /** Ask the server for its state; return whether it is newer. */
  async refresh() {
    if (this.queue.length || this.isSending) return false;
    try {
      const response = await fetch(this.api, { signal: AbortSignal.timeout(TIMEOUT) });
      if (!response.ok) return false;
      const judgement = await response.json();
      if (this.queue.length || judgement.version <= this.confirmed.version) return false;
      this.accept(judgement, 0);
      return true;
    } catch {
      return false;
    }
  }
}
