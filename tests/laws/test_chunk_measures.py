"""The two chunk measures break three laws; a measure of covered text keeps all."""

from __future__ import annotations

import math

import pytest

from xcg.laws.chunk_measures import Gold, Retrieved, ndcg_over_chunks, overlap, recall_over_chunks


def test_spans_overlap_if_they_share_a_character() -> None:
    gold = Gold("a", 3, 6, 1)
    spans = {span: overlap(gold, Retrieved("a", *span)) for span in [(0, 3), (0, 4), (5, 6), (6, 9)]}
    assert spans == {(0, 3): False, (0, 4): True, (5, 6): True, (6, 9): False}
    assert not overlap(gold, Retrieved("b", 3, 6))


def test_values_computed_by_hand() -> None:
    gold = [Gold("a", 0, 4, 1), Gold("a", 4, 8, 3)]
    ranking = [Retrieved("b", 0, 9), Retrieved("a", 3, 5)]
    # The second chunk overlaps both gold spans and gets the higher grade; the ideal is 3, 1.
    ndcg = (3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert ndcg_over_chunks(gold, ranking) == pytest.approx(ndcg, abs=1e-15)
    assert recall_over_chunks(gold, ranking) == 0.5
