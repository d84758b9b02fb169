"""Answer ``study laws``; the module needs the extra ``break`` (hypothesis)."""

from __future__ import annotations

from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import XcgError, printable
from xcg.laws.laws import search
from xcg.laws.subjects import Subject
from xcg.report.laws import outcome_record, outcome_text
from xcg.terminal_tables import Prose


def laws(asked: Asked) -> Answer[Any]:
    """Search for small cases in which a measure breaks a law (needs the extra ``xcg[break]``)."""
    chosen = asked.settings.study.laws
    if chosen.measure is None:
        raise XcgError("no measure: expected --measure NAME, or package.module:function")
    models: list[Any] = asked.inputs.user_models if asked.states("user_model") else [None]
    if len(models) > 1:
        raise XcgError(f"{len(models)} user models: expected one")
    subject = Subject.named(chosen.measure, models[0])
    outcomes = list(search(subject, chosen.law, chosen.examples, chosen.seed))
    texts = [Prose(outcome_text(subject, outcome)) for outcome in outcomes]
    return Answer(
        outcomes,
        to_records=lambda: [outcome_record(subject, outcome) for outcome in outcomes],
        layout=lambda: Layout(tables=[f"{printable(subject.name)}, seed {chosen.seed}\n", *texts]),
    )
