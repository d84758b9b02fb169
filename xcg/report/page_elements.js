"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const modelNames = data.models.map((model) => model.name);

// ---- Elements. Text from the data only ever becomes text nodes, so it cannot inject markup.

const byId = (id) => document.getElementById(id);

// Replace characters that could change how other text is displayed, or make two names look equal: control
// characters, line separators, lone surrogates, bidirectional controls and zero-width spaces. The joiners
// U+200C and U+200D remain, because Persian, Indic scripts and emoji need them.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const printable = (text) => String(text).replace(UNPRINTABLE, "\u25a1");

function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : printable(child));
  }
  return element;
}

const makeElement = (tag, attributes, ...children) => fillElement(document.createElement(tag), attributes, children);

// The address is an identifier that no browser loads. It is split because the page must contain no address.
const SVG_NAMESPACE = "http:" + "//www.w3.org/2000/svg";
const makeSvg = (tag, attributes, ...children) =>
  fillElement(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);

// A name of unknown direction, isolated from the text around it. Long names break after punctuation.
const isolate = (name) => makeElement("bdi", {}, printable(name).split(/(?<=[_/:+-]|\.(?!\d))/u)
  .flatMap((part, index) => (index ? [makeElement("wbr"), part] : [part])));

let createdIds = 0;
function newId(prefix) {
  createdIds += 1;
  return `${prefix}-${createdIds}`;
}

// ---- Numbers and lists

const indices = (length) => Array.from({ length }, (_, index) => index);
const isMissing = (value) => value === null || value === undefined;
const countOf = (number, singular) => `${number} ${number === 1 ? singular : singular + "s"}`;
const formatScore = (value, decimals = 4) => (isMissing(value) ? "–" : value.toFixed(decimals));
const formatShort = (value) => String(Number(value.toPrecision(4)));
// A p value; one that would be rounded to 0 or 1 is a limit.
const formatP = (p) => (p < 0.0001 ? "<0.0001" : p >= 1 ? "1" : p >= 0.99995 ? ">0.9999" : p.toFixed(4));
const formatRanks = (ranks) => (ranks.length === 1 ? "rank " : "ranks ") + ranks.join(", ");

// ---- The order of scores. With some measures, lower scores are better.

function compareScores(first, second, lowerIsBetter) {
  const missing = isMissing(first) - isMissing(second);
  if (missing || isMissing(first)) return missing;
  return lowerIsBetter ? first - second : second - first;
}

function bestScore(scores, lowerIsBetter) {
  const known = scores.filter((score) => !isMissing(score));
  return lowerIsBetter ? Math.min(...known) : Math.max(...known);
}

// The indices of all runs, best mean first; runs with equal means keep their order.
function runsByMean(model, measure) {
  const mean = (run) => data.scores[model][measure][run][0];
  return indices(data.runs.length).sort((a, b) => compareScores(mean(a), mean(b), data.lower_is_better[measure]));
}

// Greedy references, such as oracle, are no runs of a system, so none is the best run.
const isReference = (run) => data.references.includes(run);
const bestOfRuns = (scores, lowerIsBetter) => bestScore(scores.filter((_, run) => !isReference(run)), lowerIsBetter);
const runLabel = (run) => data.runs[run] + (isReference(run) ? " (greedy reference)" : "");

// ---- Topics, with their titles if the report has topic files

const MAX_TITLE = 70;
const topicName = (topic) => {
  const title = data.topic_titles[topic];
  return title ? `${data.topics[topic]}: ${title}` : data.topics[topic];
};
const shortTopicName = (topic) => shortenMiddle(`topic ${topicName(topic)}`, MAX_TITLE);

// ---- Controls

function fillOptions(select, labels, chosen) {
  select.replaceChildren(...labels.map((label, index) => makeElement("option", { value: index }, label)));
  select.value = chosen;
}

function makeSelect(label, options, chosen, onChange) {
  const select = makeElement("select", { id: newId("select") });
  fillOptions(select, options, chosen);
  select.addEventListener("change", () => onChange(Number(select.value)));
  return { select, node: makeElement("label", { class: "control", for: select.id }, label, select) };
}

function makeButton(label, onClick) {
  const button = makeElement("button", { type: "button", class: "button" }, label);
  button.addEventListener("click", onClick);
  return button;
}

// Wrap a table that may be too wide, with a cue if it scrolls sideways.
function makeScrollable(label, table) {
  const region = makeElement("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": label }, table);
  const cue = makeElement("p", { class: "cue screen", hidden: true }, "Scroll sideways for more columns →");
  const frame = makeElement("div", { class: "frame" }, region);
  const update = () => {
    const hiddenWidth = region.scrollWidth - region.clientWidth;
    cue.hidden = hiddenWidth <= 1;
    frame.classList.toggle("more-left", region.scrollLeft > 1);
    frame.classList.toggle("more-right", region.scrollLeft < hiddenWidth - 1);
  };
  region.addEventListener("scroll", update, { passive: true });
  const observer = new ResizeObserver(update);
  observer.observe(region);
  observer.observe(table);
  return makeElement("div", {}, cue, frame);
}

// A text without its middle if it is long, because long names often differ only at their ends.
function shortenMiddle(text, length) {
  const characters = [...text];
  if (characters.length <= length) return text;
  const end = Math.floor((length - 1) / 2);
  return `${characters.slice(0, length - 1 - end).join("")}…${characters.slice(-end).join("")}`;
}

// ---- Tables that the reader can sort
//
// columns: {label, number, lowerIsBetter, title}.
// rows: lists of cells {value, node, strong, shade, addition}; the first cell is the heading of the row.
// sortColumn: the column by which the table is sorted at first; none by default.

function makeSortableTable(caption, columns, rows, sortColumn) {
  const body = makeElement("tbody");
  const firstDirection = (column) => (column.number && !column.lowerIsBetter ? "descending" : "ascending");
  const opposite = { ascending: "descending", descending: "ascending" };

  const headers = columns.map((column, index) => {
    const button = makeElement("button", { type: "button" }, column.label);
    button.addEventListener("click", () => {
      const first = firstDirection(column);
      sortRows(index, headers[index].getAttribute("aria-sort") === first ? opposite[first] : first);
    });
    return makeElement("th", { scope: "col", class: column.number ? "number" : null, title: column.title }, button,
      makeElement("span", { class: "print" }, column.label)); // browsers do not repeat buttons on further pages
  });

  function makeCell(cell, index) {
    const text = cell.node || (columns[index].number ? formatScore(cell.value) : isolate(cell.value));
    const content = cell.strong
      ? makeElement("strong", {}, text, makeElement("span", { class: "hidden" }, " (best)"))
      : text;
    if (index === 0) return makeElement("th", { scope: "row" }, content);
    const classes = [columns[index].number && "number", cell.shade !== undefined && "shaded"].filter(Boolean);
    const node = makeElement("td", { class: classes.join(" ") || null }, content,
      cell.addition ? makeElement("span", { class: "small" }, ` ${cell.addition}`) : null);
    if (cell.shade !== undefined) node.style.setProperty("--shade-strength", cell.shade.toFixed(3));
    return node;
  }

  const lines = rows.map((cells, position) => ({ node: makeElement("tr", {}, cells.map(makeCell)), cells, position }));
  const showLines = () => body.replaceChildren(...lines.map((line) => line.node));

  // Empty cells come last in both directions; equal cells keep the original order.
  function sortRows(index, direction) {
    headers.forEach((header, other) => {
      if (other === index) header.setAttribute("aria-sort", direction);
      else header.removeAttribute("aria-sort");
    });
    const sign = direction === "ascending" ? 1 : -1;
    lines.sort((a, b) => {
      const [first, second] = [a.cells[index].value, b.cells[index].value];
      const missing = isMissing(first) - isMissing(second);
      if (missing || isMissing(first)) return missing || a.position - b.position;
      const order = columns[index].number
        ? first - second
        : String(first).localeCompare(String(second), "en", { numeric: true });
      return sign * order || a.position - b.position;
    });
    showLines();
  }

  if (sortColumn === undefined) showLines();
  else sortRows(sortColumn, firstDirection(columns[sortColumn]));
  return makeElement("table", {},
    makeElement("caption", {}, makeElement("span", {}, caption)),
    makeElement("thead", {}, makeElement("tr", {}, headers)),
    body);
}
