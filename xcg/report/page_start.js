// ---- Printing: everything is open, wide tables are split, and the ranking is read to its end

const PRINTED_COLUMNS = 9;
let stateBeforePrint = null;
const explanationIsShown = () => shown.model && !nodesOfPage.content.hidden;

window.addEventListener("beforeprint", () => {
  if (stateBeforePrint) return;
  const closed = [...document.querySelectorAll("details")].filter((details) => !details.open);
  stateBeforePrint = { closed, rank: reader.rank };
  for (const details of closed) details.open = true;
  showTopicTable(PRINTED_COLUMNS);
  if (explanationIsShown()) showRank(shown.ranking.shown);
});

window.addEventListener("afterprint", () => {
  if (!stateBeforePrint) return;
  for (const details of stateBeforePrint.closed) details.open = false;
  showTopicTable();
  if (explanationIsShown()) showRank(stateBeforePrint.rank);
  stateBeforePrint = null;
});

showSummary();
showMeasures();
showRanks();
showComparisons();
showCurves();
showTopics();
showExplanations();
