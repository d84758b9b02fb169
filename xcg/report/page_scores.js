// ---- Section "Summary"

const MAX_LISTED_RUNS = 12; // more runs are a closed list

function showSummary() {
  const size = [countOf(data.runs.length, "run"), countOf(data.topics.length, "topic")];
  document.title = `${printable(data.title)}: ${size.join(", ")}`;
  byId("subtitle").append(
    [...size, countOf(data.measures.length, "measure"), countOf(data.models.length, "user model")].join(", "),
    makeElement("br"), `${data.date}, xcg ${printable(data.version)}`);
  byId("facts").append(makeFacts(), makeRecord());
  showBestRuns();
  showLevels();
  const notes = [...data.notes, ...data.limits];
  byId("notes").append(makeElement("h3", {}, "Notes"), notes.length
    ? makeElement("ul", { class: "plain" }, notes.map((note) => makeElement("li", {}, note)))
    : makeElement("p", {}, "No topic or result was left out."));
  byId("version").append(`Created on ${data.date} by xcg ${printable(data.version)}.`);
}

function makeFacts() {
  const separated = (nodes) => nodes.map((node, index) => [index ? ", " : "", node]).flat();
  const names = (items) => separated(items.map(isolate));
  const settings = (model) => Object.entries(model.settings).map(([key, value]) => `${key} ${value}`).join(", ");
  const withoutIdeal = data.assessed - data.topics.length;
  const facts = [
    ["Runs", data.runs.length > MAX_LISTED_RUNS
      ? makeDetails(countOf(data.runs.length, "run"), data.runs) : names(data.runs)],
    data.has_documents ? [] : ["Documents", "none; the structure is derived from the paths"],
    ["Topics", [data.topic_titles.some(Boolean)
      ? makeDetails(`${countOf(data.topics.length, "topic")} with titles`, indices(data.topics.length).map(topicName)) : [`${data.topics.length}: `, names(data.topics)],
      withoutIdeal ? `; ${withoutIdeal} more assessed without an ideal element` : ""]],
    ["Unanswered topics", data.unanswered === "zero" ? "count 0" : "are left out of a run's means"],
    ["User models", makeElement("ul", { class: "plain" }, data.models.map((model) =>
      makeElement("li", {}, makeElement("strong", {}, isolate(model.name)), ": ", settings(model))))],
  ];
  return makeElement("dl", { class: "facts" },
    facts.filter((fact) => fact.length).map(([term, description]) => [makeElement("dt", {}, term), makeElement("dd", {}, description)]));
}

// The record of the method. Its lines are separate, because printable replaces the ends of lines.
function makeRecord() {
  const lines = JSON.stringify(data.settings, null, 2).split("\n").flatMap((line) => [line, makeElement("br")]);
  return makeElement("details", {}, makeElement("summary", {}, "Settings and input files"),
    makeElement("p", { class: "hint" }, "Every setting that can change a value, and the SHA-256 of each input file. " +
      "Saved as record.json, xcg evaluate record.json evaluates the same again."),
    makeElement("pre", { class: "record" }, lines));
}

function makeDetails(summary, names) {
  return makeElement("details", {}, makeElement("summary", {}, summary),
    makeElement("ul", { class: "plain" }, names.map((name) => makeElement("li", {}, isolate(name)))));
}

function showBestRuns() {
  if (!data.best.length) byId("best").append(makeElement("p", {}, "There are no two runs to compare."));
  if (!data.best.length) return;
  const severalModels = data.models.length > 1;
  const reasons = new Set(); // why some differences were not tested
  const columns = [{ label: "Measure" }, ...(severalModels ? [{ label: "User model" }] : []), { label: "Best run" },
    { label: "Mean", number: true }, { label: "Second run" }, { label: "Difference", number: true },
    { label: "Significant?" }];
  const rows = data.best.map((line) => {
    if (line.untested) reasons.add(line.untested);
    return [{ value: line.measure }, ...(severalModels ? [{ value: line.model }] : []), { value: line.run },
      { value: line.mean }, { value: line.second }, { value: line.difference }, { value: describeTest(line) }];
  });
  byId("best").append(
    makeElement("p", { class: "hint" }, "The difference between the best run and the second, and its significance: " +
      "t test over topics, p corrected for all pairs of runs (Holm with Shaffer's steps, or Holm for runs with different topics); significant if p < 0.05."),
    makeScrollable("Best run of each measure", makeSortableTable("Best and second run", columns, rows)),
    ...[...reasons].map((reason) => makeElement("p", {}, `Not tested: ${printable(reason)}`)));
}

function describeTest(line) {
  if (line.untested) return "not tested";
  const p = `p = ${formatP(line.p)}`.replace(/= ([<>])/, "$1 ");
  const topics = line.tested_topics === data.topics.length ? "" : ` (${countOf(line.tested_topics, "topic")})`;
  return `${line.p < 0.05 ? "yes" : "no"}, ${p}${topics}`;
}

function showLevels() {
  const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
  const columns = [{ label: "Level" }, { label: "Number", number: true }, { label: "Share", number: true },
    { label: "Share of the relevant", number: true }];
  const makeShare = (share) => ({ value: share, node: document.createTextNode(percent(share)) });
  const rows = data.levels.map((line) => [{ value: line.level },
    { value: line.number, node: document.createTextNode(line.number) }, makeShare(line.share),
    makeShare(line.relevant_share)]);
  const total = data.levels.reduce((sum, line) => sum + line.number, 0);
  byId("levels").append(
    makeElement("p", { class: "hint" }, `Assessed documents and elements, all topics: ${total}. ` +
      "Documents with passages count once."),
    makeScrollable("Levels of the assessments", makeSortableTable("Assessments by level", columns, rows)));
}

// ---- Section "Measures"

const MAX_OPEN_MODELS = 6;

function showMeasures() {
  byId("tables").append(makeElement("dl", { class: "facts" }, data.measures.map((measure, index) =>
    [makeElement("dt", {}, measure),
      makeElement("dd", {}, data.titles[measure] || "", data.lower_is_better[index] ? " (lower is better)" : "")])));
  const tables = makeElement("div", { class: "models" });
  byId("tables").append(tables);
  data.models.forEach((model, index) => {
    tables.append(makeElement("details", { class: "model", open: index < MAX_OPEN_MODELS },
      makeElement("summary", {}, makeElement("h3", {}, isolate(model.name))),
      makeScrollable(`Measures under ${printable(model.name)}`, makeMeansTable(data.scores[index], data.intervals[index]))));
  });
}

// ---- Ranks across user models: user models are rows, and runs are lines from rank to rank

const RANK_ROW = 26;
const ranksView = { measure: 0 };

// The rank of each run; runs with equal printed means share one, and references have none.
function ranksOfRuns(model, measure) {
  const sign = data.lower_is_better[measure] ? 1 : -1;
  const means = data.scores[model][measure].map(([mean], run) =>
    (isMissing(mean) || isReference(run) ? null : sign * Number(mean.toFixed(4))));
  return means.map((mean) => (mean === null ? null : 1 + means.filter((other) => other !== null && other < mean).length));
}

function showRanks() {
  if (data.models.length < 2 || data.runs.length < 2) return;
  const box = makeElement("div", { class: "chart", id: "rank-chart" });
  const named = bestRuns.filter((run) => !isReference(run)).slice(0, MAX_SELECTED_RUNS);
  const others = data.runs.length - data.references.length - named.length;
  const draw = () => box.replaceChildren(makeRankPicture(box.clientWidth || 600, new Set(named)));
  byId("ranks").append(
    makeElement("h3", {}, "Ranks across user models"),
    makeElement("p", { class: "hint" }, "The rank of each run by its mean under each user model. Lines that cross are runs " +
      `that user models order differently.${others ? ` Grey: the ${countOf(others, "other run")}.` : ""}`),
    makeElement("div", { class: "controls" },
      makeSelect("Measure", data.measures, 0, (measure) => { ranksView.measure = measure; draw(); }).node),
    box,
    makeElement("ul", { class: "readout" }, named.map((run) => makeElement("li", {}, makeSwatch(run), isolate(runLabel(run))))));
  new ResizeObserver(draw).observe(byId("ranks"));
  draw();
}

function makeRankPicture(width, named) {
  const ranks = indices(data.models.length).map((model) => ranksOfRuns(model, ranksView.measure));
  const last = Math.max(2, ...ranks.flat().map(Number));
  const labels = data.model_labels.map((label) => shortenMiddle(printable(label), Math.max(12, Math.floor(width / 18))));
  const left = 12 + 7 * Math.max(...labels.map((label) => label.length));
  const bottom = 14 + RANK_ROW * (labels.length - 1) + 14;
  const toX = (rank) => left + 14 + ((rank - 1) / (last - 1)) * (width - left - 28);
  const toY = (model) => 14 + RANK_ROW * model;
  const ticks = indices(last).map((index) => index + 1).filter((rank) => rank === 1 || rank % Math.ceil(last / 8) === 0);
  const makeLine = (run) => {
    const points = ranks.map((row, model) => (row[run] === null ? null : [toX(row[run]).toFixed(1), toY(model)]));
    const path = points.map((point, model) => point && `${model && points[model - 1] ? "L" : "M"}${point.join(" ")}`).join("");
    const { color, marker, dash } = named.has(run) ? lineStyle(run) : { color: "var(--border)", marker: null, dash: null };
    return makeSvg("g", { "data-rank-run": run }, makeSvg("title", {}, data.runs[run]),
      makeSvg("path", { class: "curve", d: path, style: `stroke:${color}`, "stroke-dasharray": dash }),
      marker && points.filter(Boolean).map(([x, y]) =>
        makeSvg("path", { class: "marker", d: marker, style: `fill:${color}`, transform: `translate(${x} ${y})` })));
  };
  const runs = indices(data.runs.length).filter((run) => !isReference(run)).sort((a, b) => named.has(a) - named.has(b));
  return makeSvg("svg", { viewBox: `0 0 ${width} ${bottom + 40}`, role: "img",
    "aria-label": printable(`Ranks of ${countOf(runs.length, "run")} by ${data.measures[ranksView.measure]} under ` +
      countOf(labels.length, "user model")) },
  labels.map((label, model) => makeSvg("text", { x: left - 4, y: toY(model) + 4, "text-anchor": "end" }, label)),
  ticks.flatMap((rank) => [
    makeSvg("line", { class: "grid", x1: toX(rank), x2: toX(rank), y1: 6, y2: bottom }),
    makeSvg("text", { x: toX(rank), y: bottom + 16, "text-anchor": "middle" }, rank)]),
  makeSvg("text", { x: (left + width) / 2, y: bottom + 34, "text-anchor": "middle" }, "rank"),
  runs.map(makeLine));
}

// scores: measure → run → [mean, score of each topic]; halfWidths: measure → run → half width of the interval.
function makeMeansTable(scores, halfWidths) {
  const columns = [{ label: "Run" }, ...data.measures.map((label, measure) =>
    ({ label, number: true, lowerIsBetter: data.lower_is_better[measure] }))];
  const best = scores.map((runs, measure) => bestOfRuns(runs.map((run) => run[0]), data.lower_is_better[measure]));
  const rows = data.runs.map((_, run) => [{ value: runLabel(run) }, ...scores.map((runs, measure) => {
    const value = runs[run][0];
    const halfWidth = halfWidths ? halfWidths[measure][run] : null;
    return { value, strong: value !== null && value === best[measure] && !isReference(run),
      addition: halfWidths ? `± ${formatScore(halfWidth)}` : null };
  })]);
  return makeSortableTable("Means over topics", columns, rows, 1);
}

// ---- Section "Topics"

const topicView = { model: 0, measure: 0 };

// columnsPerTable: how many topics fit beside each other on paper; on the screen all are in one table.
function showTopicTable(columnsPerTable) {
  const { model, measure } = topicView;
  const scores = data.scores[model][measure];
  const lowerIsBetter = data.lower_is_better[measure];
  if (!data.topics.length || scores[0].length < 2) {
    byId("topic-table").replaceChildren(makeElement("p", {},
      "The scores of single topics are left out for this user model, to keep the file small."));
    return;
  }
  const title = `${data.measures[measure]} of each run and topic under ${modelNames[model]}`;
  const highest = Math.max(...scores.flat().filter((value) => !isMissing(value)), 1e-9);
  const best = scores[0].map((_, topic) => bestOfRuns(scores.map((run) => run[topic]), lowerIsBetter));
  const labels = ["mean", ...data.topics];
  const width = columnsPerTable || labels.length;

  function makeTopicCell(value, topic, run) {
    const share = Math.max(0, value || 0) / highest;
    return {
      value,
      node: document.createTextNode(formatScore(value, 3)),
      strong: value !== null && value === best[topic] && (lowerIsBetter || value > 0) && !isReference(run),
      shade: isMissing(value) ? 0 : lowerIsBetter ? 1 - share : share,
    };
  }

  const tables = indices(Math.ceil(labels.length / width)).map((block) => {
    const topics = indices(labels.length).slice(block * width, (block + 1) * width);
    const columns = [{ label: "Run" }, ...topics.map((topic) => ({ label: labels[topic], number: true, lowerIsBetter,
      title: topic ? printable(topicName(topic - 1)) : null }))];
    const runs = columnsPerTable ? runsByMean(model, measure) : indices(data.runs.length);
    const rows = runs.map((run) =>
      [{ value: runLabel(run) }, ...topics.map((topic) => makeTopicCell(scores[run][topic], topic, run))]);
    return makeScrollable(printable(title), makeSortableTable(title, columns, rows, columnsPerTable ? undefined : 1));
  });
  byId("topic-table").replaceChildren(...tables);
}

function showTopics() {
  byId("topic-controls").append(
    makeSelect("User model", modelNames, 0, (model) => { topicView.model = model; showTopicTable(); }).node,
    makeSelect("Measure", data.measures, 0, (measure) => { topicView.measure = measure; showTopicTable(); }).node);
  showTopicTable();
}
