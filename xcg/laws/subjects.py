"""What the laws are tested on: measures under a user model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import CharacterConverter, UnitConverter
from xcg.errors import XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.judgements.assessment import Assessment, Scale, level_assessment
from xcg.judgements.highlights import SCALE
from xcg.judgements.recall_base import RecallBase, Span
from xcg.laws.cases import Case, Document, Form, Gold, Ranking, Retrieved, Setting, overlap
from xcg.measures import MEASURES, Measure
from xcg.measures.definition import BOUND
from xcg.runs.run import Ranking as RunRanking
from xcg.runs.run import Run
from xcg.user_model.model import DEFAULT, UserModel


@dataclass(frozen=True)
class Subject:
    """A measure under a user model, computed by :func:`xcg.evaluate`.

    If results count as text, cases are spans of plain text, and gold spans are relevant passages.
    Otherwise, cases are elements of small trees. Gold spans are leaves, and all elements with relevant
    text are assessed by the fraction of relevant text on the scale of the user model; with levels of
    relevance, only the gold spans are assessed.

    Use :meth:`named`, which chooses a setting and a scale that suit the measure.
    """

    measure: Measure
    model: UserModel
    setting: Setting
    scale: Scale

    @classmethod
    def named(cls, name: str, user_model: UserModel | None = None) -> Subject:
        """Return the subject for the name of a measure, by default under the default user model.

        Args:
            name: A measure, or the user's function as ``package.module:function``, whose module is in
                the working directory or in an installed package.
            user_model: The user model.

        Raises:
            XcgError: If the measure is unknown or lower-is-better, or has no score for a case in which
                the gold span is the only result.
        """
        measure, model = MEASURES.parse(name, Path()), user_model or UserModel.shipped(DEFAULT)
        if measure.definition.lower_is_better:
            raise XcgError(f"{measure} is lower-is-better: the laws are for higher-is-better measures")
        converter = _converter(measure, model)
        is_text = model.spans == "text" or measure.definition.needs == "text"
        effort = measure.settings(model.effort.parameters())
        # After a budget, padding costs only what the budget no longer buys.
        padding_costs = (
            model.spans == "text"
            and effort.get("effort", "ranks") != "ranks"
            and effort["charge"] == "whole"
        )
        has_bound = measure.definition.range == BOUND and not model.reason_above_1
        total_gain = has_bound and measure.definition.cutoff is None and converter is None
        form: Form = "text" if is_text else "elements"
        scales: list[Scale] = ["level"] if is_text else list(_SCALES)
        reasons = []
        for scale in scales:
            setting = Setting(
                form, converter=converter, padding_costs=padding_costs, total_gain=total_gain
            )
            subject = cls(measure, model, setting, scale)
            grades = []
            for grade in range(1, _SCALES[scale][0] + 1):
                case = Case({"a": Document(1)}, (Gold("a", 0, 1, grade),))
                try:
                    subject.score(case, (Retrieved("a", 0, 1),))
                except XcgError as error:
                    reasons.append(str(error))
                else:
                    grades.append(grade)
            if grades:
                return replace(subject, setting=replace(setting, grades=tuple(grades)))
        raise XcgError(f"{subject.name} has no score for the simplest case: {reasons[0]}")

    @property
    def name(self) -> str:
        """Measure and user model, with the model's alpha because it decides no-pay-twice."""
        rule = self.model.relevance_value
        reads = f"alpha {rule.alpha:g}" if rule.reader is None else f"reader {rule.reader}"
        return f"{self.measure} under {self.model.name} ({reads})"

    def score(self, case: Case, ranking: Ranking) -> float:
        """Return the score of a ranking.

        Raises:
            NothingToAverageError: If the measure is undefined for the case.
            XcgError: If the measure or the user model fails.
        """
        run = Run("run", {"1": RunRanking.of(self._results(case, ranking))})
        corpus = Corpus.of({name: document.markup for name, document in case.documents.items()})
        results = evaluate(Inputs(self._recall_base(case), run, corpus, self.model, self.measure))
        return results.value("run", str(self.measure))

    def gained(self, case: Case, ranking: Ranking, before: Ranking) -> float:
        """Return the share of all gain that a ranking adds to the one before."""
        subject = replace(self, measure=MEASURES.parse(f"gr@{len(ranking)}"))
        return subject.score(case, ranking) - subject.score(case, before)

    def assessed(self, case: Case) -> list[tuple[Retrieved, str]]:
        """Return the gold spans with their grades, or the elements with their assessments."""
        if self.setting.form == "text":
            return [(Retrieved(*gold[:3]), f"grade {gold.grade}") for gold in case.gold]
        return [(span, assessment.label) for span, assessment in self._assessments(case)]

    def _recall_base(self, case: Case) -> RecallBase:
        base = RecallBase()
        if self.setting.form == "text":
            for document, start, end, grade in case.gold:
                base.add_span("1", document, Span(start, end, grade), "gold")
            return base
        for (document, start, end), assessment in self._assessments(case):
            base.add("1", document, case.documents[document].elements[start, end], assessment, "gold")
        return base

    def _assessments(self, case: Case) -> Iterator[tuple[Retrieved, Assessment]]:
        """Yield all elements with relevant text, because unassessed elements would be irrelevant."""
        for name, document in case.documents.items():
            for start, end in document.elements:
                inside = [gold for gold in case.gold if overlap(gold, Retrieved(name, start, end))]
                if inside and (self.scale != "level" or (start, end) == inside[0][1:3]):
                    length = sum(gold.end - gold.start for gold in inside)
                    grade = max(gold.grade for gold in inside)
                    assess = _SCALES[self.scale][1]
                    yield Retrieved(name, start, end), assess(grade, length / (end - start))

    def _results(
        self, case: Case, ranking: Ranking
    ) -> Iterator[tuple[str, str, tuple[int, int] | None]]:
        for document, start, end in ranking:
            if self.setting.form == "text":
                yield document, "", (start, end)
            else:
                yield document, case.documents[document].elements[start, end], None


def _converter(measure: Measure, model: UserModel) -> Callable[[str], UnitConverter] | None:
    unit = measure.unit(model.effort.parameters())
    if unit == "ranks":
        return None
    if unit == "characters":
        return lambda text: CharacterConverter()
    return partial(UnitConverter.of, unit=unit, tokenizer=model.effort.tokenizer)


_SCALES: dict[Scale, tuple[int, Callable[[int, float], Assessment]]] = {
    "four-point": (
        3,
        lambda grade, share: Assessment(float(grade), SCALE.specificity(share)),
    ),
    "share": (2, lambda grade, share: Assessment(float(grade), share, None, "share")),
    "level": (3, lambda grade, share: level_assessment(grade)),
    "coverage": (
        3,
        lambda grade, share: Assessment(float(grade), "E" if share == 1 else "L", None, "coverage"),
    ),
}
"""The highest grade of gold, and the assessment by the grade and fraction of an element's gold text."""
