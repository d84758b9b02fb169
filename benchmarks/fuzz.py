"""Test readers and whole commands with hostile input: python benchmarks/fuzz.py [--help].

The inputs of the readers are mutated samples of every format, or random bytes. A reader must return a result or
raise xcg's own error. Any other error ends the run and prints the input, which can then become a test.
The commands are those of hostile_commands.py: each must end with a result or with one message.
The campaigns are those of second_forms.py: the same scores in every format, and no lost field without a message.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hostile_inputs import archive, mutated
from second_forms import findings

from xcg.campaign import load
from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.documents.text_search import Quote, TextIndex
from xcg.errors import Notes, XcgError
from xcg.formats.base import read_assessments, read_run
from xcg.formats.json_assessments import read_highlights
from xcg.formats.placing import locate_passages, update_gold
from xcg.judgements.anchoring import anchor
from xcg.measures import MEASURES
from xcg.user_model.model import resolve_models

XML = b'<?xml version="1.0" encoding="UTF-8"?><a t="1"><b>one <i>two</i></b><!-- c --><b><![CDATA[x]]></b></a>'
ASSESSMENTS = [
    b'<assessments topic="1"><file file="d"><path path="/a[1]" exhaustiveness="3" specificity="1"/>'
    b'<path path="/a/b" e="U" s="U"/></file></assessments>',
    b'<assessments topic="1"><file file="d"><path path="/a" relevance="3" coverage="L"/></file></assessments>',
    b'<assessments pool="1" topic="2" version="2"><inex_topic/><file collection="x" name="d">'
    b'<element path="/a[1]" exhaustivity="?" size="9" rsize="3"/></file></assessments>',
    b"1 Q0 d 20 99 4 5:10 50:10\r\n2 Q0 e 0 9\n",
    b"1 0 d 2\n1 0 d#/a[1]/b[2] 1\n2 0 e -1\n",
    b'{"topic": "1", "doc": "d", "level": 2}\n{"topic": "2", "doc": "d", "path": "/a", "level": 1}\n',
    b'<assessments topic="3"><file name="d"><passage start="/a[1]/text()[1].0" end="/a/b[2]" size="5"/>'
    b'<best-entry-point path="/a/b/text()[1].2"/></file></assessments>',
    b'{"topic": "1", "doc": "d", "path": "/a", "exhaustivity": 3, "specificity": 1}\n'
    b'{"topic": "1", "doc": "e", "start": 1, "end": 5, "exhaustivity": 1, "text": "x"}\n',
]
RUNS = [
    b'<inex-submission run-id="r"><topic topic-id="1"><result><file>d</file><path>/a[1]</path><rank>1</rank>'
    b'<rsv>.5</rsv></result><result><file>d</file><fol offset="1" length="5"/></result></topic>'
    b"</inex-submission>",
    b'<inex-submission run-id="r"><topic topic-id="1"><result><file>d</file><passage start="/a/text()[1].0" '
    b'end="/a/b"/><rsv>2</rsv></result></topic></inex-submission>',
    b"1 Q0 d 1 3 r\n1 Q0 d#/a[1] 1 2.5 r\n1 Q0 d 2 1e3 r /a/b[2]\n1 Q0 d 3 1 r 5 20\n",
    b'{"topic": "1", "doc": "d", "path": "/a", "score": 1}\n{"topic": 1, "doc": "d", "start": 0, "end": 2, "rank": 1}\n',
]
SWEEP = (
    b"name: m\nquantisation: {gains: {1: 1, 2: 10}}\nideal: [leaves, {name: kazai_lalmas, tie: [deeper]}]\n"
    b"relevance_value: {alpha: {from: 0, to: 1, step: 0.5}, near_misses: {name: distance, reach: [1, 2]}}\n"
)
MODEL = (
    b'name: m\nquantisation: {table: {"3,3": 1, "2,3": 0.8}}\nideal: {name: kazai_lalmas, tie: deeper}\n'
    b"relevance_value: {alpha: 0.5, normalisation: subtree}\nsize: words\neffort: {interpolation: linear}\n"
)
CONFIG = b"corpus: c\nassessments: [a, b]\nruns: r\nuser_model: overlap-off\nmeasures: [nxCG@10]\n"
QUOTES = b'{"topic": "1", "doc": "d", "text": "one two"}\n'
SEARCHES = [
    b"one two|three |. four|One two. three one  two. four on-\ne two",
    '“eﬃ\u00adcient” — a\u0301|prefix||"efficient" -- \u00e1 \ufdfa\u200b one'.encode(),
    b"a" * 40 + b"|a|a|" + b"a" * 300,
]
"""Quotes: exact text, prefix, suffix, and the text of the document."""
OLD_GOLD = (
    b'{"topic": "1", "doc": "d", "text": "one", "start": 0, "end": 3, "suffix": " two"}\n'
    b'{"topic": "1", "doc": "d", "exact": "x", "start": 7, "end": 8}\n{"topic": "2", "doc": "d", "level": 1}\n'
)
MARKS = b'{"topic": "1", "doc": "d", "start": 1, "end": 5, "exhaustivity": 2}\n'
NOTES = b"# One\n\ntext *x*\n\n- a\n- b\n\n## Two\n\n| a |\n|---|\n| 1 |\n\n```\ncode\n```\n"
PAGE = b"<!DOCTYPE html><title>t</title><p class=x>one<br>two<script>x</script><table><tr><td>1</table>"


def readers(path: Path) -> list[tuple[str, list[bytes], Callable[[bytes], object]]]:
    """Return name, samples and function of every reader of user files."""
    corpus = Corpus.of({"d": XML})

    def from_file(read: Callable[[Path], object]) -> Callable[[bytes], object]:
        def write_and_read(data: bytes) -> object:
            path.write_bytes(data)
            return read(path)

        return write_and_read

    def all_trees(file: Path) -> object:
        opened = Corpus(file, cache=False)
        return [opened.tree(name) for name in opened]

    def lenient(read: Callable[..., object]) -> Callable[[Path], object]:
        return lambda file: (read(file, Notes(lenient=True)), read(file))

    def search(data: bytes) -> object:
        exact, prefix, suffix, text = [*data.decode("utf-8", "surrogateescape").split("|", 3), *"   "][
            :4
        ]
        for min_similarity in (None, 0.5):
            found = TextIndex(text).locate(Quote(exact, prefix, suffix), min_similarity)
            assert 0 <= found.start <= found.end <= len(text)
            assert found.status != "exact" or text[found.start : found.end] == exact
        return found

    def quoted(file: Path) -> object:
        return anchor(read_assessments(file), corpus, Notes())

    def page(ending: str) -> Callable[[bytes], object]:
        return lambda data: Corpus.of({f"x{ending}": data}).tree("x")

    return [
        ("documents", [XML], parse_document),
        ("pages", [PAGE], page(".html")),
        ("markdown", [NOTES], page(".md")),
        ("text", [NOTES], page(".txt")),
        ("assessments", ASSESSMENTS, from_file(lenient(read_assessments))),
        ("runs", RUNS, from_file(lenient(read_run))),
        ("highlights", [MARKS], from_file(read_highlights)),
        ("passages", [QUOTES], from_file(lambda file: locate_passages(file, corpus))),
        (
            "quotes",
            [OLD_GOLD, QUOTES.replace(b'one two"', b'one", "suffix": " two"')],
            from_file(quoted),
        ),
        ("old gold", [OLD_GOLD], from_file(lambda file: update_gold(file, corpus, 0.5))),
        ("searches", SEARCHES, search),
        ("models", [MODEL, SWEEP], from_file(resolve_models)),
        (
            "configurations",
            [CONFIG + b"topics: {unanswered: skip}\n"],
            from_file(lambda path: load(path).inputs),
        ),
        (
            "measures",
            [
                b"nxCG@10, ep(interpolation=linear)@0.1 MAep(unretrieved=max)",
                b"nxDCG(base=2,gain=exp)@10 xAP(threshold=0.5) iP@0.01 AgP(beta=1,limit=500) P@5 nDCG@3",
            ],
            lambda data: [str(m) for m in MEASURES.parse_all(data.decode("latin-1"))],
        ),
        (
            "archives",
            [archive("zip", {"d.xml": XML}), archive("tar.gz", {"d.xml": XML})],
            from_file(all_trees),
        ),
    ]


def fuzz(inputs: int, seed: int) -> dict[str, tuple[int, int]]:
    """Test a number of inputs; return for each reader how many were tested and how many were read."""
    chance = random.Random(seed)
    counts: dict[str, tuple[int, int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        targets = readers(Path(folder) / "input")
        for number in range(inputs):
            name, samples, read = targets[number % len(targets)]
            data = mutated(chance.choice(samples), chance)
            good = 1
            try:
                read(data)
            except XcgError:
                good = 0
            except BaseException:
                print(f"input {number} of {name}, seed {seed}: {data!r}", file=sys.stderr)
                raise
            tried, kept = counts.get(name, (0, 0))
            counts[name] = tried + 1, kept + good
    return counts


def main() -> None:
    """Print how many inputs each reader read, and how often calls of commands ended with each status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--inputs", type=int, default=200_000, help="number of inputs for readers")
    parser.add_argument("--calls", type=int, default=5_000, help="number of calls of commands")
    parser.add_argument("--campaigns", type=int, default=500, help="number of campaigns in all formats")
    parser.add_argument("--first", type=int, default=0, help="number of the first call")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-failures"), help="folder for the files of failed calls"
    )
    options = parser.parse_args()
    began = time.monotonic()
    if options.inputs:
        for name, (tried, kept) in fuzz(options.inputs, options.seed).items():
            print(f"{name:15} {tried:7} inputs, {kept:7} read, {tried - kept:7} refused")
        passed = f"{options.inputs} inputs, seed {options.seed}, {time.monotonic() - began:.0f} s"
        print(f"{passed}: results or xcg's own error only")
    with tempfile.TemporaryDirectory() as folder:
        wrong = [
            finding
            for number in range(options.campaigns)
            for finding in findings(Path(folder), number, options.seed)
        ]
    print(*wrong, f"{options.campaigns} campaigns in all formats: {len(wrong)} findings", sep="\n")
    broken = bool(wrong)
    if options.calls:
        from hostile_commands import hostile_calls

        counts = hostile_calls(options.calls, options.seed, options.keep, options.first)
        for name, count in sorted(counts.items()):
            print(f"{count:7} × {name}")
        print(f"{options.calls} calls, seed {options.seed}, {time.monotonic() - began:.0f} s")
        broken = broken or any(name.startswith("broken") for name in counts)
    sys.exit(broken)


if __name__ == "__main__":
    main()
