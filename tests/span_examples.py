"""Gold spans, rankings and documents shared by the tests of results read as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

import xcg
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunks import run_of_chunks
from xcg.runs.run import Run, ranking_of

Place = tuple[str, int, int]
WORDS = "word " * 20  # 100 characters, 20 tokens of five
DOCUMENTS = {"bees": f"<d>{WORDS}</d>"}


def base_of(spans: Sequence[tuple[str, int, int, float]]) -> RecallBase:
    base = RecallBase()
    base.add_topic("1", "test")
    for document, start, end, grade in spans:
        base.add_span("1", document, Span(start, end, grade), "test")
    return base


def run_of(name: str, places: Sequence[Place]) -> Run:
    results = [(document, "", (start, end)) for document, start, end in places]
    return Run(name, {"1": ranking_of(results)})


# By hand. Gold: 10–30 worth 1 (four tokens) and 50–60 worth .5 (two); both .05 a character, so that the
# ideal reader gains .25 a token and 1.5 after six.
GOLD = [("bees", 10, 30, 2.0), ("bees", 50, 60, 1.0)]


def in_three_forms(*names: str) -> tuple[RecallBase, dict[str, str], list[Run]]:
    """Return gold, a corpus, and one ranking by paths, by offsets and as chunks."""
    documents = {"d": "<a><s>one two <p>three</p></s><s>four five six</s></a>"}
    tree = xcg.Corpus.of(dict(documents)).tree("d")
    paths = ["/a[1]/s[2]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]", "/a[1]"]
    spans = [(int(tree.start[tree.row(p)]), int(tree.stop[tree.row(p)])) for p in paths]
    by_path, by_offsets, as_chunks = names
    runs = [
        Run.of(by_path, {"1": [("d", path) for path in paths]}),
        run_of(by_offsets, [("d", *span) for span in spans]),
        run_of_chunks(as_chunks, {"1": [{"doc": "d.xml", "start": a, "end": b} for a, b in spans]}),
    ]
    return base_of([("d", 4, 13, 2.0), ("d", 18, 26, 1.0)]), documents, runs


texts = st.lists(st.sampled_from(["a", "bee", "honey,", "x.y", "  "]), min_size=3, max_size=12).map(
    " ".join
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, str], list[tuple[str, int, int, float]], list[Place]]:
    documents = {name: draw(texts) for name in ("d", "e")}

    def place() -> Place:
        name = draw(st.sampled_from(["d", "e"]))
        length = len(documents[name])
        start = draw(st.integers(0, length - 1))
        return name, start, draw(st.integers(start + 1, length))

    gold = [(*place(), draw(st.sampled_from([1.0, 2.0]))) for _ in range(draw(st.integers(1, 4)))]
    ranking = [place() for _ in range(draw(st.integers(0, 6)))]
    return {name: f"<t>{text}</t>" for name, text in documents.items()}, gold, ranking
