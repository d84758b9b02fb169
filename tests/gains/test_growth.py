"""The work per result does not grow with the number of results in one document."""

from __future__ import annotations

import pytest

from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.gains import span_reader
from xcg.gains.element_reader import ElementReader, JudgedDocument
from xcg.gains.span_reader import GoldSpan, SpanReader
from xcg.user_model.relevance_value import RelevanceValue


def test_repeated_text_that_gains_something_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_reader, "MAX_PIECES", 10)
    gold = [GoldSpan(10 * i, 10 * i + 7, 0.5) for i in range(5)]
    reader = SpanReader(gold, RelevanceValue(alpha=0.5), "bees")
    assert reader.read((0, 50)) == 2.5
    assert reader.read((0, 50)) == 0
    with pytest.raises(InputError, match="bees: the results repeat more than 10 pieces of gold spans"):
        reader.read((0, 50))


def test_scoring_is_nearly_linear_if_everything_overlaps() -> None:
    """Counted work, not time: a chain of ancestors after all leaves touches each element few times."""

    def steps(leaves: int) -> int:
        paths = [f"/a[1]/s[{i // 10 + 1}]/p[{i % 10 + 1}]" for i in range(leaves)]
        tree = ElementTree.from_paths(paths)
        tree.characters[:] = 10
        document = JudgedDocument(tree, dict.fromkeys(range(len(tree)), 0.5), [0])
        reader = ElementReader(
            document, RelevanceValue(normalisation="none")
        )  # every result has its value
        count = 0
        original = reader._value_without_seen_ancestor

        def counting(row: int) -> float:
            nonlocal count
            count += 1
            return original(row)

        reader._value_without_seen_ancestor = counting  # type: ignore[method-assign]
        for row in reversed(range(len(tree))):
            reader.read(row)
        return count

    assert steps(1000) > 1000
    assert steps(4000) < 4.4 * steps(1000)
