/* Mark the words of the topic in the text, on request; changes state whether they have been marked. */

const STORED = "xcg-judge-words";
const LONG = 3; // letters of a word in an alphabet
const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Mymr}]/u;

/** Return an expression for the words of a title, null without words. */
function expressionOf(title, segmenter) {
  const words = [...segmenter.segment(title)]
    .filter(({ isWordLike, segment }) => isWordLike && (segment.length >= LONG || WITHOUT_SPACES.test(segment)))
    .map(({ segment }) => {
      const word = segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return WITHOUT_SPACES.test(segment) ? word : `(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`;
    });
  return words.length ? new RegExp(words.join("|"), "giu") : null;
}

export class TopicWords {
  constructor({ data, element, positions, units }) {
    Object.assign(this, { button: element("mark-words"), positions, units });
    this.expression = expressionOf(data.topic_title, units.segmenters.word);
    this.highlight = new Highlight();
    this.highlight.priority = -1;
    CSS.highlights.set("topic-words", this.highlight);
    this.wereMarked = false;
    this.show(sessionStorage.getItem(STORED) === "on");
  }

  toggle() {
    this.show(!this.isOn);
    sessionStorage.setItem(STORED, this.isOn ? "on" : "off");
    return this.isOn;
  }

  show(isOn) {
    const { expression, highlight, positions, units } = this;
    this.isOn = isOn;
    this.wereMarked ||= isOn;
    this.button.ariaPressed = String(isOn);
    highlight.clear();
    if (!isOn || !expression) return;
    for (const { start, end } of units.paragraphs) {
      const first = positions.unit(start);
      for (const { 0: word, index } of positions.slice(start, end).matchAll(expression)) {
        const from = positions.position(first + index);
        highlight.add(positions.range(from, from + [...word].length));
      }
    }
  }
}
