// ---- Section "Overlap strategies"

const strategyView = { measure: 0, model: 0, run: 0 };

// The styles of runs. The greedy reference is a dashed line without markers.
function strategyStyle(strategy) {
  if (strategy === data.strategies.reference) return { color: "var(--muted)", marker: "", dash: "7 3" };
  return styleOf(strategy);
}

const unique = (items) => [...new Set(items)];

function showStrategies() {
  const study = data.strategies;
  if (!study) return;
  byId("strategies").parentElement.hidden = false;
  document.querySelector("nav a[href='#strategies']").parentElement.hidden = false;
  if (study.missing) {
    byId("strategy-sentences").append(
      makeElement("p", { class: "error" }, `Strategies are not compared: ${printable(study.missing)}`));
    return;
  }
  const first = study.cases.findIndex((found) => found.crossings.length);
  const choices = { measure: "Measure", model: "User model", run: "Run" };
  for (const [field, label] of Object.entries(choices)) {
    const names = unique(study.cases.map((found) => found[field]));
    const choose = (index) => { strategyView[field] = index; showStrategyCase(); };
    strategyView[field] = names.indexOf(study.cases[Math.max(0, first)][field]);
    byId("strategy-controls").append(makeSelect(label, names, strategyView[field], choose).node);
  }
  showStrategyCase();
}

// The lines of the chosen measure, user model and run.
function chosenStrategyCase() {
  const { cases } = data.strategies;
  const chosen = (field) => unique(cases.map((found) => found[field]))[strategyView[field]];
  return cases.find((found) => ["measure", "model", "run"].every((field) => found[field] === chosen(field)));
}

// Which strategy is best for which α, for all runs by the chosen measure and user model.
function makeStrategySentences() {
  const { cases, remarks } = data.strategies;
  const chosen = (field) => unique(cases.map((found) => found[field]))[strategyView[field]];
  const sentences = cases.filter((found) => ["measure", "model"].every((field) => found[field] === chosen(field)))
    .map((found) => found.sentence).filter(Boolean);
  return makeElement("ul", { class: "plain" },
    [...sentences, ...remarks].map((sentence) => makeElement("li", {}, sentence)));
}

function showStrategyCase() {
  const found = chosenStrategyCase();
  byId("strategy-sentences").replaceChildren(makeStrategySentences());
  if (!found) {
    byId("strategy-chart").replaceChildren(makeElement("p", {}, "This line is left out, to keep the file small."));
    byId("strategy-table").replaceChildren();
    return;
  }
  byId("strategy-state").textContent = printable(`${found.measure} of ${found.run} under ${found.model}.`);
  byId("strategy-chart").replaceChildren(makeStrategyChart(found));
  byId("strategy-table").replaceChildren(makeStrategyTable(found));
}

function makeStrategyChart({ measure, run, alphas, scores, gaps, crossings }) {
  const { names } = data.strategies;
  const known = scores.flat().filter((value) => !isMissing(value));
  const caption = makeElement("figcaption", {}, makeElement("strong", {}, `${printable(measure)} over α`), " of ",
    isolate(run), ". Dotted vertical lines mark the values of α at which the best strategy changes.");
  if (!known.length) return makeElement("figure", {}, caption, makeElement("p", {}, "There are no scores."));
  const [width, height] = [640, 360];
  const step = roundStep(Math.max(...known) - Math.min(...known) || 0.1, 5);
  const yMin = Math.floor(Math.min(...known) / step + 1e-9) * step;
  const yMax = Math.max(yMin + step, Math.ceil(Math.max(...known) / step - 1e-9) * step);
  const [first, last] = [alphas[0], alphas[alphas.length - 1]];
  const left = MARGIN.left + 12;
  const toX = (alpha) => left + ((alpha - first) / (last - first || 1)) * (width - left - MARGIN.right);
  const toY = (y) => height - MARGIN.bottom - ((y - yMin) / (yMax - yMin)) * (height - MARGIN.top - MARGIN.bottom);
  const bottom = height - MARGIN.bottom;

  const grid = indices(Math.round((yMax - yMin) / step) + 1).map((index) => yMin + index * step).flatMap((y) => [
    makeSvg("line", { class: "grid", x1: left, x2: width - MARGIN.right, y1: toY(y), y2: toY(y) }),
    makeSvg("text", { x: left - 6, y: toY(y) + 4, "text-anchor": "end" }, formatShort(Number(y.toFixed(9))))]);
  const ticks = indices(6).map((index) => first + (index / 5) * (last - first)).map((alpha) =>
    makeSvg("text", { x: toX(alpha), y: bottom + 18, "text-anchor": "middle" }, formatShort(alpha)));
  const axis = makeSvg("line", { class: "axis", x1: left, x2: width - MARGIN.right, y1: bottom, y2: bottom });
  const title = makeSvg("text", { x: (left + width - MARGIN.right) / 2, y: height - 6, "text-anchor": "middle" }, "α");
  const changes = crossings.flatMap(({ alpha }) => [
    makeSvg("line", { class: "change", x1: toX(alpha), x2: toX(alpha), y1: MARGIN.top, y2: bottom }),
    makeSvg("text", { x: toX(alpha) + 3, y: MARGIN.top + 10 }, alpha.toFixed(3))]);

  function makeLine(values, strategy) {
    const { color, marker, dash } = strategyStyle(strategy);
    const points = indices(values.length).map((index) => ({ alpha: alphas[index], score: values[index], index }));
    const line = [...points, ...gaps.filter((point) => point.strategy === strategy)].sort((a, b) => a.alpha - b.alpha);
    const position = ({ alpha, score }) => `${toX(alpha).toFixed(1)} ${toY(score).toFixed(1)}`;
    const path = line.map((point, index) => isMissing(point.score) ? ""
      : `${index === 0 || isMissing(line[index - 1].score) ? "M" : "L"}${position(point)}`).join("");
    const every = Math.max(1, Math.ceil(alphas.length / 12));
    const marked = marker ? points.filter(({ score, index }) => !isMissing(score) && index % every === strategy % every) : [];
    return makeSvg("g", { "data-strategy": strategy },
      makeSvg("path", { class: "curve", d: path, style: `stroke:${color}`, "stroke-dasharray": dash }),
      marked.map((point) => makeSvg("path", { class: "marker", d: marker, transform: `translate(${position(point)})`,
        style: `fill:${color}` })));
  }

  const picture = makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${printable(measure)} over α, ${countOf(names.length - 1, "strategy").replace(/ys$/, "ies")} and oracle; ` +
      "the values at one α are listed below" });
  const cursor = makeSvg("line", { class: "cursor", y1: MARGIN.top, y2: bottom });
  picture.append(...grid, axis, ...ticks, title, ...changes, ...scores.map(makeLine), cursor);

  const readout = makeElement("ul", { class: "readout" });
  const slider = makeElement("input",
    { type: "range", min: 0, max: alphas.length - 1, step: 1, id: newId("slider") });
  slider.value = alphas.length - 1;
  const sliderValue = makeElement("strong", {});
  function showValues() {
    const point = Number(slider.value);
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, toX(alphas[point]));
    sliderValue.textContent = formatShort(alphas[point]);
    readout.replaceChildren(...names.map((name, strategy) => makeElement("li", {},
      makeSwatchOf(strategyStyle(strategy)), isolate(name), makeElement("b", {}, formatScore(scores[strategy][point])))));
    slider.setAttribute("aria-valuetext", printable(`α ${formatShort(alphas[point])}: ` +
      names.map((name, strategy) => `${name} ${formatScore(scores[strategy][point])}`).join(", ")));
  }
  slider.addEventListener("input", showValues);
  showValues();
  return makeElement("figure", {}, caption, makeElement("div", { class: "chart" }, picture),
    makeElement("label", { for: slider.id }, "Scores at α ", sliderValue), slider, readout);
}

// Scores and distances to oracle at the lowest, the middle and the highest α, and the overlap.
function makeStrategyTable({ run, alphas, scores, lower_is_better: lowerIsBetter }) {
  const { names, reference, overlap, first } = data.strategies;
  const shown = unique([0, Math.floor((alphas.length - 1) / 2), alphas.length - 1]);
  const strategies = indices(names.length).filter((strategy) => strategy !== reference);
  const best = shown.map((point) => bestScore(strategies.map((strategy) => scores[strategy][point]), lowerIsBetter));
  const columns = [{ label: "Strategy" },
    { label: "Overlap", number: true, lowerIsBetter: true },
    ...shown.map((point) => ({ label: `α = ${formatShort(alphas[point])}`, number: true, lowerIsBetter })),
    ...shown.map((point) =>
      ({ label: `to oracle, ${formatShort(alphas[point])}`, number: true, lowerIsBetter: true }))];
  const distance = (strategy, point) => {
    const [score, oracle] = [scores[strategy][point], scores[reference][point]];
    return isMissing(score) || isMissing(oracle) ? null : lowerIsBetter ? score - oracle : oracle - score;
  };
  const shares = overlap[run] || [];
  const percent = (share) => (isMissing(share) ? "–" : `${(100 * share).toFixed(1)} %`);
  const makeShare = (share) =>
    ({ value: isMissing(share) ? null : share, node: document.createTextNode(percent(share)) });
  const rows = indices(names.length).map((strategy) => [{ value: names[strategy] }, makeShare(shares[strategy]),
    ...shown.map((point, index) => ({ value: scores[strategy][point],
      strong: strategy !== reference && !isMissing(best[index]) && scores[strategy][point] === best[index] })),
    ...shown.map((point) => ({ value: strategy === reference ? null : distance(strategy, point) }))]);
  return makeElement("div", {},
    makeElement("p", { class: "hint" }, "Overlap is the share of the first " +
      `${first} results of a topic that overlap with another one of them, mean over topics. The next columns are scores at ` +
      "three values of α, the best in bold, and their distances to oracle, positive if oracle is better."),
    makeScrollable(`Overlap strategies of ${printable(run)}`,
      makeSortableTable("Overlap, scores and distances to oracle", columns, rows)));
}
