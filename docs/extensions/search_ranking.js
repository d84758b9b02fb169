/*
 * Ranking of the search: pages that match most words of a question, titles first.
 *
 * Sphinx shows only pages that contain all words of a query, and scores a page by its best word. A
 * question such as "how do I run on a cluster" then finds long pages rather than the page about it. Here
 * rare words weigh more, words in the title of the page weigh most, and how-to guides come before
 * generated pages and long studies.
 */
"use strict";

const WEIGHT_OF_TITLE = 4;
const WEIGHT_OF_HEADING = 1.5;
const WEIGHT_OF_TEXT = 1;
const WEIGHT_OF_WORDING = 2; // if title and query have the same words, with those that are not indexed
const LEAST_SHARE = 0.5; // of the words of the query, by weight
const WEIGHT_OF_FOLDER = {
  start: 1.2,
  howto: 1.1,
  concepts: 1.05,
  reference: 1,
  "reference/commands": 0.8,
  "reference/definitions": 0.9,
  "reference/api": 0.8,
  studies: 0.7,
  decisions: 0.7,
  architecture: 0.7,
};

function rankPages(query, searchTerms, excludedTerms, highlightTerms, objectTerms) {
  const index = Search._index;
  const stemmer = new Stemmer();
  const allStems = (text) =>
    new Set(splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word)));
  const asked = allStems(query);
  const pagesOf = (table, word) => {
    const listed = (key) => (Object.hasOwn(table, key) ? [table[key]].flat() : []);
    const exact = listed(word);
    if (exact.length || word.length < 3) return new Set(exact);
    return new Set(
      Object.keys(table)
        .filter((key) => key.startsWith(word))
        .flatMap(listed),
    );
  };

  const words = [...searchTerms].map((word) => {
    const text = pagesOf(index.terms, word);
    const heading = pagesOf(index.titleterms, word);
    const count = new Set([...text, ...heading]).size;
    return { word, text, heading, weight: Math.log(1 + index.titles.length / (count + 0.5)) };
  });
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  const excluded = new Set(
    [...excludedTerms].flatMap((word) => [...pagesOf(index.terms, word), ...pagesOf(index.titleterms, word)]),
  );
  const weights = new Map(words.map(({ word, weight }) => [word, weight]));
  const similarity = (inTitle) => {
    const both = [...inTitle].filter((word) => asked.has(word)).length;
    return both / Math.max(inTitle.size + asked.size - both, 1);
  };
  const matched = (inTitle) =>
    [...inTitle].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);

  const sections = new Map(); // page → its headings
  for (const [title, places] of Object.entries(index.alltitles))
    for (const [page, id] of places)
      if (id !== null) sections.set(page, [...(sections.get(page) ?? []), { title, id }]);

  const results = [];
  index.titles.forEach((title, page) => {
    if (excluded.has(page)) return;
    const inTitle = allStems(title);
    let score = 0;
    let found = 0;
    for (const { word, text, heading, weight } of words) {
      if (!text.has(page) && !heading.has(page)) continue;
      found += weight;
      if (inTitle.has(word)) score += WEIGHT_OF_TITLE * weight;
      else score += (heading.has(page) ? WEIGHT_OF_HEADING : WEIGHT_OF_TEXT) * weight;
    }
    if (!found || found < LEAST_SHARE * total) return;
    score = score / total + WEIGHT_OF_WORDING * similarity(inTitle);
    const folders = index.docnames[page].split("/");
    score *= WEIGHT_OF_FOLDER[folders.slice(0, 2).join("/")] ?? WEIGHT_OF_FOLDER[folders[0]] ?? 1;
    // Link to the section that names more words of the query than the title of the page.
    let [best, most] = [null, matched(inTitle)];
    for (const section of sections.get(page) ?? []) {
      const share = matched(allStems(section.title));
      if (share > most) [best, most] = [section, share];
    }
    results.push([
      index.docnames[page],
      best === null ? title : `${title} > ${best.title}`,
      best === null ? "" : `#${best.id}`,
      null,
      score,
      index.filenames[page],
      SearchResultKind.text,
    ]);
  });

  // Names of the Python API: first if the query is such a name, last otherwise.
  for (const term of objectTerms)
    for (const object of Search.performObjectSearch(term, objectTerms)) {
      const name = object[1].toLowerCase();
      const isNamed = objectTerms.size === 1 && (name === term || name.endsWith(`.${term}`));
      object[4] = isNamed ? 2 * WEIGHT_OF_TITLE : 0;
      results.push(object);
    }
  const seen = new Set();
  return results
    .sort((a, b) => b[4] - a[4] || a[1].localeCompare(b[1]))
    .filter(([page, , anchor]) => !seen.has(page + anchor) && seen.add(page + anchor))
    .reverse(); // the search page takes results from the end
}

function replaceRanking() {
  Search._performSearch = rankPages;
}

if (typeof Search === "undefined") document.addEventListener("DOMContentLoaded", replaceRanking);
else replaceRanking();
