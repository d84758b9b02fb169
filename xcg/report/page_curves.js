// ---- Line styles, the same for a run in all plots of xcg

const MAX_SELECTED_RUNS = data.line_styles.most;
const bestRuns = runsByMean(0, 0);

const styleOf = (index) => data.line_styles.styles[index];
const lineStyle = styleOf;
const makeSwatch = (run) => makeSwatchOf(lineStyle(run));

function makeSwatchOf({ color, marker, dash }) {
  return makeSvg("svg", { class: "swatch", viewBox: "0 0 42 16", "aria-hidden": "true" },
    makeSvg("path", { class: "curve", d: "M1 8H41", style: `stroke:${color}`, "stroke-dasharray": dash, "stroke-width": 2 }),
    marker && makeSvg("path", { class: "marker", d: marker, transform: "translate(21 8)", style: `fill:${color}` }));
}

// ---- Charts

const curveView = { model: 0, topic: 0, runs: new Set(), highlighted: null }; // topic 0 is the mean
const charts = [];
const drawCharts = () => charts.forEach((chart) => chart.draw());
const MARGIN = { left: 42, right: 12, top: 10, bottom: 42 };

const DESCRIPTIONS = {
  nxCG: "The gain cumulated up to a rank, divided by the gain that the ideal ranking has cumulated there. " +
    "Higher is better.",
  ep: "Effort-precision: the number of ranks at which the ideal ranking reaches a share of the total gain, divided " +
    "by the number that the run needs; 0 if the run never reaches it. Higher is better.",
};

// The highest value of all charts under the chosen user model, for the chosen runs and the mean or chosen topic.
const highestOfCharts = () => Math.max(0.05, ...data.curves.flatMap((curve) => [...curveView.runs].flatMap((run) =>
  (curveValues(curve, run) || []).filter((value) => value !== null))));

// The values of a run under the chosen user model, for the mean or the chosen topic; null if unknown.
function curveValues(curve, run) {
  if (curve.missing) return null;
  if (curveView.topic === 0) return curve.mean[curveView.model][run];
  const topics = curve.topics[curveView.model];
  return topics ? topics[run][curveView.topic - 1] : null;
}

// The smallest of 1, 2, 5 and 10 times a power of ten that gives about this number of steps.
function roundStep(span, steps) {
  const raw = span / steps;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw * 0.999);
}

function makeChart(curve) {
  const caption = makeElement("figcaption", {},
    makeElement("strong", {}, `${curve.measure} over ${curve.by}`), `. ${DESCRIPTIONS[curve.measure]} The band is the 95 % ` +
    "interval of the mean over topics, for up to three runs, and for the one under the pointer.");
  if (curve.missing) {
    byId("charts").append(makeElement("figure", {}, caption,
      makeElement("p", { class: "error" }, `There are no curves: ${printable(curve.missing)}`)));
    return;
  }
  const xs = curve.x;
  const overRanks = curve.by === "rank";
  const box = makeElement("div", { class: "chart" });
  const readout = makeElement("ul", { class: "readout" });
  const slider = makeElement("input", { type: "range", min: 0, max: xs.length - 1, step: 1, id: newId("slider") });
  slider.value = overRanks ? Math.min(9, xs.length - 1) : Math.floor(xs.length / 2) - 1;
  const sliderValue = makeElement("strong", {});
  const label = makeElement("label", { for: slider.id }, `Values at ${curve.by} `, sliderValue);
  const emptyHint = makeElement("p", { class: "hint", hidden: true });
  byId("charts").append(makeElement("figure", {}, caption, emptyHint, box, label, slider, readout));

  const valuesOf = (run) => curveValues(curve, run);

  function describeEmptyChart() {
    if (!curveView.runs.size) return "No run is selected.";
    return curveView.topic && !curve.topics[curveView.model]
      ? "The curves of single topics are left out for this user model, to keep the file small."
      : "This topic has no ideal element under this user model, so there is no curve.";
  }

  let scale = null; // the geometry of the last drawing, for the pointer

  function draw() {
    const width = Math.max(260, box.clientWidth || 600);
    const height = Math.min(380, Math.max(230, width * 0.62));
    const runs = indices(data.runs.length).filter((run) => curveView.runs.has(run) && valuesOf(run));
    emptyHint.hidden = runs.length > 0;
    emptyHint.textContent = describeEmptyChart();
    const highest = highestOfCharts(); // all charts have the same scale
    const yStep = roundStep(highest, 5);
    const yMax = Math.ceil(highest / yStep - 1e-9) * yStep;
    const xMin = overRanks ? 1 : 0;
    const xMax = overRanks ? Math.max(2, xs[xs.length - 1]) : 1;
    scale = {
      width, height, runs,
      toX: (x) => MARGIN.left + ((x - xMin) / (xMax - xMin)) * (width - MARGIN.left - MARGIN.right),
      toY: (y) => height - MARGIN.bottom - (y / yMax) * (height - MARGIN.top - MARGIN.bottom),
    };
    const picture = makeSvg("svg", { class: runs.length <= 3 ? "few" : null, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `${curve.measure} over ${curve.by}, ${countOf(runs.length, "run")}; ` +
        `the values at one ${curve.by} are listed below` });
    picture.append(...makeGrid(yStep, yMax), ...makeTicks(xMax), ...runs.map(makeLine),
      makeSvg("line", { class: "cursor", y1: MARGIN.top, y2: height - MARGIN.bottom }),
      makeSvg("g", { class: "tooltip" }));
    picture.addEventListener("pointermove", showTooltip);
    picture.addEventListener("pointerdown", showTooltip);
    picture.addEventListener("pointerleave", () => {
      curveView.highlighted = null;
      highlight();
      box.querySelector(".tooltip").replaceChildren();
    });
    box.replaceChildren(picture);
    showValues();
  }

  function makeGrid(step, yMax) {
    const { toY, width } = scale;
    const nodes = [];
    for (let y = 0; y <= yMax + step / 9; y += step) {
      nodes.push(
        makeSvg("line", { class: y ? "grid" : "axis", x1: MARGIN.left, x2: width - MARGIN.right, y1: toY(y), y2: toY(y) }),
        makeSvg("text", { x: MARGIN.left - 6, y: toY(y) + 4, "text-anchor": "end" }, formatShort(y)));
    }
    return nodes;
  }

  function makeTicks(xMax) {
    const { toX, width, height } = scale;
    const axis = height - MARGIN.bottom;
    const step = overRanks ? Math.max(1, roundStep(xMax, width < 420 ? 4 : 8)) : 0.2;
    const ticks = overRanks
      ? [1, ...indices(Math.floor(xMax / step)).map((index) => (index + 1) * step).filter((x) => x > 1)]
      : indices(6).map((index) => index * step);
    const title = makeSvg("text",
      { x: (MARGIN.left + width - MARGIN.right) / 2, y: height - 6, "text-anchor": "middle" }, curve.by);
    return [...ticks.flatMap((x) => [
      makeSvg("line", { class: "axis", x1: toX(x), x2: toX(x), y1: axis, y2: axis + 5 }),
      makeSvg("text", { x: toX(x), y: axis + 18, "text-anchor": "middle" }, formatShort(x)),
    ]), title];
  }

  // Markers of different runs are at different points, so that they do not hide each other.
  function makeLine(run, position) {
    const { color, marker, dash } = lineStyle(run);
    const { toX, toY, runs } = scale;
    const values = valuesOf(run);
    let path = "";
    let command = "M"; // a missing value interrupts the line
    values.forEach((value, index) => {
      if (value === null) { command = "M"; return; }
      path += `${command}${toX(xs[index]).toFixed(1)} ${toY(value).toFixed(1)}`;
      command = "L";
    });
    const every = Math.max(1, Math.floor(xs.length / 9));
    const start = Math.floor((position * every) / runs.length) % every;
    const marked = indices(values.length).filter((index) => values[index] !== null && index % every === start);
    return makeSvg("g", { "data-run": run, class: curveView.highlighted === run ? "strong" : null },
      makeBand(run, values, color),
      makeSvg("path", { class: "curve", d: path, style: `stroke:${color}`, "stroke-dasharray": dash }),
      marked.map((index) => makeSvg("path", { class: "marker", d: marker, style: `fill:${color}`,
        transform: `translate(${toX(xs[index]).toFixed(1)} ${toY(values[index]).toFixed(1)})` })));
  }

  // The 95 % interval of a mean curve. It is shown for up to three runs, and for the highlighted one.
  function makeBand(run, values, color) {
    const halves = curveView.topic === 0 && curve.half[curveView.model][run];
    if (!halves) return null;
    const { toX, toY } = scale;
    const known = indices(values.length).filter((index) => values[index] !== null && halves[index] !== null);
    const edge = (sign) => (index) => {
      const y = Math.max(MARGIN.top, toY(Math.max(0, values[index] + sign * halves[index])));
      return `${toX(xs[index]).toFixed(1)} ${y.toFixed(1)}`;
    };
    const ends = [...known.map(edge(1)), ...known.reverse().map(edge(-1))];
    return makeSvg("path", { class: "band", d: ends.length ? `M${ends.join("L")}Z` : "", style: `fill:${color}` });
  }

  function highlight() {
    for (const line of box.querySelectorAll("g[data-run]")) {
      line.classList.toggle("strong", Number(line.dataset.run) === curveView.highlighted);
    }
  }

  function showTooltip(event) {
    const { toX, toY, width, height, runs } = scale;
    const frame = box.firstChild.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * width;
    const y = ((event.clientY - frame.top) / frame.height) * height;
    let point = 0;
    xs.forEach((value, index) => { if (Math.abs(toX(value) - x) < Math.abs(toX(xs[point]) - x)) point = index; });
    slider.value = point;
    showValues();
    const distance = (run) => Math.abs(toY(valuesOf(run)[point]) - y);
    const nearest = runs.filter((run) => valuesOf(run)[point] !== null).sort((a, b) => distance(a) - distance(b))[0];
    curveView.highlighted = nearest === undefined ? null : nearest;
    highlight();
    const tooltip = box.querySelector(".tooltip");
    tooltip.replaceChildren();
    if (nearest === undefined) return;
    const value = valuesOf(nearest)[point];
    const text = `${shortenMiddle(data.runs[nearest], 28)}  ${formatScore(value)}`;
    const textWidth = Math.min(width - 8, 12 + 7.2 * text.length);
    const left = Math.min(Math.max(4, toX(xs[point]) + 8), width - textWidth - 4);
    const top = Math.max(2, toY(value) - 30);
    tooltip.append(
      makeSvg("rect", { x: left, y: top, width: textWidth, height: 22, rx: 4 }),
      makeSvg("text", { x: left + 6, y: top + 15 }, text));
  }

  // List the values of all runs at the point that the slider chooses.
  function showValues() {
    const point = Number(slider.value);
    const x = scale.toX(xs[point]);
    const cursor = box.querySelector(".cursor");
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    sliderValue.textContent = formatShort(xs[point]);
    const values = scale.runs.map((run) => [run, valuesOf(run)[point]]).sort((a, b) => b[1] - a[1]);
    readout.replaceChildren(...values.map(([run, value]) => makeElement("li", {},
      makeSwatch(run), isolate(runLabel(run)), makeElement("b", {}, formatScore(value)))));
    slider.setAttribute("aria-valuetext", printable(`${curve.by} ${formatShort(xs[point])}: ` +
      values.map(([run, value]) => `${data.runs[run]} ${formatScore(value)}`).join(", ")));
  }

  slider.addEventListener("input", showValues);
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (Math.abs(box.clientWidth - drawnWidth) <= 1) return;
    drawnWidth = box.clientWidth;
    draw();
  }).observe(box);
  charts.push({ draw, highlight });
  draw();
}

// ---- Section "Curves"

function showCurves() {
  const topicNames = ["mean over topics", ...indices(data.topics.length).map(shortTopicName)];
  const update = () => {
    byId("curve-state").textContent = printable(
      `User model ${modelNames[curveView.model]}, ${topicNames[curveView.topic]}.`);
    drawCharts();
  };
  byId("curve-controls").append(
    makeSelect("User model", modelNames, 0, (model) => { curveView.model = model; update(); }).node,
    makeSelect("Topic", topicNames, 0, (topic) => { curveView.topic = topic; update(); }).node);
  const selectBest = makeRunSelection();
  selectBest();
  data.curves.forEach(makeChart);
  update();
}

// Add a checkbox for each run, and return a function that selects the best runs.
function makeRunSelection() {
  const best = new Set(bestRuns.slice(0, MAX_SELECTED_RUNS));
  const select = (run, selected) => (selected ? curveView.runs.add(run) : curveView.runs.delete(run));
  const choices = data.runs.map((_, run) => {
    const box = makeElement("input", { type: "checkbox", id: newId("run") });
    box.addEventListener("change", () => { select(run, box.checked); drawCharts(); });
    const label = makeElement("label", { for: box.id }, box, makeSwatch(run), isolate(runLabel(run)));
    const highlightRun = (highlighted) => () => {
      curveView.highlighted = highlighted;
      charts.forEach((chart) => chart.highlight());
    };
    for (const event of ["pointerenter", "focusin"]) label.addEventListener(event, highlightRun(run));
    for (const event of ["pointerleave", "focusout"]) label.addEventListener(event, highlightRun(null));
    return { box, label };
  });
  const selectRuns = (isSelected) => () => {
    choices.forEach(({ box }, run) => { box.checked = isSelected(run); select(run, box.checked); });
    drawCharts();
  };
  const selectBest = selectRuns((run) => best.has(run));
  byId("curve-runs").append(makeElement("fieldset", {},
    makeElement("legend", {}, "Runs"),
    makeElement("div", { class: "controls" },
      makeButton("All", selectRuns(() => true)),
      makeButton("None", selectRuns(() => false)),
      data.runs.length > MAX_SELECTED_RUNS
        ? makeButton(`Best ${MAX_SELECTED_RUNS} by ${data.measures[0]}`, selectBest) : null),
    makeElement("div", { class: "runs" }, choices.map(({ label }) => label))));
  return selectBest;
}
