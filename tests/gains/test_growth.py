"""The work per result does not grow with the number of results in one document."""

from __future__ import annotations

import pytest

from xcg.errors import InputError
from xcg.gains import span_reader
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
