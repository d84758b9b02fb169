"""The agreement of assessors: hand-computed values, libraries on expanded units, and disagreements."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import krippendorff
import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from judge_examples import judged
from sklearn.metrics import cohen_kappa_score

from xcg.documents.corpus import Corpus
from xcg.errors import XcgError
from xcg.formats.json_assessments import read_highlights
from xcg.judge.agreement import (
    AgreementRow,
    Decisions,
    agreement,
    cohen_kappa,
    disagreements,
    gold,
    krippendorff_alpha,
)
from xcg.judge.judgement import Decision
from xcg.judge.store import JudgedDocument

PARAGRAPHS = "".join(f"<p>{digit * 20}</p>" for digit in "01234")
CORPUS = Corpus.of(dict.fromkeys(("one", "two", "three"), f"<a>{PARAGRAPHS}</a>"))
TEXT = CORPUS.tree("one").text


def of(assessor: str, document: str, *marked: tuple[int, int] | tuple[int, int, str]) -> JudgedDocument:
    return judged(assessor, document, TEXT, *marked)


def row(rows: list[AgreementRow], kind: str, topic: str = "1") -> AgreementRow:
    [found] = [one for one in rows if (one.kind, one.topic) == (kind, topic)]
    return found


def test_two_assessors_agree_as_computed_by_hand() -> None:
    """Characters: 20 relevant to both, 20 and 20 to one, 40 to none.

    kappa = (0.6 − 0.52) / 0.48, as both find 40 of 100 relevant. alpha = 1 − 199 · 80 / (2 · 80 · 120).
    """
    rows = agreement([of("anna", "one", (0, 40)), of("ben", "one", (20, 60))], CORPUS)
    characters, documents = row(rows, "characters"), row(rows, "documents")
    assert len(rows) == 2
    assert characters.assessors == ("anna", "ben")
    assert (characters.units, documents.units) == (100, 1)
    assert characters.overlap == pytest.approx(20 / 60)
    assert characters.kappa == pytest.approx(0.08 / 0.48)
    assert characters.alpha == pytest.approx(1 - 199 * 80 / (2 * 80 * 120))
    assert documents.overlap == 1
    assert math.isnan(documents.kappa)
    assert math.isnan(documents.alpha)


def test_only_documents_that_both_have_finished_count() -> None:
    unfinished = judged("ben", "one", TEXT, (0, 5), finished=False)
    assert agreement([of("anna", "one", (0, 5)), unfinished, of("ben", "two")], CORPUS) == []
    other_topic = judged("ben", "one", TEXT, (0, 5), topic="2")
    assert agreement([of("anna", "one", (0, 5)), other_topic], CORPUS) == []


def test_documents_with_lost_highlights_do_not_count() -> None:
    one = of("ben", "one", (0, 5))
    lost = one.judgement.highlights[0]._replace(start=0, end=0, status="lost")
    damaged = one._replace(judgement=replace(one.judgement, highlights=(lost,)))
    assert agreement([of("anna", "one", (0, 5)), damaged], CORPUS) == []


def test_three_assessors_have_three_pairs_and_one_alpha() -> None:
    rows = agreement(
        [of(name, "one", (0, end)) for name, end in (("a", 20), ("b", 20), ("c", 40))], CORPUS
    )
    characters = [one for one in rows if one.kind == "characters"]
    assert ["".join(one.assessors) for one in characters] == ["ab", "ac", "bc", "abc"]
    assert characters[0].kappa == characters[0].alpha == 1
    assert math.isnan(characters[-1].kappa)
    # 20 characters differ by one label of three; 80 labels are relevant, 220 are not.
    assert characters[-1].alpha == pytest.approx(1 - 299 * (20 * 4 / 2) / (2 * 80 * 220))
    assert characters[-1].overlap == 20 / 40


def test_all_topics_are_pooled() -> None:
    rows = agreement(
        [
            *(judged(name, "one", TEXT, (0, 40), topic="2") for name in ("anna", "ben")),
            *(of("anna", "one", (0, 40)), of("ben", "one", (20, 60))),
        ],
        CORPUS,
    )
    assert list(dict.fromkeys(one.topic for one in rows)) == ["1", "2", "all"]
    assert row(rows, "characters", "2").kappa == 1
    total = row(rows, "characters", "all")
    assert total.units == 200
    assert total.overlap == 60 / 100
    assert total.kappa == pytest.approx((0.8 - 0.52) / 0.48)


PATTERNS = st.dictionaries(
    st.tuples(*[st.sampled_from([False, None, "", "1", "2"])] * 3),
    st.integers(1, 5),
    min_size=1,
    max_size=8,
)


@given(PATTERNS)
def test_alpha_equals_that_of_the_package_on_single_units(
    patterns: dict[tuple[object, ...], int],
) -> None:
    codes = {False: math.nan, None: 0, "": 1, "1": 2, "2": 3}
    units = [[codes[label] for label in pattern] for pattern, n in patterns.items() for _ in range(n)]  # type: ignore[index]
    data = np.array(units).T
    paired = data[:, np.count_nonzero(~np.isnan(data), axis=0) > 1]
    alpha = krippendorff_alpha(patterns)  # type: ignore[arg-type]
    if len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert math.isnan(alpha)
    else:
        expected = krippendorff.alpha(reliability_data=paired, level_of_measurement="nominal")
        assert alpha == pytest.approx(expected)


@given(st.lists(st.tuples(*[st.sampled_from([None, "", "1"])] * 2), min_size=1, max_size=30))
def test_kappa_equals_that_of_the_package_on_single_units(units: list[tuple[object, object]]) -> None:
    kappa = cohen_kappa(Counter(units))  # type: ignore[arg-type]
    if len({label for unit in units for label in unit}) < 2:
        assert math.isnan(kappa)
    else:
        first, second = zip(*[[str(label) for label in unit] for unit in units], strict=True)
        assert kappa == pytest.approx(cohen_kappa_score(first, second))


def test_white_space_between_highlights_is_no_disagreement() -> None:
    corpus = Corpus.of({"bees": "Bees dance. They waggle."})
    text = corpus.tree("bees").text
    both = [judged("anna", "bees", text, (0, 11), (12, 24)), judged("ben", "bees", text, (0, 24))]
    assert disagreements(both, "1", corpus, {}) == []
    assert row(agreement(both, corpus), "characters").overlap == 23 / 24


def test_the_agreement_of_the_handbook_is_that_of_its_single_characters() -> None:
    corpus = Corpus(ROOT / "corpora_samples/handbook")
    marked: dict[str, dict[tuple[str, str], list[tuple[int, int, str]]]] = {"first": {}, "second": {}}
    for name, documents in marked.items():
        for one in read_highlights(ROOT / f"assessments/handbook-highlights/{name}.jsonl"):
            spans = documents.setdefault((one.topic, one.file), [])
            spans.append((one.start, one.end, str(one.exhaustivity)))
    judgements = [
        judged(name, file, corpus.tree(file).text, *sorted(spans), topic=topic)
        for name, documents in marked.items()
        for (topic, file), spans in documents.items()
    ]
    rows = agreement(judgements, corpus)
    grades = []
    for documents in marked.values():
        texts = []
        for topic, file in sorted(marked["first"].keys() & marked["second"].keys()):
            texts.append(np.zeros(corpus.length(file)))
            for start, end, grade in documents[topic, file]:
                texts[-1][start:end] = int(grade)
        grades.append(np.concatenate(texts))
    for kind, labels in (("grades", np.array(grades)), ("characters", np.array(grades) > 0)):
        found = row(rows, kind, "all")
        alpha = krippendorff.alpha(labels.astype(float), level_of_measurement="nominal")
        assert found.units == labels.shape[1]
        assert found.kappa == pytest.approx(cohen_kappa_score(*labels))
        assert found.alpha == pytest.approx(alpha)
        same = (labels[0] == labels[1]) & (labels[0] > 0)
        assert found.overlap == same.sum() / labels.any(axis=0).sum()


@st.composite
def highlights(draw: st.DrawFn) -> list[tuple[int, int, str]]:
    bounds = sorted(draw(st.sets(st.integers(0, 100), max_size=8)))
    grades = st.sampled_from(["1", "2", ""])
    return [(start, end, draw(grades)) for start, end in pairwise(bounds) if draw(st.booleans())]


@given(highlights(), highlights())
def test_disagreements_are_those_of_single_characters(
    first: list[tuple[int, int, str]], second: list[tuple[int, int, str]]
) -> None:
    def labels(marked: list[tuple[int, int, str]]) -> list[str | None]:
        found: list[str | None] = [None] * 100
        for start, end, grade in marked:
            found[start:end] = [grade] * (end - start)
        return found

    expected = list(zip(labels(first), labels(second), strict=True))
    found: dict[int, tuple[str | None, str | None]] = {}
    judgements = [of("anna", "one", *first), of("ben", "one", *second)]
    for document in disagreements(judgements, "1", CORPUS, {}):
        for before, after in pairwise(document.disagreements):
            assert before.end < after.start or before.labels != after.labels
        for span in document.disagreements:
            pair = span.labels["anna"], span.labels["ben"]
            found.update(dict.fromkeys(range(span.start, span.end), pair))
    assert found == {i: pair for i, pair in enumerate(expected) if pair[0] != pair[1]}


DIFFERING = [
    judged("anna", "one", TEXT, (0, 40, "2")),
    judged("ben", "one", TEXT, (20, 60, "3"), (80, 90, "1")),
    of("anna", "two", (0, 10, "1"), (10, 20, "1")),
]


def decided(*labels: str | None) -> Decisions:
    """Return decisions on the disagreements of DIFFERING, in order."""
    [document] = disagreements(DIFFERING, "1", CORPUS, {})
    pairs = zip(document.disagreements, labels, strict=False)
    return {("1", "one", one.key): Decision(label, "chris", "2026") for one, label in pairs}


@pytest.mark.parametrize(
    ("rule", "labels", "marked"),
    [
        ("union", (), [(0, 20, "2"), (20, 60, "3"), (80, 90, "1")]),
        ("intersection", (), [(20, 40, "2")]),
        # Of 0–20, 20–40, 40–60 and 80–90.
        ("adjudicated", (None, "1", "1", "3"), [(20, 60, "1"), (80, 90, "3")]),
        ("adjudicated", ("2", "2", None, None), [(0, 40, "2")]),
    ],
)
def test_one_gold_has_the_text_and_grades_computed_by_hand(
    rule: str,
    labels: tuple[str | None, ...],
    marked: list[tuple[int, int, str]],
) -> None:
    (first, second), notes = gold(DIFFERING, rule, CORPUS, decided(*labels))
    assert (first.assessor, first.document, first.judgement.finished) == (rule, "one", True)
    assert [one[1:4] for one in first.judgement.highlights] == marked
    assert [one[1:3] for one in second.judgement.highlights] == [(0, 10), (10, 20)]
    assert notes == ["documents that one assessor has finished, as in that judgement: two (topic 1)"]


def test_adjudicated_gold_needs_a_decision_on_every_disagreement_as_it_is_now() -> None:
    message = r"undecided disagreements: 1 \(1 in one \(topic 1\)\); decide them on the page Agreement"
    with pytest.raises(XcgError, match=message):
        gold(DIFFERING, "adjudicated", CORPUS, decided("2", "2", "3"))
    changed = [*DIFFERING[:1], judged("ben", "one", TEXT, (20, 60, "1"))]
    with pytest.raises(XcgError, match="undecided disagreements: 2 "):  # not the first of three
        gold(changed, "adjudicated", CORPUS, decided("2", "2", "3", "1"))


def test_a_document_without_text_does_not_break_the_agreement() -> None:
    corpus = Corpus.of({"empty": "<a/>"})
    rows = agreement([judged(name, "empty", "") for name in ("anna", "ben")], corpus)
    assert [(one.kind, one.units) for one in rows] == [("documents", 1)]
    assert math.isnan(rows[0].overlap)
