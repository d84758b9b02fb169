"""What can be broken: a measure of xcg under a user model, and a function of the user's own."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Protocol

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import Characters, Yardstick
from xcg.errors import NothingToAverageError, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.judgements.highlights import Scale as Specificity
from xcg.judgements.recall_base import Assessment, RecallBase, Scale, Span, level_assessment
from xcg.laws.cases import Case, Document, Form, Ranking, Setting
from xcg.laws.subject_types import Function, Gold, Retrieved, overlap
from xcg.measures import MEASURES, Measure
from xcg.registry import FunctionRegistry
from xcg.runs.run import Run, ranking_of
from xcg.user_model.model import DEFAULT, UserModel


class UndefinedScoreError(Exception):
    """The measure has no score for a case."""


class FailedScoreError(Exception):
    """The measure should have a score for a case, and failed."""


class Subject(Protocol):
    """What is held to the laws: its name for messages, the cases that suit it, and its score."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def setting(self) -> Setting:
        """What its cases look like."""

    def score(self, case: Case, ranking: Ranking) -> float:
        """Return the score; UndefinedScoreError where there is none, FailedScoreError for a failure."""

    def judged(self, case: Case) -> list[tuple[Retrieved, str]]:
        """Return what was judged, and how, as reports write it."""


@dataclass(frozen=True)
class FunctionSubject:
    """A function of the user's own, see :mod:`xcg.laws.subject_types`.

    pays_text: whether the user who is in the function pays with text, and not with results; only
        ``granularity`` and ``ideal`` ask.
    """

    name: str
    function: Function
    pays_text: bool = False

    @classmethod
    def named(cls, name: str, pays_text: bool = False) -> FunctionSubject:
        """Return the subject of ``package.module:function``; XcgError where it cannot be imported."""
        return cls(name, _FUNCTIONS.part(name).function, pays_text)

    @property
    def setting(self) -> Setting:
        """Gold and results are spans of plain text."""
        return Setting(yardstick=(lambda text: Characters()) if self.pays_text else None)

    def score(self, case: Case, ranking: Ranking) -> float:
        """Return what the function returns."""
        try:
            value = self.function(list(case.gold), list(ranking))
        except Exception as error:  # whatever a user's function raises is the user's to know
            raise FailedScoreError(f"raised {type(error).__name__}: {error}") from None
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            raise FailedScoreError(f"returned {_short(value)}: expected a number")
        if not math.isfinite(value):
            raise FailedScoreError(f"returned {value}: expected a finite number")
        return float(value)

    def judged(self, case: Case) -> list[tuple[Retrieved, str]]:
        """Return the gold spans with their grades."""
        return _graded(case)


def _graded(case: Case) -> list[tuple[Retrieved, str]]:
    return [(Retrieved(*gold[:3]), f"grade {gold.grade}") for gold in case.gold]


_FUNCTIONS: FunctionRegistry[Function] = FunctionRegistry("function", "xcg.function")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:58] + " …"


@dataclass(frozen=True)
class MeasureSubject:
    """A measure of xcg under a user model, evaluated by :func:`xcg.evaluate` as users call it.

    Where results count as text, cases are spans of plain text, and gold are relevant passages. Else
    they are elements of small trees: gold are some of the smallest, and all with relevant text are
    assessed by the share of it, on the scale that the user model takes; levels have the gold alone.

    Raises XcgError for a measure of which less is better, and one that has no score for gold that is
    returned as it is.
    """

    measure: Measure
    model: UserModel
    setting: Setting = field(init=False)
    _scale: Scale = field(init=False, default="share")

    def __post_init__(self) -> None:
        if self.measure.definition.lower_is_better:
            raise XcgError(f"{self.measure}: less is better, and the laws are for measures of success")
        reasons = []
        for form, scale in self._candidates():
            object.__setattr__(self, "_scale", scale)
            grades = []
            for grade in _GRADES[scale]:
                object.__setattr__(self, "setting", Setting(form, (grade,), self._yardstick()))
                case = Case({"a": Document(1)}, (Gold("a", 0, 1, grade),))
                try:
                    self._evaluated(case, (Retrieved("a", 0, 1),))
                except XcgError as error:
                    reasons.append(str(error))
                else:
                    grades.append(grade)
            if grades:
                object.__setattr__(self, "setting", Setting(form, tuple(grades), self._yardstick()))
                return
        raise XcgError(f"{self.name} has no score for the simplest case: {reasons[0]}")

    @classmethod
    def named(cls, measure: str, user_model: UserModel | None = None) -> MeasureSubject:
        """Return the subject of a measure's name; XcgError for an unknown one."""
        return cls(MEASURES.parse(measure), user_model or UserModel.shipped(DEFAULT))

    @property
    def name(self) -> str:
        """Measure, user model and its alpha, on which no-pay-twice depends."""
        alpha = self.model.relevance_value.alpha
        return f"{self.measure} under {self.model.name} (alpha {alpha:g})"

    def score(self, case: Case, ranking: Ranking) -> float:
        """Return the measure's figure."""
        try:
            return self._evaluated(case, ranking)
        except NothingToAverageError as error:
            raise UndefinedScoreError(str(error)) from None
        except XcgError as error:
            raise FailedScoreError(str(error)) from None

    def judged(self, case: Case) -> list[tuple[Retrieved, str]]:
        """Return the gold spans with their grades, or all assessed elements with their assessments."""
        if self.setting.form == "text":
            return _graded(case)
        return [(span, assessment.label) for span, assessment in self._assessed(case)]

    def _evaluated(self, case: Case, ranking: Ranking) -> float:
        run = Run("run", {"1": ranking_of(self._results(case, ranking))})
        corpus = Corpus.of({name: document.markup for name, document in case.documents.items()})
        results = evaluate(self._recall_base(case), run, corpus, self.model, self.measure)
        return results.value("run", str(self.measure))

    def _recall_base(self, case: Case) -> RecallBase:
        base = RecallBase()
        if self.setting.form == "text":
            for document, start, end, grade in case.gold:
                base.add_span("1", document, Span(start, end, grade), "gold")
            return base
        for (document, start, end), assessment in self._assessed(case):
            base.add("1", document, case.documents[document].elements[start, end], assessment, "gold")
        return base

    def _assessed(self, case: Case) -> Iterator[tuple[Retrieved, Assessment]]:
        """Yield the elements with relevant text, as assessors have to judge them: none is left out."""
        for name, document in case.documents.items():
            for start, end in document.elements:
                held = [gold for gold in case.gold if overlap(gold, Retrieved(name, start, end))]
                if held and (self._scale != "level" or (start, end) == held[0][1:3]):
                    length = sum(gold.end - gold.start for gold in held)
                    best = max(gold.grade for gold in held)
                    assessment = _ASSESSED[self._scale](best, length / (end - start))
                    yield Retrieved(name, start, end), assessment

    def _results(
        self, case: Case, ranking: Ranking
    ) -> Iterator[tuple[str, str, tuple[int, int] | None]]:
        for document, start, end in ranking:
            if self.setting.form == "text":
                yield document, "", (start, end)
            else:
                yield document, case.documents[document].elements[start, end], None

    def _candidates(self) -> Iterator[tuple[Form, Scale]]:
        """Yield what cases may look like, the first that works being the one."""
        if self._counts_text():
            yield "text", "level"  # of passages the user model says what their grades are
        else:
            yield from product(("elements",), _ASSESSED)

    def _counts_text(self) -> bool:
        """Say whether results count as the text that they are, and not as elements."""
        return self.model.spans == "text" or self.measure.definition.needs == "text"

    def _yardstick(self) -> Callable[[str], Yardstick] | None:
        settings = self.measure.settings(self.model.effort.parameters())
        unit = settings.get("budget", settings.get("effort", "ranks"))
        if unit == "ranks":
            return None
        if unit == "characters":
            return lambda text: Characters()
        return partial(Yardstick.of, unit=unit, tokenizer=self.model.effort.tokenizer)


_ASSESSED: dict[Scale, Callable[[int, float], Assessment]] = {
    "four-point": lambda grade, share: Assessment(float(grade), Specificity().specificity(share)),
    "share": lambda grade, share: Assessment(float(grade), share, None, "share"),
    "level": lambda grade, share: level_assessment(grade),
    "coverage": lambda grade, share: Assessment(
        float(grade), "E" if share == 1 else "L", None, "coverage"
    ),
}
"""The assessment of an element by the highest grade and the share of the relevant text in it."""

_GRADES: dict[Scale, tuple[int, ...]] = {
    "four-point": (1, 2, 3),
    "share": (1, 2),
    "level": (1, 2, 3),
    "coverage": (1, 2, 3),
}
