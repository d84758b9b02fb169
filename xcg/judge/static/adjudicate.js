/* The pages of disagreements: decide them, and mark them in their document. */

import { Positions } from "./judge/positions.js";
import { post } from "./judge/saving.js";

const element = (id) => document.getElementById(id);

/** The rows and labels that a button decides. */
function decisionsOf(button) {
  const { label, assessor } = button.dataset;
  if (label) return [[button.closest("tr"), JSON.parse(label)]];
  const rows = [...button.closest("table").querySelectorAll("[data-undecided]")];
  return rows.map((row) => [row, JSON.parse(row.dataset.labels)[assessor]]);
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-label], [data-assessor]");
  if (!button || !element("author").reportValidity()) return;
  for (const [row, label] of decisionsOf(button)) {
    const record = { disagreement: row.dataset.key, label, author: element("author").value };
    const { ok, answer } = await post(row.closest("[data-url]").dataset.url, record);
    element("problem").textContent = `Not saved: ${answer.error}.`;
    element("problem").hidden = ok;
    if (!ok) return element("problem").scrollIntoView({ block: "center" });
  }
  history.replaceState(null, "", location.pathname); // so that the page stays where it is
  location.reload();
});

/** Mark the disagreements of a document, and show the one that the URL names. */
function mark(article) {
  const positions = new Positions(article);
  const spans = [...document.querySelectorAll("[data-span]")].map((row) => row.dataset.span);
  const ranges = spans.map((span) => positions.range(...span.split("-").map(Number)));
  CSS.highlights.set("ungraded", new Highlight(...ranges));
  const named = ranges[spans.indexOf(location.hash.slice(1))];
  CSS.highlights.set("selected", new Highlight(...(named ? [named] : [])));
  named?.startContainer.parentElement.scrollIntoView({ block: "center" });
}

if (element("article")) {
  mark(element("article"));
  window.addEventListener("hashchange", () => mark(element("article")));
}
document.documentElement.dataset.ready = "true";
