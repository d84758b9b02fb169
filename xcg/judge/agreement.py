"""Compute the agreement of assessors, find what they judged differently, and make one gold of it.

Every unit is reduced to its pattern: the labels that the assessors gave to it. There are few patterns,
so characters take no more memory than documents.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.errors import XcgError, first_names
from xcg.judge.editing import new_judgement
from xcg.judge.judgement import Decision, JudgedDocument, Judgement
from xcg.judge.pool_store import digest_of
from xcg.judge.settings import Grades
from xcg.judgements.recall_base import MEAN, topic_key

DOCUMENTS, CHARACTERS, GRADES = KINDS = ("documents", "characters", "grades")
"""What is compared: whether documents and characters are relevant, and the grades of characters."""

Label = str | None
"""The label of a unit by an assessor: its grade, an empty text for relevant text without grade, or None
if it is not relevant."""
RELEVANT: Label = ""
_Pattern = tuple[Label | bool, ...]
"""The label by each assessor, or False if the assessor did not judge the unit."""
_Patterns = Counter[_Pattern]
"""Pattern → number of units."""


class AgreementRow(NamedTuple):
    """The agreement of assessors on one kind of unit.

    Attributes:
        topic: The topic; ``"all"`` for the units of all topics together.
        assessors: Two assessors, or all assessors of the topic.
        kind: ``documents``, ``characters`` or ``grades`` (of characters).
        units: Number of units that at least two of them judged.
        overlap: Units that all of them find relevant, with the same grade for the kind ``grades``,
            divided by the units that any of them finds relevant; NaN without any.
        kappa: Cohen's kappa of two assessors; NaN for more, and if both give all units the same label.
        alpha: Krippendorff's alpha of nominal labels; NaN if all units have the same label.
    """

    topic: str
    assessors: tuple[str, ...]
    kind: str
    units: int
    overlap: float
    kappa: float
    alpha: float


Decisions = Mapping[tuple[str, str, str], Decision]
"""Topic, document and key of a disagreement → the decision."""
UNION, INTERSECTION, ADJUDICATED = RULES = ("union", "intersection", "adjudicated")
"""How one gold is made of the judgements of several assessors."""
_SHOWN_NAMES = 3


class Disagreement(NamedTuple):
    """A passage that assessors judged differently.

    Attributes:
        start: First character.
        end: First character after the passage.
        labels: Assessor → the grade of the passage; None if it is not highlighted, and an empty text if
            it is highlighted without grade.
        key: Identifies the disagreement in a document as long as the passage and all labels are the
            same.
        decision: What is right; None if it is not decided.
    """

    start: int
    end: int
    labels: dict[str, Label]
    key: str
    decision: Decision | None


class DifferentDocument(NamedTuple):
    """A document that assessors judged differently.

    Attributes:
        topic: The topic.
        document: The document.
        judgements: Assessor → judgement.
        disagreements: On passages in order.
    """

    topic: str
    document: str
    judgements: dict[str, Judgement]
    disagreements: tuple[Disagreement, ...]

    @property
    def undecided(self) -> int:
        """The number of disagreements without a decision."""
        return sum(one.decision is None for one in self.disagreements)


def agreement(judged: Iterable[JudgedDocument], corpus: Corpus) -> list[AgreementRow]:
    """Compute the agreement of the assessors of each topic, and of all topics together.

    A document counts if at least two assessors have finished it, and no highlight is lost. A document
    is relevant if it contains highlighted text.

    Args:
        judged: The judgements of all assessors.
        corpus: The documents.

    Returns:
        For each topic, then for ``"all"``: for each pair of assessors, and then for all assessors if
        there are more than two, one row per kind. There is no row for grades without grades.

    Raises:
        InputError: If a document cannot be read.
    """
    by_topic = _compared(judged)
    names = sorted({name for files in by_topic.values() for one in files.values() for name in one})
    patterns = {
        topic: _topic_patterns(documents, names, corpus) for topic, documents in by_topic.items()
    }
    if len(patterns) > 1:
        kinds = [*patterns.values()]
        patterns[MEAN] = {kind: sum((one[kind] for one in kinds), Counter()) for kind in KINDS}
    return [row for topic, kinds in patterns.items() for row in _rows(topic, names, kinds)]


def _compared(
    judged: Iterable[JudgedDocument], least: int = 2
) -> dict[str, dict[str, dict[str, Judgement]]]:
    """Return topic → document → assessor → judgement, for documents that enough have finished."""
    found: dict[str, dict[str, dict[str, Judgement]]] = {}
    for one in sorted(judged, key=lambda one: (topic_key(one.topic), one.document)):
        if one.judgement.finished and not one.judgement.lost:
            documents = found.setdefault(one.topic, {})
            documents.setdefault(one.document, {})[one.assessor] = one.judgement
    for topic, documents in list(found.items()):
        found[topic] = {name: one for name, one in documents.items() if len(one) >= least}
    return {topic: documents for topic, documents in found.items() if documents}


def _topic_patterns(
    documents: Mapping[str, Mapping[str, Judgement]], names: Sequence[str], corpus: Corpus
) -> dict[str, _Patterns]:
    """Return the patterns of each kind of unit in the documents of a topic."""
    found: dict[str, _Patterns] = {kind: Counter() for kind in KINDS}

    def add(kind: str, labels: Mapping[str, Label], count: int) -> None:
        found[kind][tuple(labels.get(name, False) for name in names)] += count

    for document in corpus.prepared(list(documents)):
        judgements = documents[document]
        add(DOCUMENTS, {name: _relevance(one.placed) for name, one in judgements.items()}, 1)
        for start, end, grades in _segments(judgements, len(corpus.tree(document).text)):
            add(GRADES, grades, end - start)
            relevant = {name: _relevance(grade is not None) for name, grade in grades.items()}
            add(CHARACTERS, relevant, end - start)
    return found


def _relevance(is_relevant: object) -> Label:
    return RELEVANT if is_relevant else None


def _segments(
    judgements: Mapping[str, Judgement], length: int
) -> list[tuple[int, int, dict[str, Label]]]:
    """Return start, end and labels by assessor of the parts of a text, each as long as possible."""
    changes: dict[int, dict[str, Label]] = {0: {}, length: {}}
    for assessor, judgement in judgements.items():
        for highlight in judgement.placed:  # by position, so a start replaces the end before it
            changes.setdefault(highlight.start, {})[assessor] = highlight.grade or RELEVANT
            changes.setdefault(highlight.end, {})[assessor] = None
    segments: list[tuple[int, int, dict[str, Label]]] = []
    labels: dict[str, Label] = dict.fromkeys(judgements)
    for start, end in pairwise(sorted(changes)):
        changed = {**labels, **changes[start]}
        first = segments.pop()[0] if segments and changed == labels else start
        segments.append((first, end, changed))
        labels = changed
    return segments


def _rows(topic: str, names: Sequence[str], kinds: Mapping[str, _Patterns]) -> Iterable[AgreementRow]:
    """Yield the rows of a topic for each pair of assessors, and for all if there are more."""
    present = [i for i in range(len(names)) if any(one[i] is not False for one in kinds[DOCUMENTS])]
    everybody = [tuple(present)] * (len(present) > 2)
    for group in [*combinations(present, 2), *everybody]:
        for kind in KINDS:
            chosen: _Patterns = Counter()  # of units that at least two of the group judged
            for pattern, count in kinds[kind].items():
                labels = tuple(pattern[i] for i in group)
                if len(labels) - labels.count(False) > 1:
                    chosen[labels] += count
            has_grades = any(label for pattern in chosen for label in pattern)
            if chosen and (kind != GRADES or has_grades):
                yield _row(topic, tuple(names[i] for i in group), kind, chosen)


def _row(topic: str, names: tuple[str, ...], kind: str, patterns: _Patterns) -> AgreementRow:
    given = [({one for one in pattern if one is not False}, n) for pattern, n in patterns.items()]
    any_relevant = sum(n for labels, n in given if labels != {None})
    same = sum(n for labels, n in given if len(labels) == 1 and None not in labels)
    overlap = same / any_relevant if any_relevant else math.nan
    kappa = cohen_kappa(patterns) if len(names) == 2 else math.nan
    units = patterns.total()
    return AgreementRow(topic, names, kind, units, overlap, kappa, krippendorff_alpha(patterns))


def cohen_kappa(patterns: Mapping[_Pattern, int]) -> float:
    """Compute Cohen's kappa of two assessors.

    kappa = (p_o − p_e) / (1 − p_e), where p_o is the observed and p_e the expected agreement (Cohen
    1960).

    Args:
        patterns: The two labels of a unit → number of these units.

    Returns:
        From −1 to 1; NaN if all labels are the same, because then p_e = 1.

    >>> cohen_kappa({("", ""): 20, ("", None): 5, (None, ""): 10, (None, None): 15})
    0.4
    """
    first, second = Counter[Label | bool](), Counter[Label | bool]()
    for (one, other), n in patterns.items():
        first[one] += n
        second[other] += n
    total = first.total()
    observed = total * sum(n for (one, other), n in patterns.items() if one == other)
    expected = sum(n * second[label] for label, n in first.items())
    return (observed - expected) / (total**2 - expected) if expected < total**2 else math.nan


def krippendorff_alpha(patterns: Mapping[_Pattern, int]) -> float:
    """Compute Krippendorff's alpha of nominal labels by any number of assessors.

    alpha = 1 − (n − 1) · Σ o_ck / Σ n_c n_k over c ≠ k, where o are the coincidences of two labels in a
    unit and n their frequencies (Krippendorff 2011, Computing Krippendorff's alpha-reliability).

    Args:
        patterns: The labels of a unit → number of these units. Units with one label do not count.

    Returns:
        At most 1; NaN if all labels are the same.

    >>> round(krippendorff_alpha({("", ""): 20, ("", None): 5, (None, ""): 10, (None, None): 15}), 10)
    0.4
    """
    frequencies: Counter[Label | bool] = Counter()
    coincidences = 0.0
    for pattern, n in patterns.items():
        labels: Counter[Label | bool] = Counter(one for one in pattern if one is not False)
        if labels.total() > 1:
            frequencies.update({label: n * m for label, m in labels.items()})
            coincidences += n * _differing(labels) / (labels.total() - 1)
    possible = _differing(frequencies)
    return 1 - (frequencies.total() - 1) * coincidences / possible if possible else math.nan


def _differing(counts: Counter[Label | bool]) -> int:
    """Return the number of ordered pairs of different labels."""
    return counts.total() ** 2 - sum(count**2 for count in counts.values())


def disagreements(
    judged: Iterable[JudgedDocument], topic: str, corpus: Corpus, decisions: Decisions
) -> list[DifferentDocument]:
    """Return the documents of a topic that assessors judged differently.

    The same documents count as for :func:`agreement`. White space alone is no difference.

    Args:
        judged: The judgements of all assessors.
        topic: The topic.
        corpus: The documents.
        decisions: The decisions so far.

    Raises:
        InputError: If a document cannot be read.
    """
    documents = _compared(one for one in judged if one.topic == topic).get(topic, {})
    found = []
    for name, judgements in documents.items():
        text = corpus.tree(name).text
        if differences := _differences(topic, name, judgements, text, decisions):
            found.append(DifferentDocument(topic, name, judgements, differences))
    return found


def _differences(
    topic: str, name: str, judgements: Mapping[str, Judgement], text: str, decisions: Decisions
) -> tuple[Disagreement, ...]:
    spans = [one for one in _segments(judgements, len(text)) if not text[slice(*one[:2])].isspace()]
    found = []
    for start, end, labels in spans:
        if len(set(labels.values())) > 1:
            parts = [start, end, digest_of(text[start:end]).hex(), labels]
            key = json.dumps(parts, sort_keys=True)
            found.append(Disagreement(start, end, labels, key, decisions.get((topic, name, key))))
    return tuple(found)


def choices(grades: Grades) -> list[Label]:
    """Return the labels that a decision can have."""
    return [*(grades or (RELEVANT,)), None]


def gold(
    judged: Iterable[JudgedDocument], rule: str, corpus: Corpus, decisions: Decisions
) -> tuple[list[JudgedDocument], list[str]]:
    """Return one judgement of each document that at least one assessor has finished, and notes.

    A document that one assessor has finished is as in that judgement. Otherwise, each character has one
    of the labels that the assessors gave to it, from low to high: not highlighted, without grade, then
    the grades by number. Touching text with the same label is one highlight.

    ==============  ====================================
    rule            label of a character
    ==============  ====================================
    union           the highest
    intersection    the lowest
    adjudicated     the one of all, or the decision
    ==============  ====================================

    Args:
        judged: The judgements of all assessors.
        rule: A name in :data:`RULES`, which is also the assessor of the result.
        corpus: The documents.
        decisions: The decisions, for the rule ``adjudicated``.

    Raises:
        InputError: If a document cannot be read.
        XcgError: If the rule is ``adjudicated`` and a disagreement is not decided.
    """
    found: list[JudgedDocument] = []
    single: list[str] = []
    undecided: dict[str, int] = {}
    without_nuggets: list[str] = []
    for topic, documents in _compared(judged, least=1).items():
        for name, judgements in documents.items():
            where = f"{name} (topic {topic})"
            judgement = next(iter(judgements.values()))
            if len(judgements) == 1:
                single.append(where)
            else:
                text = corpus.tree(name).text
                differences = _differences(topic, name, judgements, text, decisions)
                count = sum(one.decision is None for one in differences)
                if rule == ADJUDICATED and count:
                    undecided[where] = count
                    continue
                judgement = _merged(judgements, rule, text, differences)
                if any(mark.nugget for given in judgements.values() for mark in given.placed):
                    without_nuggets.append(where)
            found.append(JudgedDocument(rule, topic, name, judgement))
    if undecided:
        places = [f"{count} in {where}" for where, count in undecided.items()]
        found_where = f"{sum(undecided.values())} ({first_names(places, _SHOWN_NAMES)})"
        page = "decide them on the page Agreement of the overview"
        raise XcgError(f"undecided disagreements: {found_where}; {page}")
    notes = {
        "documents that one assessor has finished, as in that judgement": single,
        "documents that several have finished, without their nuggets": without_nuggets,
    }
    return found, [f"{note}: {first_names(at, _SHOWN_NAMES)}" for note, at in notes.items() if at]


def _merged(
    judgements: Mapping[str, Judgement], rule: str, text: str, differences: Sequence[Disagreement]
) -> Judgement:
    """Return one judgement of a document; all differences are decided if the rule needs that."""
    decided = {one[:2]: one.decision for one in differences if rule == ADJUDICATED}
    highlights: list[tuple[int, int, str | None]] = []
    for start, end, labels in _segments(judgements, len(text)):
        given = sorted(labels.values(), key=_height)
        decision = decided.get((start, end))
        label = decision.label if decision else given[-1] if rule == UNION else given[0]
        if label is None:
            continue
        last = highlights.pop() if highlights and highlights[-1][1:] == (start, label or None) else None
        highlights.append((last[0] if last else start, end, label or None))
    placed = [one for one in highlights if not text[slice(*one[:2])].isspace()]
    return new_judgement(text, placed, finished=True)


def _height(label: Label) -> int:
    """Return the rank of a label: -1 without highlight, 0 without grade, otherwise the grade."""
    return -1 if label is None else int(label) if label.isdecimal() else 0
