"""Gold spans, rankings and documents for the tests of results that count as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

import xcg
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunks import run_of_chunks
from xcg.runs.run import Ranking, Run

GoldSpan = tuple[str, int, int, float]
"""Document, start, end and grade of a relevant passage."""

Chunk = tuple[str, int, int]
"""Document, start and end of a result."""

DOCUMENTS = {"bees": f"<d>{'word ' * 20}</d>"}
"""One document of 100 characters; each of its 20 tokens takes five with the space after it."""

GOLD: list[GoldSpan] = [("bees", 10, 30, 2.0), ("bees", 50, 60, 1.0)]
"""Four tokens with a score of 1, and two with a score of 0.5: both spans score 0.05 per character.

So the ideal reader gains 0.25 per token, and 1.5 after six tokens.
"""


def recall_base(gold: Sequence[GoldSpan]) -> RecallBase:
    """Return a recall-base with gold spans for topic 1."""
    base = RecallBase()
    base.add_topic("1", "test")
    for document, start, end, grade in gold:
        base.add_span("1", document, Span(start, end, grade), "test")
    return base


def chunk_run(name: str, chunks: Sequence[Chunk]) -> Run:
    """Return a run with a ranking of chunks for topic 1."""
    results = [(document, "", (start, end)) for document, start, end in chunks]
    return Run(name, {"1": Ranking.of(results)})


def in_three_forms(*names: str) -> tuple[RecallBase, dict[str, str], list[Run]]:
    """Return gold, a corpus, and three runs: one ranking as paths, as offsets and as dicts."""
    documents = {"d": "<a><s>one two <p>three</p></s><s>four five six</s></a>"}
    tree = xcg.Corpus.of(dict(documents)).tree("d")
    paths = ["/a[1]/s[2]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]", "/a[1]"]
    spans = [(int(tree.start[tree.row(p)]), int(tree.stop[tree.row(p)])) for p in paths]
    as_paths, as_offsets, as_dicts = names
    runs = [
        Run.of(as_paths, {"1": [("d", path) for path in paths]}),
        chunk_run(as_offsets, [("d", *span) for span in spans]),
        run_of_chunks(as_dicts, {"1": [{"doc": "d.xml", "start": a, "end": b} for a, b in spans]}),
    ]
    return recall_base([("d", 4, 13, 2.0), ("d", 18, 26, 1.0)]), documents, runs


texts = st.lists(st.sampled_from(["a", "bee", "honey,", "x.y", "  "]), min_size=3, max_size=12).map(
    " ".join
)


@st.composite
def span_cases(draw: st.DrawFn) -> tuple[dict[str, str], list[GoldSpan], list[Chunk]]:
    """Draw two documents, gold spans in them, and a ranking of chunks."""
    documents = {name: draw(texts) for name in ("d", "e")}

    def chunk() -> Chunk:
        name = draw(st.sampled_from(["d", "e"]))
        length = len(documents[name])
        start = draw(st.integers(0, length - 1))
        return name, start, draw(st.integers(start + 1, length))

    gold = [(*chunk(), draw(st.sampled_from([1.0, 2.0]))) for _ in range(draw(st.integers(1, 4)))]
    ranking = [chunk() for _ in range(draw(st.integers(0, 6)))]
    return {name: f"<t>{text}</t>" for name, text in documents.items()}, gold, ranking
