/* Save changes on the server, one after the other.

   A change waits in a queue until the server has saved it; the judgement is always that of the server. The
   server refuses a change of an old version (status 409). Then its version is shown, and the own changes are
   offered again. A change that was saved without an answer is sent again, which the server recognises. */

import { describe } from "./judgement.js";

const RETRY_AFTER = [2_000, 5_000, 15_000];
const TIMEOUT = 20_000;

/** Send a record as JSON; return whether it was accepted, the status and the answer. */
export async function post(url, record) {
  const headers = { "Content-Type": "application/json" };
  const [body, signal] = [JSON.stringify(record), AbortSignal.timeout(TIMEOUT)];
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return { ok: response.ok, status: response.status, answer: await response.json() };
  } catch {
    return { ok: false, status: 0, answer: { error: "the server does not answer" } };
  }
}

/** Fires "change" after each change of its state, and "rejected" with a message for an illegal change. */
export class Saving extends EventTarget {
  constructor({ data, positions, clock, words }) {
    super();
    Object.assign(this, { api: data.api, judgement: data.judgement, positions, clock, words });
    this.queue = [];
    this.refused = []; // changes of an old version
    this.problem = ""; // why the queue waits
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

  /** Make a change; return whether it was saved, at the end. */
  change(operation, values = {}) {
    const description = describe(this.judgement, this.positions, { operation, values });
    return new Promise((resolve) => {
      this.queue.push({ operation, values, description, resolve });
      void this.send();
    });
  }

  async send() {
    if (this.isSending || !this.queue.length) return;
    clearTimeout(this.timer);
    this.isSending = true;
    this.notify();
    while (this.queue.length && (await this.sendFirst()));
    this.isSending = false;
    this.notify();
  }

  /** Send the first change of the queue; return whether to continue. */
  async sendFirst() {
    const { operation, values, description } = this.queue[0];
    const { seconds } = this.clock;
    const { version } = this.judgement;
    const state = { version, operation, seconds, words_marked: this.words.wereMarked };
    const { ok, status, answer } = await post(this.api, { ...state, ...values });
    if (ok) {
      if (answer.version !== this.judgement.version) this.clock.add(-seconds);
      this.accept(answer, 1, true);
    } else if (status === 409 && answer.judgement) {
      this.refused.push(...this.queue);
      this.accept(answer.judgement, this.queue.length, false);
    } else if (status === 400) {
      this.accept(this.judgement, 1, false);
      const detail = `Could not ${description}: ${answer.error}.`;
      this.dispatchEvent(new CustomEvent("rejected", { detail }));
    } else {
      return this.fail(answer.error);
    }
    return true;
  }

  /** Take over the judgement of the server, and remove changes from the queue. */
  accept(judgement, count, isSaved) {
    this.judgement = judgement;
    for (const { resolve } of this.queue.splice(0, count)) resolve(isSaved);
    this.problem = "";
    this.failures = 0;
    this.notify();
  }

  fail(problem) {
    this.problem = problem;
    const delay = RETRY_AFTER[Math.min(this.failures, RETRY_AFTER.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.send(), delay);
    return false;
  }

  /** Apply the refused changes to the newer state. */
  applyRefused() {
    for (const { operation, values } of this.refused.splice(0)) void this.change(operation, values);
    this.notify();
  }

  discardRefused() {
    this.refused = [];
    this.notify();
  }

  /** Wait until the server has answered; return whether all changes are saved. */
  async settled() {
    while (this.isSending)
      await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
    return !this.hasUnsaved;
  }

  /** Ask the server for its state; return whether it is newer. */
  async refresh() {
    try {
      const response = await fetch(this.api, { signal: AbortSignal.timeout(TIMEOUT) });
      const judgement = await response.json();
      if (!response.ok || this.queue.length || judgement.version <= this.judgement.version) return false;
      this.accept(judgement, 0, false);
      return true;
    } catch {
      return false;
    }
  }
}
