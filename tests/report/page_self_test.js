// Appended to a report by the tests: uses every control of the page, and writes what fails.

function check(condition, problem) {
  if (!condition) throw new Error(problem);
}

function checkSorting() {
  const table = byId("tables").querySelector("table");
  const header = table.querySelectorAll("thead th")[1];
  const click = () => header.querySelector("button").click();
  const isSorted = (direction) => {
    const values = [...table.querySelectorAll("tbody tr")]
      .map((row) => parseFloat(row.children[1].textContent)).filter((value) => !Number.isNaN(value));
    const sign = direction === "ascending" ? 1 : -1;
    return header.getAttribute("aria-sort") === direction &&
      values.every((value, index) => index === 0 || sign * (value - values[index - 1]) >= 0);
  };
  const [first, second] = data.lower_is_better[0] ? ["ascending", "descending"] : ["descending", "ascending"];
  check(isSorted(first), "the best run is not first");
  click();
  check(isSorted(second), "the first click does not reverse the table");
  click();
  check(isSorted(first), "the second click does not restore the order");
}

function checkCurves() {
  for (const box of byId("charts").querySelectorAll(".chart")) {
    const countLines = () => box.querySelectorAll("g[data-run]").length;
    const lines = countLines();
    const input = byId("curve-runs").querySelector("input:checked");
    check(lines > 0, "there are no curves");
    input.click();
    check(countLines() === lines - 1, "the curve of a deselected run remains");
    input.click();
    check(countLines() === lines, "a selected run has no curve");
  }
}

function checkRanks() {
  if (data.models.length < 2 || data.runs.length < 2) return;
  const lines = byId("rank-chart").querySelectorAll("g[data-rank-run]").length;
  check(lines === data.runs.length - data.references.length, "a run has no line of ranks");
  const best = runsByMean(0, 0).find((run) => !isReference(run));
  check(ranksOfRuns(0, 0)[best] === 1, "the best run does not have rank 1");
}

function checkP() {
  const values = [0.00001, 0.25, 0.99996, 1].map((p) => formatP(p)).join(" ");
  check(values === "<0.0001 0.2500 >0.9999 1", `p values are printed as ${values}`);
}

function checkBands() {
  const box = byId("charts").querySelector(".chart");
  const shown = () => [...box.querySelectorAll(".band")].filter((band) => getComputedStyle(band).opacity > 0);
  const inputs = [...byId("curve-runs").querySelectorAll("input:checked")];
  for (const input of inputs.slice(1)) input.click();
  const run = box.querySelector("g[data-run]");
  check(!run || shown().length === box.querySelectorAll(".band").length, "one run has no interval");
  for (const input of inputs.slice(1)) input.click();
  check(inputs.length <= 3 || shown().length === 0, "many runs have intervals");
}

function checkStrategies() {
  if (!data.strategies || data.strategies.missing) return;
  check(!byId("strategies").parentElement.hidden, "the section on strategies is hidden");
  const lines = byId("strategy-chart").querySelectorAll("g[data-strategy]").length;
  check(lines === data.strategies.names.length, "a strategy has no line");
}

function checkSelects() {
  const controls = ["#comparison-controls", "#curve-controls", "#strategy-controls", "#topic-controls", "#explained"];
  for (const select of document.querySelectorAll(controls.map((id) => `${id} select`).join(", "))) {
    const first = select.value;
    const values = [...select.options].map((option) => option.value);
    for (const value of [...values, first]) {
      select.value = value;
      select.dispatchEvent(new Event("change"));
    }
  }
  const rows = byId("topic-table").querySelectorAll("tbody tr");
  check(rows.length >= data.runs.length || !data.topics.length, "the table of topics is missing");
}

function checkExplanations() {
  if (!explanationIsShown() || !shown.documentResults.length) return;
  const countSeen = () => nodesOfPage.tree.querySelectorAll(".fully").length;
  const moveSlider = (rank) => {
    nodesOfPage.slider.value = rank;
    nodesOfPage.slider.dispatchEvent(new Event("input"));
  };
  const [first] = shown.documentResults;
  moveSlider(0);
  check(countSeen() === 0, "an element is seen before the first rank");
  moveSlider(first.rank);
  check(countSeen() > 0, "nothing is seen after a result");
  check(nodesOfPage.status.textContent.includes(printable(first.why)), "the explanation of a result is missing");
  moveSlider(shown.ranking.shown);
}

function checkPrinting() {
  window.dispatchEvent(new Event("beforeprint"));
  check(!document.querySelector("details:not([open])"), "a part is closed in print");
  window.dispatchEvent(new Event("afterprint"));
}

const verdict = document.createElement("output");
verdict.id = "selftest";
try {
  checkSorting();
  checkCurves();
  checkRanks();
  checkP();
  checkBands();
  checkStrategies();
  checkSelects();
  checkExplanations();
  checkPrinting();
  verdict.textContent = "selftest ok";
} catch (error) {
  verdict.textContent = `selftest failed: ${error.message}`;
}
document.body.append(verdict);
