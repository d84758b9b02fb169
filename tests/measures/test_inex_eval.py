"""The measures of INEX before XCG: inex-eval, inex-eval-ng and overlap."""

from __future__ import annotations

import random
from typing import ClassVar

import pytest
import reference_lineage as oracle
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.measures.inex_eval import precall


class TestInexEval:
    """Kazai and Lalmas 2006, equation 17."""

    @given(st.lists(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=1, max_size=3), max_size=6))
    def test_agrees_with_the_transcription_of_the_formula(self, ranks: list[list[float]]) -> None:
        total = sum(map(sum, ranks)) + 0.5
        for recall in (0.25, 0.5, 1):
            assert precall(ranks, total, recall) == pytest.approx(
                oracle.precall(ranks, None, total, recall)
            )

    def test_an_evaluation_ignores_overlap_and_groups_ties(self) -> None:
        base = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (3, 3)}}}  # sog .25 and 1
        runs = {
            "strict": {"1": ["d#/a/s[1]", "d#/a"]},
            "tied": {"1": {"d#/a/s[1]": 2.0, "e#/x": 2.0}},
            "none": {"1": ["e#/x"]},
        }
        found = xcg.evaluate(base, runs, None, None, "inexEval@0.8 inexEval@1 inexEval")
        assert found.value("strict", "inexEval@0.8") == pytest.approx(1)
        # n = 1.25; on the second rank lie .25 and .75: 1.25 / (1.25 + 0 + .25 · .75 / 1.25)
        assert found.value("strict", "inexEval@1") == pytest.approx(1.25 / (1.25 + 0.15))
        # one rank with 1 and 0: 1 / (1 + 1 · 1 / 2)
        assert found.value("tied", "inexEval@0.8") == pytest.approx(2 / 3)
        assert found.value("tied", "inexEval@1") == found.value("none", "inexEval") == 0
        points = [precall([[1.0], [0.25]], 1.25, x / 100) for x in range(1, 101)]
        assert found.value("strict", "inexEval") == pytest.approx(sum(points) / 100)
        assert found.value("strict", "inexEval") == pytest.approx(
            oracle.precall_mean([[1.0], [0.25]], 1.25)
        )


def test_overlap_is_the_share_of_results_that_overlap_others() -> None:
    base = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (3, 3)}}}
    runs = {"r": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]", "e#/a"]}}
    found = xcg.evaluate(base, runs, None, None, "overlap overlap@1")
    assert found.value("r", "overlap") == 0.5  # topic 2 has no results, so it has no overlap
    assert found.value("r", "overlap@1") == 0
    whole = {"r": {"1": ["d", "d#/a/s[1]", "e"]}}
    assert xcg.evaluate(base, whole, None, None, "overlap").value("r", "overlap") == pytest.approx(
        2 / 3
    )


class TestInexEvalNg:
    # a has 20 characters, s[1] 10 of them, s[1]/p[1] 4 of these
    DOCUMENT = "<a><s><p>1234</p>567890</s><s>1234567890</s></a>"
    BASE: ClassVar = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (2, 3), "/a/s[1]/p[1]": (1, 3)}}}
    RUN: ClassVar = {"r": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]}}

    def value(self, measure: str) -> float:
        return xcg.evaluate(self.BASE, self.RUN, {"d": self.DOCUMENT}, None, measure).value(
            "r", measure
        )

    def test_recall_and_precision_by_hand(self) -> None:
        total = (3 + 2 + 1) / 3
        assert self.value("ngRecall@2") == pytest.approx((1 / 3 + 2 / 3 * 6 / 10) / total)
        assert self.value("ngRecall(overlap=ignored)@2") == pytest.approx((1 / 3 + 2 / 3) / total)
        assert self.value("ngPrecision@2") == 1
        assert self.value("ngPrecision") == pytest.approx((4 + 6) / 20)
        assert self.value("ngPrecision(overlap=ignored)") == pytest.approx(14 / 24)

    def test_agrees_with_the_transcription_of_the_formulas(self) -> None:
        generator = random.Random(3)
        spans = {"/a": (0, 20), "/a/s[1]": (0, 10), "/a/s[1]/p[1]": (0, 4), "/a/s[2]": (10, 20)}
        grades = {path: (e / 3, s / 3) for path, (e, s) in self.BASE["1"]["d"].items()}
        for _ in range(30):
            ranking = [generator.choice(list(spans)) for _ in range(generator.randint(1, 6))]
            run = {"r": {"1": [f"d#{path}" for path in ranking]}}
            results = [("d", *spans[path], *grades.get(path, (0, 0))) for path in ranking]
            for considered in (True, False):
                option = "considered" if considered else "ignored"
                for k in (1, 3):
                    names = [f"ngRecall(overlap={option})@{k}", f"ngPrecision(overlap={option})@{k}"]
                    found = xcg.evaluate(self.BASE, run, {"d": self.DOCUMENT}, None, names)
                    recall, precision = (row.value for row in found.means())
                    assert recall == pytest.approx(oracle.ng_recall(results, 2, k, considered))
                    assert precision == pytest.approx(oracle.ng_precision(results, k, considered))

    def test_it_needs_grades_and_a_corpus(self) -> None:
        with pytest.raises(XcgError, match="ngRecall@1: needs the documents: expected a corpus"):
            xcg.evaluate(self.BASE, self.RUN, None, None, "ngRecall@1")
        flat = {"1": {"d": 1}}
        message = "needs exhaustivity and specificity, but the assessment level 1 is on the level scale"
        with pytest.raises(XcgError, match=message):
            xcg.evaluate(flat, self.RUN, {"d": self.DOCUMENT}, None, "ngRecall@1")
