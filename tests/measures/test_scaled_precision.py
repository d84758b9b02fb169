"""Generalised precision and recall of weights above 1."""

from __future__ import annotations

import pytest

from xcg.errors import XcgError
from xcg.measures import MEASURES, RankingGains


def test_weights_are_divided_by_the_highest() -> None:
    """Järvelin and Kekäläinen's weights 0, 1, 10 and 100: gains 10, 100; ideal 100, 10, 1."""
    topic = RankingGains([10, 100], [100, 10, 1], 1)
    values = [
        ("gPrecision(max=100)@2", 1.1 / 2),
        ("gRecall(max=100)@1", 10 / 111),
        ("gIPrec(max=100)@0.5", 1.1 / 2),
    ]
    for name, value in values:
        assert MEASURES.parse(name).compute(topic) == pytest.approx(value)
    with pytest.raises(XcgError, match=r"highest is 100; .*gPrecision\(max=100\)"):
        MEASURES.parse("gPrecision@2").compute(topic)
