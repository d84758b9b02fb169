// ---- Section "Explanations": the results of one run for one topic, and the document that they come from
//
// A reader reads the ranking from the top. The slider chooses the rank that the reader has reached.

const explanations = data.explanations;
const wordAt = (index) => explanations.words[index];

const reader = { model: 0, topic: 0, run: 0, document: 0, rank: 0 };
const nodesOfPage = {}; // the elements of the section that change
const shown = {}; // what is displayed: model, ranking, results, documentResults, nodes, lines, rows

const decodeResult = ([rank, document, node, path, seen, through, gain, why, isWhole]) =>
  ({ rank, document, node, path: wordAt(path), seen, through, gain, why: wordAt(why), isWhole });
const fileName = (document) => explanations.topics[reader.topic].documents[document].file;

function showExplanations() {
  const root = byId("explained");
  if (!explanations.topics.length || !explanations.runs.length) {
    root.append(makeElement("p", {}, "No topic is explained in this report."));
    return;
  }
  root.append(makeElement("p", {}, explanations.rule.join(" ")));
  const bestRun = runsByMean(0, 0).map((run) => data.runs[run]).find((name) => explanations.runs.includes(name));
  reader.run = explanations.runs.indexOf(bestRun);

  const topicNames = explanations.topics.map((topic) => shortTopicName(data.topics.indexOf(topic.topic)));
  const model = makeSelect("User model", explanations.models, 0, (value) => { reader.model = value; showRanking(); });
  const topic = makeSelect("Topic", topicNames, 0, (value) => { reader.topic = value; showRanking(); });
  const run = makeSelect("Run", explanations.runs, reader.run, (value) => { reader.run = value; showRanking(); });
  const file = makeSelect("Document", [], 0, (value) => { reader.document = shown.documents[value]; showDocument(); });
  const slider = makeElement("input", { type: "range", min: 0, max: 0, step: 1, id: newId("rank") });
  slider.addEventListener("input", () => showRank(Number(slider.value)));
  Object.assign(nodesOfPage, {
    file: file.select,
    title: makeElement("p", {}),
    slider,
    problem: makeElement("p", { class: "error", hidden: true }),
    content: makeElement("div"),
    rank: makeElement("strong", {}),
    status: makeElement("div", { "aria-live": "polite" }),
    previous: makeButton("◀ Previous result from this document", () => goToNeighbour(-1)),
    next: makeButton("Next result from this document ▶", () => goToNeighbour(1)),
    openDocument: makeButton("Show the document of this rank", openDocumentOfRank),
    heading: makeElement("h3", {}),
    results: makeElement("div"),
    derivation: makeElement("details", { id: "derivation" }),
    tree: makeElement("ul", { class: "tree" }),
  });
  root.append(makeElement("div", { class: "controls" }, model.node, topic.node, run.node, file.node),
    nodesOfPage.title, nodesOfPage.problem, nodesOfPage.content);
  const setOpen = (open) => () => {
    for (const details of nodesOfPage.tree.querySelectorAll("details")) details.open = open;
  };
  nodesOfPage.content.append(
    makeElement("div", { class: "rank" },
      makeElement("label", { for: slider.id }, "After rank ", nodesOfPage.rank), slider,
      makeElement("div", { class: "controls" }, nodesOfPage.previous, nodesOfPage.next, nodesOfPage.openDocument),
      nodesOfPage.status),
    nodesOfPage.heading, nodesOfPage.results, nodesOfPage.derivation,
    makeElement("h3", {}, "The document"), makeLegend(),
    makeElement("div", { class: "controls" }, makeButton("Open all", setOpen(true)), makeButton("Close all", setOpen(false))),
    nodesOfPage.tree);
  showRanking();
}

function makeLegend() {
  const sample = (className, text) => makeElement("span", { class: className }, text);
  const entries = [
    [sample("badge", "(3,2)"), " assessed, with the grades of the assessors"],
    [sample("relevant", "text"), " assessed and relevant"],
    [sample("ideal line", "element"), sample("badge b-ideal", "ideal 1"), " in the ideal recall-base, with its score"],
    [sample("badge b-seen", "✓ seen"), " shown by a result so far"],
    [sample("badge b-seen", "◐ partly seen"), " only parts shown so far"],
    [sample("badge b-missed", "missed"), " ideal, and the ranking gains nothing from it"],
  ];
  return makeElement("ul", { class: "key", "aria-label": "Legend" },
    entries.map((entry) => makeElement("li", {}, entry)));
}

// Show the ranking of the chosen run, topic and user model.
function showRanking() {
  const topic = explanations.topics[reader.topic];
  const model = topic.models[reader.model];
  nodesOfPage.title.replaceChildren(makeElement("strong", {}, "Topic "), isolate(topicName(data.topics.indexOf(topic.topic))),
    makeElement("span", { class: "print" },
      `Run ${explanations.runs[reader.run]} under ${explanations.models[reader.model]}.`));
  const { problem, content, file, slider } = nodesOfPage;
  problem.hidden = !model.missing;
  content.hidden = Boolean(model.missing);
  file.disabled = Boolean(model.missing);
  if (model.missing) {
    problem.textContent = printable(`Not explained: ${model.missing}.`);
    fillOptions(file, [], 0);
    return;
  }
  shown.model = model;
  shown.ranking = model.runs[reader.run];
  shown.results = shown.ranking.results.map(decodeResult);
  const gains = new Map(); // document -> total gain
  const counts = new Map(); // document -> number of results
  for (const result of shown.results) {
    gains.set(result.document, (gains.get(result.document) || 0) + result.gain);
    counts.set(result.document, (counts.get(result.document) || 0) + 1);
  }
  shown.documents = indices(topic.documents.length)
    .filter((document) => model.scores[document].length || counts.has(document))
    .sort((a, b) => (gains.get(b) ?? -1) - (gains.get(a) ?? -1) || a - b);
  const describe = (document) => (counts.has(document)
    ? `${countOf(counts.get(document), "result")}, gain ${formatShort(gains.get(document))}`
    : "not retrieved");
  fillOptions(file, shown.documents.map((document) => `${printable(fileName(document))} – ${describe(document)}`), 0);
  reader.document = shown.documents[0];
  nodesOfPage.derivation.replaceChildren(...makeDerivation(shown.ranking));
  slider.max = shown.ranking.shown;
  const results = shown.results.filter((result) => result.document === reader.document);
  const first = results.find((result) => result.gain > 0) || results[0];
  slider.value = first ? first.rank : shown.ranking.shown;
  showDocument();
}

// The steps from the gains of the whole ranking to nxCG and MAep of the topic.
function makeDerivation({ steps, sum }) {
  const columns = ["Rank", "Gain", "xCG", "xCI", "nxCG", "Ideal rank", "ep"].map((label) => ({ label, number: true }));
  const rank = (value) => ({ value, node: document.createTextNode(String(value)) });
  const rows = steps.map(([first, ...values]) => [rank(first), ...values.map((value) => ({ value }))]);
  const caption = "Ranks with gain; ep is the ideal rank, where the ideal ranking has gained xCG, divided by the rank";
  return [makeElement("summary", {}, "How nxCG and MAep follow from the gains"),
    rows.length ? makeScrollable("Derivation", makeSortableTable(caption, columns, rows)) : "",
    makeElement("p", {}, `${sum}.`)];
}

// Show the results from the chosen document, and its tree.
function showDocument() {
  const document = explanations.topics[reader.topic].documents[reader.document];
  const labels = new Map(document.labels);
  shown.nodes = document.nodes;
  shown.documentResults = shown.results.filter((result) => result.document === reader.document);
  nodesOfPage.heading.replaceChildren("Results from ", makeElement("code", {}, document.file));
  showTree(labels);
  showResults(labels);
  showRank(Number(nodesOfPage.slider.value));
}

// labels: node -> assessment. The nodes are in document order: [index of the parent, name, text].
function showTree(labels) {
  const nodes = shown.nodes;
  const scores = new Map(shown.model.scores[reader.document].map(([node, score, ideal]) => [node, { score, ideal }]));
  const missed = new Set(shown.ranking.missed
    .filter(([document]) => document === reader.document).map(([, node]) => node));
  const results = groupByNode(shown.documentResults);
  const parents = new Set(nodes.map(([parent]) => parent));
  // Nodes are open at first if a scored element or a result is below them.
  const open = new Set();
  for (let node = nodes.length - 1; node > 0; node -= 1) {
    const isRelevantText = labels.has(node) && !nodes[node][1];
    if (scores.has(node) || results.has(node) || isRelevantText || open.has(node)) open.add(nodes[node][0]);
  }

  function makeBadges(node) {
    const score = scores.get(node);
    const badges = [];
    if (labels.has(node)) {
      badges.push(makeElement("span", { class: "badge" },
        makeElement("span", { class: "hidden" }, "assessed "), labels.get(node)));
    }
    if (score) {
      badges.push(makeElement("span", { class: "badge" + (score.ideal ? " b-ideal" : "") },
        `${score.ideal ? "ideal" : "score"} ${formatShort(score.score)}`));
    }
    if (missed.has(node)) badges.push(makeElement("span", { class: "badge b-missed" }, "missed"));
    return badges;
  }

  const lists = new Map([[-1, makeElement("ul")]]); // node -> the list of its children
  shown.lines = nodes.map(([parent, name, text], node) => {
    const score = scores.get(node);
    const relevant = labels.has(node) && (Boolean(score) || !name);
    const seen = makeElement("span", { class: "badge b-seen", hidden: true });
    const gains = (results.get(node) || []).map((result) => ({
      rank: result.rank,
      isWhole: result.isWhole, // not a passage inside the element
      node: makeElement("span", { class: "gain", hidden: true },
        makeElement("strong", {}, `rank ${result.rank}`), ` gained ${formatShort(result.gain)}: ${result.why}`),
    }));
    const line = makeElement(parents.has(node) ? "summary" : "div",
      { class: "line" + (score && score.ideal ? " ideal" : "") },
      name ? makeElement("span", { class: "name path" + (relevant ? " relevant" : "") }, name) : null,
      makeBadges(node),
      name ? seen : null,
      text ? makeElement("span", { class: "text" }, makeElement("span", { class: relevant ? "relevant" : "" }, text)) : null,
      gains.map((gain) => gain.node));
    const children = parents.has(node) ? makeElement("ul") : null;
    const item = makeElement("li", {}, children ? makeElement("details", { open: open.has(node) }, line, children) : line);
    if (children) lists.set(node, children);
    lists.get(parent).append(item);
    return { item, line, seen, gains };
  });
  nodesOfPage.tree.replaceChildren(...lists.get(-1).children);
  if (!nodes.some(([, , text]) => text)) {
    nodesOfPage.tree.append(makeElement("li", {}, data.has_documents
      ? "The text is left out, to keep the file small." : "There is no text without the documents."));
  }
}

function groupByNode(results) {
  const groups = new Map();
  for (const result of results) groups.set(result.node, [...(groups.get(result.node) || []), result]);
  return groups;
}

function showResults(labels) {
  const seenBefore = (result) =>
    (result.seen === "no" ? "nothing" : `${result.seen}, ${formatRanks(result.through)}`);
  shown.rows = shown.documentResults.map((result) => {
    const rank = String(result.rank);
    const button = makeElement("button", { type: "button", class: "button", "aria-label": `Go to rank ${rank}` }, rank);
    button.addEventListener("click", () => showRank(result.rank));
    const isElement = result.path.startsWith("/");
    const steps = isElement ? result.path.split("/").slice(1).map((step) => ["/", makeElement("wbr"), step]) : result.path;
    return { rank: result.rank, node: makeElement("tr", {},
      makeElement("th", { scope: "row" }, button, makeElement("span", { class: "print" }, rank)),
      makeElement("td", { class: "path" }, steps),
      makeElement("td", { class: "number" }, formatShort(result.gain)),
      makeElement("td", { class: "why" }, result.why),
      makeElement("td", {}, (isElement && labels.get(result.node)) || "–"),
      makeElement("td", {}, seenBefore(result)),
      makeElement("td", {}, "")) };
  });
  const headers = ["Rank", "Element", "Gain", "Why", "Assessed", "Seen before", "So far"].map((label) =>
    makeElement("th", { scope: "col", class: label === "Gain" ? "number" : null }, label));
  nodesOfPage.results.replaceChildren(shown.rows.length
    ? makeScrollable("Results from this document", makeElement("table", {},
      makeElement("thead", {}, makeElement("tr", {}, headers)),
      makeElement("tbody", {}, shown.rows.map((row) => row.node))))
    : makeElement("p", {}, "This run returned nothing from this document."));
}

// Go to the previous (-1) or next (1) result from the displayed document.
function goToNeighbour(direction) {
  const ranks = shown.documentResults.map((result) => result.rank)
    .filter((rank) => (direction < 0 ? rank < reader.rank : rank > reader.rank));
  if (ranks.length) showRank(direction < 0 ? Math.max(...ranks) : Math.min(...ranks));
}

function openDocumentOfRank() {
  reader.document = shown.documentOfRank;
  nodesOfPage.file.value = shown.documents.indexOf(reader.document);
  showDocument();
}

// Show what the reader has seen and gained after a rank; 0 is the start.
function showRank(rank) {
  reader.rank = rank;
  nodesOfPage.slider.value = rank;
  const { shown: last, length } = shown.ranking;
  nodesOfPage.rank.textContent = `${rank} of ${last}` + (last < length ? ` (the ranking has ${length})` : "");
  markSeenElements(rank);
  for (const row of shown.rows) {
    row.node.className = row.rank > rank ? "unread" : row.rank === rank ? "current" : "";
    row.node.lastChild.textContent = row.rank > rank ? "not yet read" : row.rank === rank ? "just read" : "read";
  }
  const current = shown.results.find((result) => result.rank === rank);
  nodesOfPage.status.replaceChildren(...describeRank(rank, current));
  shown.documentOfRank = current ? current.document : reader.document;
  nodesOfPage.openDocument.disabled = shown.documentOfRank === reader.document;
  nodesOfPage.previous.disabled = !shown.documentResults.some((result) => result.rank < rank);
  nodesOfPage.next.disabled = !shown.documentResults.some((result) => result.rank > rank);
}

// An element is fully seen through a result that is the element or contains it, and partly seen through
// results inside it, also passages.
function markSeenElements(rank) {
  const { nodes, lines } = shown;
  const ownRanks = lines.map((line) => line.gains.map((gain) => gain.rank).filter((own) => own <= rank));
  const fullyThrough = []; // node -> the first rank that shows all of it, or null
  nodes.forEach(([parent], node) => {
    const above = parent >= 0 ? fullyThrough[parent] : null;
    const whole = lines[node].gains.filter((gain) => gain.isWhole && gain.rank <= rank).map((gain) => gain.rank);
    fullyThrough.push(whole.length || above ? Math.min(...whole, above || Infinity) : null);
  });
  const ranksInside = nodes.map(() => []);
  for (let node = nodes.length - 1; node > 0; node -= 1) {
    ranksInside[nodes[node][0]].push(...ownRanks[node], ...ranksInside[node]);
  }
  lines.forEach(({ item, line, seen, gains }, node) => {
    const fully = fullyThrough[node] !== null;
    const inside = [...new Set([...ranksInside[node], ...ownRanks[node]])].sort((a, b) => a - b);
    const partly = !fully && inside.length > 0;
    item.className = fully ? "fully" : partly ? "partly" : "";
    seen.hidden = !fully && !partly;
    seen.textContent = "";
    if (fully) {
      const parent = nodes[node][0];
      const throughParent = parent >= 0 && fullyThrough[parent] === fullyThrough[node];
      seen.textContent = throughParent ? "✓ seen" : `✓ seen, rank ${fullyThrough[node]}`;
    } else if (partly) {
      const ranks = inside.length > 5 ? `ranks ${inside.slice(0, 5).join(", ")} …` : formatRanks(inside);
      seen.textContent = `◐ partly seen, ${ranks}`;
    }
    line.classList.toggle("current", ownRanks[node].includes(rank));
    for (const gain of gains) gain.node.hidden = gain.rank > rank;
  });
}

// Return paragraphs: the gain so far, and the result at the rank.
function describeRank(rank, current) {
  const gained = shown.results.filter((result) => result.rank <= rank).reduce((sum, result) => sum + result.gain, 0);
  const ideal = shown.model.ideal_gain;
  const strong = (value) => makeElement("strong", {}, formatShort(value));
  const total = makeElement("p", {}, "The reader has gained ", strong(gained),
    ` of the ${formatShort(ideal)} in the ideal recall-base`,
    ideal > 0 ? ` (${Math.round((100 * gained) / ideal)} %).` : ".");
  const describeResult = () => {
    if (!shown.ranking.length) return ["This run has no results for the topic."];
    if (rank === 0) return ["The reader has read nothing yet."];
    if (!current) return [`Rank ${rank} is from a document without relevant elements, and gains nothing.`];
    return [`Rank ${rank}: `, makeElement("code", {}, `${fileName(current.document)} ${current.path}`),
      " gained ", strong(current.gain), `: ${current.why}.`];
  };
  return [total, makeElement("p", {}, describeResult())];
}
