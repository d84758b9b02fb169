/* The keys of the judging page. */

const withShift = (key) => key.replace(/([^+]+)$/, "Shift+$1");

/** Return the commands for Keyboard.add. */
export function createKeymap({ commands, data, gradeKeys, selection, showKeys }) {
  const move = (keys, kind, does) => ({
    keys,
    moreKeys: keys.map(withShift),
    does,
    inText: true,
    run: (name) => {
      const direction = /(Left|Up|Home|,)$/.test(name) ? -1 : 1;
      commands.moveBy(kind, direction, { extend: name.includes("Shift+") });
    },
  });
  const select = (key, kind) => ({
    keys: [key],
    does: `select the ${kind}; again: extend by the next one`,
    run: () => commands.selectUnit(kind),
  });
  const enter = () => {
    if (selection.edge) return commands.finishEdge();
    return selection.span ? commands.highlightAgain() : false;
  };
  const highlightKeys = gradeKeys.filter((key) => key !== null);
  const withGrades = highlightKeys.length ? " with the last grade" : "";
  return {
    "Move and select": [
      move(["ArrowUp", "ArrowDown"], "paragraph", "previous and next paragraph"),
      move(["ArrowLeft", "ArrowRight"], "word", "previous and next word"),
      move(
        ["Ctrl+ArrowLeft", "Ctrl+ArrowRight", "Alt+ArrowUp", "Alt+ArrowDown"],
        "sentence",
        "previous and next sentence",
      ),
      move([",", "."], "character", "previous and next character"),
      move(["Home", "End"], "edge", "start and end of the paragraph"),
      move(["Ctrl+Home", "Ctrl+End"], "document", "start and end of the document"),
      {
        keys: ["n", "Shift+n"],
        does: "next and previous result of the pool",
        run: (name) => commands.jumpResult(name === "n" ? 1 : -1),
      },
      {
        keys: ["h", "Shift+h"],
        does: "next and previous highlight",
        run: (name) => commands.jumpHighlight(name === "h" ? 1 : -1),
      },
      {
        keys: ["v"],
        does: "start or end selecting: moves then extend the selection, as with Shift",
        run: commands.toggleSelecting,
      },
      select("p", "paragraph"),
      select("s", "sentence"),
      select("w", "word"),
      { keys: ["Escape"], does: "cancel", run: commands.cancel },
    ],
    Highlight: [
      {
        keys: highlightKeys,
        does: "highlight the selection with this grade, or grade the highlight",
        run: (name) => commands.highlight(data.grades[gradeKeys.indexOf(name)].value),
      },
      {
        keys: ["Enter"],
        does: `highlight the selection${withGrades}; save a moved end`,
        inText: true,
        run: enter,
      },
      {
        keys: ["b", "e"],
        does: "move the beginning or the end of the highlight",
        run: (name) => commands.startEdge(name === "b" ? "start" : "end"),
      },
      { keys: ["c"], does: "split the highlight at the cursor", run: commands.splitActive },
      {
        keys: ["x"],
        moreKeys: ["Delete", "Backspace"],
        does: "remove highlights from the selection, or delete the highlight",
        run: commands.erase,
      },
      {
        keys: ["m"],
        does: "mark the best entry point at the cursor or the start of the highlight; again: remove it",
        run: commands.setEntry,
      },
      { keys: ["u", "Ctrl+z"], does: "undo", run: commands.undo },
      { keys: ["r", "Ctrl+y", "Ctrl+Shift+z"], does: "redo", run: commands.redo },
    ],
    Document: [
      {
        keys: ["0", "z"].filter((key) => !gradeKeys.includes(key)),
        does: "nothing relevant",
        run: commands.nothingRelevant,
      },
      { keys: ["f"], does: "finish and show the next document", run: commands.finishAndContinue },
      { keys: ["Shift+f"], does: "reopen the document", run: commands.reopen },
      {
        keys: ["[", "]"],
        does: "previous and next document, without finishing",
        run: (name) => {
          if (name === "[") commands.go(data.previous, "This is the first document of the pool.");
          else commands.go(data.next, "This is the last document of the pool.");
        },
      },
      { keys: ["t"], does: "show or hide the description of the topic", run: commands.toggleTopic },
      { keys: ["?"], does: "show the keys", run: showKeys },
    ],
  };
}
