"""Edit documents in eight ways, move gold with ``xcg place --update``, and count the right spans.

Each document is read as text. Sentences, and phrases of two to six words, become gold with context on
either side; the same gold for every edit. Then the document is edited; every character of the edited
text is known to be a character of the old one, or new. So it is known where each span is now.

A span survives if all its words are still there, next to each other and in order. A surviving span is
right if exactly its own characters are placed, and otherwise wrong, ambiguous or lost. A changed span
(a word was replaced, or its sentence was deleted) counts separately: it is rightly left out, overlaps
what remains of it, or is elsewhere. A wrong span is silent if no message names its line.

    python benchmarks/edited_gold.py FOLDER… [--fuzzy 0.9] [--context 32] [--spans 20] [--quotes]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from xcg import Corpus
from xcg.documents.text_normalisation import same_words
from xcg.formats.placing import update_gold

Character = tuple[str, int]
"""A character and its offset in the old text; -1 for a new one."""
Span = tuple[int, int]
Text = list[Character]
Edit = Callable[[Text, random.Random], Text]

WORDS = ["the", "of", "method", "result", "cell", "value", "table", "model", "review", "patient"]


def new(text: str) -> Text:
    """Return new characters."""
    return [(character, -1) for character in text]


def split(text: Text, pattern: str) -> list[Text]:
    """Cut a text after every match of a pattern."""
    plain = "".join(character for character, _ in text)
    ends = [match.end() for match in re.finditer(pattern, plain)]
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True) if a < b]


def sentence(rng: random.Random) -> str:
    """Return a new sentence."""
    return " ".join(rng.choices(WORDS, k=rng.randint(4, 20))).capitalize() + ". "


def insert_line(text: Text, rng: random.Random) -> Text:
    """Insert a line at the start."""
    return new(f"{sentence(rng)}\n") + text


def insert_sentences(text: Text, rng: random.Random) -> Text:
    """Insert a sentence after every fifth sentence."""
    parts = split(text, r"[.?!]\s+")
    return [c for part in parts for c in (part + new(sentence(rng)) if rng.random() < 0.2 else part)]


def delete_sentences(text: Text, rng: random.Random) -> Text:
    """Delete every fifth sentence."""
    return [c for part in split(text, r"[.?!]\s+") if rng.random() >= 0.2 for c in part]


def reflow(text: Text, rng: random.Random) -> Text:
    """Break lines at other positions, and hyphenate words at their ends."""
    found: Text = []
    column, width = 0, rng.randint(40, 90)
    for character, offset in text:
        if character.isspace():
            is_end = column > width
            found += [("\n" if is_end else " ", offset)]
            column = 0 if is_end else column + 1
        elif column > width and character.islower() and found[-1][0].islower():
            found += [*new("-\n"), (character, offset)]
            column = 1
        else:
            found.append((character, offset))
            column += 1
    return found


TYPOGRAPHY = {
    '"': "“",
    "'": "’",
    "-": "–",
    "fi": "ﬁ",
    "fl": "ﬂ",
    "“": '"',
    "”": '"',
    "’": "'",
    "–": "-",
}


def change_typography(text: Text, rng: random.Random) -> Text:
    """Change quotation marks, dashes, ligatures and spaces."""
    found: Text = []
    index = 0
    while index < len(text):
        pair = "".join(character for character, _ in text[index : index + 2])
        if pair in TYPOGRAPHY:
            found.append((TYPOGRAPHY[pair], text[index][1]))
            index += 2
            continue
        character, offset = text[index]
        if character == " " and rng.random() < 0.1:
            character = "\u00a0"
        found.append((TYPOGRAPHY.get(character, character), offset))
        index += 1
    return found


def move_paragraphs(text: Text, rng: random.Random) -> Text:
    """Shuffle the parts of about ten sentences."""
    sentences = split(text, r"[.?!]\s+")
    parts = [sentences[i : i + 10] for i in range(0, len(sentences), 10)]
    rng.shuffle(parts)
    return [c for part in parts for one in part for c in one]


def change_case(text: Text, rng: random.Random) -> Text:
    """Write one of ten sentences in capitals, as a heading."""
    found: Text = []
    for part in split(text, r"[.?!]\s+"):
        if rng.random() < 0.1:
            part = [(c.upper() if len(c.upper()) == 1 else c, offset) for c, offset in part]  # noqa: PLW2901
        found += part
    return found


def replace_words(text: Text, rng: random.Random) -> Text:
    """Replace one of forty words by another."""
    found: Text = []
    for part in split(text, r"\s+"):
        word = "".join(character for character, _ in part).strip().lower()
        other = rng.choice([one for one in WORDS if one != word])
        found += new(f"{other} ") if rng.random() < 0.025 else part
    return found


EDITS: list[Edit] = [
    insert_line,
    insert_sentences,
    delete_sentences,
    reflow,
    change_typography,
    move_paragraphs,
    change_case,
    replace_words,
]


def gold_of(text: str, count: int, rng: random.Random) -> Iterator[Span]:
    """Choose spans: sentences, or for a third of the spans, phrases of two to six words."""
    sentences = [m.span() for m in re.finditer(r"[^\s.?!][^.?!]{30,400}[.?!](?=\s)", text)]
    for start, end in rng.sample(sentences, min(count, len(sentences))):
        if rng.random() < 1 / 3:
            words = [m.span() for m in re.finditer(r"\S+", text[start:end])]
            first = rng.randrange(len(words))
            last = min(first + rng.randint(1, 5), len(words) - 1)
            yield start + words[first][0], start + words[last][1]
        else:
            yield start, end


class EditedDocument:
    """A document before and after an edit.

    Args:
        name: Its name.
        old: Its text.
        edited: The edited text, with the old offset of each character.
    """

    def __init__(self, name: str, old: str, edited: Text) -> None:
        self.name = name
        self.old = old
        self.plain = "".join(character for character, _ in edited)
        self._offsets = [offset for _, offset in edited]
        self._now = {offset: index for index, offset in enumerate(self._offsets) if offset >= 0}

    def remains(self, span: Span) -> list[int]:
        """Return the positions of the characters of a span in the edited text."""
        return sorted(self._now[offset] for offset in range(*span) if offset in self._now)

    def survives(self, span: Span) -> bool:
        """Return whether all words of a span are still there, next to each other and in order."""
        remains = self.remains(span)
        length = len(remains) and remains[-1] + 1 - remains[0]
        return 0 < length < 3 * (span[1] - span[0]) and same_words(
            self.plain[remains[0] : remains[-1] + 1], self.old[slice(*span)]
        )

    def is_right(self, span: Span, placed: Span) -> bool:
        """Return whether the placed span has exactly the remaining letters and digits of a span."""
        wanted = {o for o in range(*span) if o in self._now and self.old[o].isalnum()}
        found = {self._offsets[index] for index in range(*placed) if self.plain[index].isalnum()}
        if wanted:
            return found == wanted
        return not found and abs(placed[0] - self.remains(span)[0]) < 3


def verdict(document: EditedDocument, span: Span, placed: Span | None, message: str) -> str:
    """Classify the new position of a span; ``message`` is the report on this span."""
    survives = document.survives(span)
    if placed is None:
        if not survives:
            return "changed, left out"
        return "ambiguous" if "occurrence" in message else "lost"
    if survives and document.is_right(span, placed):
        return "right, to check" if message and "similar" not in message else "right"
    remains = document.remains(span)
    if not survives and remains and placed[0] <= remains[-1] and placed[1] > remains[0]:
        return "changed, overlap"
    kind = "wrong" if survives else "changed, elsewhere"
    return f"{kind}, {'reported' if message else 'silent'}"


def measure(
    folders: list[Path], edit: Edit, options: argparse.Namespace
) -> tuple[Counter[str], list[str]]:
    """Count the verdicts for one edit of all documents."""
    counts: Counter[str] = Counter()
    shown: list[str] = []
    for folder in folders:
        corpus = Corpus(folder)
        for name in corpus:
            old = corpus.tree(name).text.strip()
            chosen = list(gold_of(old, options.spans, random.Random(name)))
            changed = edit(
                [(character, offset) for offset, character in enumerate(old)],
                random.Random(f"{edit.__name__} {name}"),
            )
            document = EditedDocument(name, old, changed)
            placed, messages = updated(document, chosen, options)
            for number, span in enumerate(chosen):
                result = verdict(document, span, placed.get(number), messages.get(number, ""))
                counts[result] += 1
                if result in options.show:
                    shown.append(f"{edit.__name__} {name}: {result}: {old[slice(*span)]!r}")
                    shown.append(f"    {messages.get(number, '')}")
    return counts, shown


def updated(
    document: EditedDocument, chosen: list[Span], options: argparse.Namespace
) -> tuple[dict[int, Span], dict[int, str]]:
    """Return the new position of each span, and the message on it, if any."""
    old, context = document.old, options.context
    documents = Corpus.of({document.name: f"<a>{_escaped(document.plain)}</a>"})
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as gold:
        for number, (start, end) in enumerate(chosen):
            record: dict[str, object] = {"topic": number, "doc": document.name, "text": old[start:end]}
            if not options.quotes:
                record |= {"start": start, "end": end}
            if context:
                record["prefix"] = old[max(start - context, 0) : start]
                record["suffix"] = old[end : end + context]
            gold.write(json.dumps(record) + "\n")
        gold.flush()
        placed = update_gold(gold.name, documents, options.fuzzy)
    assert documents.tree(document.name).text == document.plain
    messages = {}
    for message in [*placed.missing, *placed.notes]:
        line, _, rest = message.removeprefix(f"{gold.name}:").partition(": ")
        messages[int(line) - 1] = rest
    found = [one for one in placed.passages if "lost" not in one]
    return {one["topic"]: (one["start"], one["end"]) for one in found}, messages


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;")


COLUMNS = [
    "right",
    "right, to check",
    "ambiguous",
    "lost",
    "wrong, reported",
    "wrong, silent",
    "changed, left out",
    "changed, overlap",
    "changed, elsewhere, reported",
    "changed, elsewhere, silent",
]


def main() -> None:
    """Print a table with one row per edit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fuzzy", type=float, help="minimum similarity of changed text")
    parser.add_argument("--context", type=int, default=32, help="characters of prefix and suffix")
    parser.add_argument("--spans", type=int, default=20, help="spans per document")
    parser.add_argument("--quotes", action="store_true", help="give gold by its text alone")
    parser.add_argument("--edit", action="append", help="an edit; all by default")
    parser.add_argument("--show", action="append", default=[], help="a column whose spans to list")
    options = parser.parse_args()
    print(f"| edit | surviving | right in all | {' | '.join(COLUMNS)} |")
    print(f"|{'---|' * (len(COLUMNS) + 3)}")
    begun = time.perf_counter()
    for edit in EDITS:
        if options.edit and edit.__name__ not in options.edit:
            continue
        counts, shown = measure(options.folders, edit, options)
        surviving = sum(n for name, n in counts.items() if not name.startswith("changed"))
        right = counts["right"] + counts["right, to check"]
        share = f"{right / surviving:.2%}" if surviving else "–"
        numbers = " | ".join(str(counts[name]) for name in COLUMNS)
        print(f"| {edit.__name__} | {surviving} | {share} | {numbers} |", flush=True)
        for line in shown:
            print("   ", line, file=sys.stderr)
    print(f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
