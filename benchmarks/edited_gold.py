"""Edit documents in eight ways, move gold with ``xcg place --update``, and count right and wrong spans.

Each document is read as text. Sentences and short phrases of it become gold, with 32 characters of
context on either side. Then the document is edited; every character of the edited text is known to be a
character of the old one, or new. So it is known where each span is now, or that its text was changed.

    python benchmarks/edited_gold.py FOLDER… [--fuzzy 0.9] [--context 32] [--spans 40]
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
    """Insert a sentence after every fifth one."""
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
        found += new(f"{rng.choice(WORDS)} ") if rng.random() < 0.025 else part
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


def gold_of(text: str, count: int, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Choose sentences, and for a third of the spans phrases of two to six words."""
    sentences = [m.span() for m in re.finditer(r"\S[^.?!]{30,400}[.?!](?=\s)", text)]
    for start, end in rng.sample(sentences, min(count, len(sentences))):
        if rng.random() < 1 / 3:
            words = [m.span() for m in re.finditer(r"\S+", text[start:end])]
            first = rng.randrange(len(words))
            last = min(first + rng.randint(1, 5), len(words) - 1)
            yield start + words[first][0], start + words[last][1]
        else:
            yield start, end


def verdict(
    old: str, plain: str, now: dict[int, int], span: tuple[int, int], placed: dict[str, object] | None
) -> str:
    """Judge where a span was placed: right, wrong, or left out; and whether its text survives.

    ``now`` is old offset → offset in the edited text, which is ``plain``.
    """
    positions = sorted(now[offset] for offset in range(*span) if offset in now)
    survives = False
    if positions:
        first, last = positions[0], positions[-1] + 1
        survives = last - first < 3 * (span[1] - span[0]) and same_words(
            plain[first:last], old[slice(*span)]
        )
    if placed is None:
        return "left out" if survives else "left out, text changed"
    start, end = int(str(placed["start"])), int(str(placed["end"]))
    if survives:
        return (
            "right"
            if same_words(plain[start:end], plain[first:last]) and abs(start - first) < 3
            else "wrong"
        )
    if positions and start < positions[-1] and end > positions[0]:
        return "similar text, right"
    return "wrong, text changed"


def measure(
    folders: list[Path], edit: Edit, context: int, spans: int, fuzzy: float | None
) -> tuple[Counter[str], list[str]]:
    """Count the verdicts for one edit of all documents."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    rng = random.Random(edit.__name__)
    for folder in folders:
        corpus = Corpus(folder)
        for name in corpus:
            old = corpus.tree(name).text.strip()
            edited = edit([(character, offset) for offset, character in enumerate(old)], rng)
            chosen = list(gold_of(old, spans, rng))
            plain = "".join(character for character, _ in edited)
            now = {offset: index for index, (_, offset) in enumerate(edited) if offset >= 0}
            documents = Corpus.of({name: f"<a>{_escaped(plain)}</a>"})
            with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as gold:
                for number, (start, end) in enumerate(chosen):
                    record = {
                        "topic": number,
                        "doc": name,
                        "start": start,
                        "end": end,
                        "text": old[start:end],
                    }
                    if context:
                        record["prefix"] = old[max(start - context, 0) : start]
                        record["suffix"] = old[end : end + context]
                    gold.write(json.dumps(record) + "\n")
                gold.flush()
                placed = update_gold(gold.name, documents, fuzzy)
            found = {record["topic"]: record for record in placed.passages}
            reported = " ".join([*placed.missing, *placed.notes])
            assert documents.tree(name).text == plain
            for number, span in enumerate(chosen):
                result = verdict(old, plain, now, span, found.get(number))
                if result.startswith("wrong"):
                    is_silent = f"{gold.name}:{number + 1}:" not in reported
                    result += ", silent" if is_silent else ", reported"
                    wrong.append(f"{edit.__name__} {name}: {result}: {old[slice(*span)]!r}")
                counts[result] += 1
    return counts, wrong


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;")


def main() -> None:
    """Print one line per edit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fuzzy", type=float)
    parser.add_argument("--context", type=int, default=32)
    parser.add_argument("--spans", type=int, default=40)
    options = parser.parse_args()
    for edit in EDITS:
        begun = time.perf_counter()
        counts, wrong = measure(options.folders, edit, options.context, options.spans, options.fuzzy)
        surviving = counts["right"] + sum(
            n
            for name, n in counts.items()
            if name == "left out" or name in ("wrong, silent", "wrong, reported")
        )
        share = counts["right"] / surviving if surviving else 1.0
        listed = ", ".join(f"{n} {name}" for name, n in sorted(counts.items()))
        seconds = time.perf_counter() - begun
        print(
            f"{edit.__name__}: {share:.2%} of {surviving} right ({listed}), {seconds:.1f} s", flush=True
        )
        for line in wrong[:5]:
            print("   ", line, file=sys.stderr)


if __name__ == "__main__":
    main()
