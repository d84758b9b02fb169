// ---- Section "Comparisons": the differences between all pairs of runs under one user model and measure

const MAX_MATRIX_VALUES = 16; // with more runs, the matrix has signs only
const comparisonView = { model: 0, measure: 0, baseline: 0 };

const formatSigned = (value) => {
  const size = Math.abs(value).toFixed(4);
  return Number(size) === 0 ? size : `${value < 0 ? "−" : "+"}${size}`;
};

const opposite = (value) => (isMissing(value) ? null : -value);

// Comparisons of the chosen user model and measure: run → other run → {difference, low, high, p, topics}.
function chosenComparisons() {
  const found = data.comparisons.find((entry) => entry.model === modelNames[comparisonView.model] &&
    entry.measure === data.measures[comparisonView.measure]);
  if (!found || found.untested) return { untested: found ? found.untested : "there are no scores" };
  const pairs = new Map();
  const add = (run, other, line) => pairs.set(run, (pairs.get(run) || new Map()).set(other, line));
  for (const [run, other, difference, low, high, p, topics] of found.lines) {
    add(run, other, { difference, low, high, p, topics });
    add(other, run, { difference: opposite(difference), low: opposite(high), high: opposite(low), p, topics });
  }
  return { pairs, test: found.test, correction: found.correction, number: found.lines.length };
}

function showComparisons() {
  if (data.runs.length < 2) {
    byId("comparison-table").append(makeElement("p", {}, "There is one run, so nothing is compared."));
    return;
  }
  const choose = (field) => (index) => {
    comparisonView[field] = index;
    if (field !== "baseline") comparisonView.baseline = 0;
    showChosenComparisons();
  };
  const baseline = makeSelect("Compared with", [], 0, choose("baseline"));
  comparisonView.select = baseline.select;
  byId("comparison-controls").append(
    makeSelect("User model", modelNames, 0, choose("model")).node,
    makeSelect("Measure", data.measures, 0, choose("measure")).node,
    baseline.node);
  showChosenComparisons();
}

function showChosenComparisons() {
  const { model, measure, baseline, select } = comparisonView;
  const found = chosenComparisons();
  const ranking = runsByMean(model, measure).filter((run) => !isReference(run));
  fillOptions(select, ranking.map((run, index) => `${index + 1}. ${data.runs[run]}`), baseline);
  const title = `${data.measures[measure]} under ${modelNames[model]}`;
  byId("comparison-state").textContent = printable(`${title}, compared with ${data.runs[ranking[baseline]]}.`);
  if (found.untested) {
    byId("comparison-hint").textContent = "";
    byId("comparison-matrix").replaceChildren(makeElement("p", {}, `Not tested: ${printable(found.untested)}.`));
    byId("comparison-table").replaceChildren();
    return;
  }
  byId("comparison-hint").textContent = `Compared by ${found.test} over topics; correction for ` +
    `${countOf(found.number, "pair")} of runs: ${found.correction}. ` +
    "A difference is significant if the corrected p is below 0.05. All intervals hold together with 95 %, so one " +
    "can contain 0 although the difference is significant: later steps of the correction have a higher level.";
  byId("comparison-matrix").replaceChildren(makeMatrix(title, ranking, found.pairs));
  byId("comparison-table").replaceChildren(makeComparisonTable(title, ranking, ranking[baseline], found.pairs));
}

function describeOutcome({ difference, p }, lowerIsBetter) {
  if (!(p < 0.05)) return { sign: "·", word: "not significant", className: null };
  return (difference > 0) !== lowerIsBetter
    ? { sign: "▲", word: "significantly better", className: "better" }
    : { sign: "▼", word: "significantly worse", className: "worse" };
}

// One row and one column for each run, best mean first. The columns have the numbers of the rows.
function makeMatrix(title, ranking, pairs) {
  const lowerIsBetter = data.lower_is_better[comparisonView.measure];
  const withValues = ranking.length <= MAX_MATRIX_VALUES;
  const makeMatrixCell = (run, other) => {
    const line = pairs.get(run) && pairs.get(run).get(other);
    if (!line) return makeElement("td", { class: "none" }, run === other ? "" : "–");
    const { sign, word, className } = describeOutcome(line, lowerIsBetter);
    const label = `${data.runs[run]} compared with ${data.runs[other]}: ${word}, p ${formatP(line.p)}`;
    return makeElement("td", { class: className, title: printable(label) }, sign,
      makeElement("span", { class: "hidden" }, ` ${word}`),
      withValues ? makeElement("span", { class: "small" }, ` ${formatP(line.p)}`) : null);
  };
  const heading = makeElement("tr", {}, makeElement("th", { scope: "col" }, "Run"),
    ranking.map((run, index) => makeElement("th", { scope: "col", title: printable(data.runs[run]) }, index + 1)));
  const rows = ranking.map((run, index) => makeElement("tr", {},
    makeElement("th", { scope: "row" }, `${index + 1}. `, isolate(data.runs[run])),
    ranking.map((other) => makeMatrixCell(run, other))));
  const caption = `${title}: is the run of the row better than the run of the column? ▲ significantly better, ` +
    `▼ significantly worse, · no significant difference${withValues ? ", with p" : ""}`;
  return makeScrollable(`Comparison of all pairs of runs, ${printable(title)}`,
    makeElement("table", { class: "matrix" }, makeElement("caption", {}, makeElement("span", {}, caption)),
      makeElement("thead", {}, heading), makeElement("tbody", {}, rows)));
}

function makeComparisonTable(title, ranking, baseline, pairs) {
  const { model, measure } = comparisonView;
  const lowerIsBetter = data.lower_is_better[measure];
  const lines = pairs.get(baseline) || new Map();
  const columns = [{ label: "Run" }, { label: "Mean", number: true, lowerIsBetter },
    { label: "Difference", number: true, lowerIsBetter }, { label: "Interval", number: true },
    { label: "p", number: true, lowerIsBetter: true }, { label: "Topics", number: true }, { label: "Outcome" }];
  const text = (value, shown) => ({ value, node: document.createTextNode(shown) });
  const rows = ranking.filter((run) => lines.has(run)).map((run) => {
    // The lines have the differences baseline − run.
    const { difference, low, high, p, topics } = lines.get(run);
    const limits = isMissing(low) || isMissing(high) ? "–" : `${formatSigned(-high)} … ${formatSigned(-low)}`;
    return [{ value: runLabel(run) }, { value: data.scores[model][measure][run][0] },
      text(-difference, formatSigned(-difference)), text(opposite(high), limits), text(p, formatP(p)), text(topics, String(topics)),
      { value: describeOutcome({ difference: -difference, p }, lowerIsBetter).word }];
  });
  const caption = `${title}: differences from ${data.runs[baseline]}, whose mean is ` +
    formatScore(data.scores[model][measure][baseline][0]);
  return makeScrollable(printable(caption), makeSortableTable(caption, columns, rows));
}
