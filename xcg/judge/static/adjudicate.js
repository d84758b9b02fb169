/* The pages of disagreements: decide them, and mark them in their document. */

import { Positions } from "./judge/positions.js";

const element = (id) => document.getElementById(id);

/** Save a decision; return what is wrong, if anything is. */
async function decide(row, label) {
  const { key } = row.dataset;
  const record = { disagreement: key, label, author: element("author").value };
  try {
    const response = await fetch(row.closest("[data-url]").dataset.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(record),
    });
    return response.ok ? "" : (await response.json()).error;
  } catch {
    return "the server does not answer";
  }
}

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
    const problem = await decide(row, label);
    element("problem").textContent = `Not saved: ${problem}.`;
    element("problem").hidden = !problem;
    if (problem) return element("problem").scrollIntoView({ block: "center" });
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
