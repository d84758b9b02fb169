/* The note of a judgement, doubts, skipped documents, and the time that the assessor takes. */

const IDLE = 60_000; // milliseconds without key or pointer after which time does not count
const PAUSE = 1_000; // milliseconds of typing after which a note is saved
const LONGEST = 1_000_000; // seconds that the server accepts

/** Counts the seconds on a document that the server does not know yet; they outlive the page. */
export class Clock {
  constructor({ data }) {
    this.name = `xcg-judge-seconds ${data.api}`;
    this.last = Date.now();
    if (!data.records_time) return;
    for (const type of ["keydown", "pointerdown", "pointermove", "scroll"]) {
      const options = { capture: true, passive: true };
      window.addEventListener(type, () => (this.last = Date.now()), options);
    }
    setInterval(() => {
      const isWorking = document.visibilityState === "visible" && Date.now() - this.last < IDLE;
      if (isWorking) this.add(1);
    }, 1_000);
  }

  get seconds() {
    return Math.min(Number.parseInt(localStorage.getItem(this.name) ?? "0", 10) || 0, LONGEST);
  }

  add(seconds) {
    localStorage.setItem(this.name, Math.max(this.seconds + seconds, 0));
  }
}

/** Connect the controls, and return their commands. */
export function createRemarks({ announce, article, data, element, saving }) {
  const note = element("note");
  let timer = 0;
  const save = () => {
    clearTimeout(timer);
    if (note.value !== saving.judgement.note) void saving.change("note", { note: note.value });
  };
  note.addEventListener("change", save);
  note.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, PAUSE);
  });
  note.addEventListener("keydown", ({ key }) => key === "Escape" && article.focus());

  function show() {
    const { judgement } = saving;
    if (document.activeElement !== note) note.value = judgement.note;
    element("unsure").ariaPressed = String(judgement.unsure);
    element("skip").ariaPressed = String(judgement.skipped);
  }

  async function toggleUnsure() {
    const unsure = !saving.judgement.unsure;
    if (await saving.change("unsure", { unsure })) announce(unsure ? "Unsure" : "Sure");
  }

  async function skip() {
    const skipped = !saving.judgement.skipped;
    if ((await saving.change("skip", { skipped })) && skipped)
      location.assign(data.next_unfinished ?? data.pool_url);
  }

  saving.addEventListener("change", show);
  show();
  return { skip, toggleUnsure, writeNote: () => note.focus() };
}
