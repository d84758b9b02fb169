"""Write the outcomes of ``xcg study laws``: text for people, records for programs."""

from __future__ import annotations

import textwrap
from typing import Any

from xcg.laws.cases import Case, Gold, Retrieved
from xcg.laws.laws import TOLERANCE, Claim, Outcome
from xcg.laws.subjects import Subject

_LINE_WIDTH = 80


def outcome_text(subject: Subject, outcome: Outcome) -> str:
    """Return the verdict on a law, and the smallest case in which the law did not hold."""
    law, claim, reached = outcome.law, outcome.claim, outcome.score
    if claim is None or reached is None:
        return f"{law.name}: held in {outcome.cases:,} cases\n"
    lines = [f"{law.name}: broken, in case {outcome.cases:,}", *_wrap(law.statement)]
    for name, document in claim.case.documents.items():
        lines.append(f"  document {name}: {_text_with_gold(claim.case, name)}")
        if subject.setting.form == "elements":
            lines.append(f"    {document.markup}")
    gold = [span[:3] for span in claim.case.gold]
    for span, judgement in subject.assessed(claim.case):
        label = "gold" if span in gold else "assessed"
        lines.append(f"  {label}: {_describe_span(subject, claim.case, span)}, {judgement}")
    rankings = [("ranking", claim.ranking, reached)]
    if claim.before is not None and outcome.before is not None:
        rankings = [("before", claim.before, outcome.before), ("after", claim.ranking, reached)]
    for label, ranking, score in rankings:
        lines.append(f"  {label}: score {_format_score(score)}")
        lines += [
            f"  {rank:>4}. {_describe_span(subject, claim.case, span)}"
            for rank, span in enumerate(ranking, 1)
        ]
    lines += _wrap(f"{_describe_violation(claim, outcome, reached)} {law.violation}")
    return "\n".join(lines) + "\n"


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, _LINE_WIDTH, initial_indent="  ", subsequent_indent="  ")


def _describe_violation(claim: Claim, outcome: Outcome, score: float) -> str:
    """Return a sentence about the scores that violate the law."""
    shown = _format_score(score)
    if claim.relation == "bounded":
        return f"The score {shown} is {'above 1' if score > 1 else 'below 0'}."
    if outcome.before is None:
        return f"The score is {shown} and not 1."
    if claim.relation == "below" and abs(score - outcome.before) <= TOLERANCE:
        return f"The score stayed at {shown}."
    verb = "rose" if score > outcome.before else "fell"
    added = ""
    if outcome.gained is not None:
        added = f", and the result adds {_format_score(outcome.gained)} of all gain"
    return f"The score {verb} from {_format_score(outcome.before)} to {shown}{added}."


def _format_score(score: float) -> str:
    """Return a score with four decimals; a score that is not 1 is never rounded to 1."""
    rounded = round(score, 4)
    return f"{rounded:g}" if rounded != 1 or abs(score - 1) < TOLERANCE else repr(score)


def _describe_span(subject: Subject, case: Case, span: Gold | Retrieved) -> str:
    document = case.documents[span.document]
    location = f"{span.document} {span.start}–{span.end}"
    if subject.setting.form == "elements":
        location = f"{span.document}#{document.elements[span.start, span.end]}"
    return f'{location} "{document.text[span.start : span.end]}"'


def _text_with_gold(case: Case, name: str) -> str:
    """Return the text of a document with its gold spans in brackets."""
    text = case.documents[name].text
    for gold in reversed(case.gold):  # gold spans are in the order of the text
        if gold.document == name:
            text = f"{text[: gold.start]}[{text[gold.start : gold.end]}]{text[gold.end :]}"
    return f'"{text}"'


def outcome_record(subject: Subject, outcome: Outcome) -> dict[str, Any]:
    """Return the verdict on a law as a record: documents as text or XML, spans as lists."""
    record: dict[str, Any] = {
        "subject": subject.name,
        "law": outcome.law.name,
        "verdict": outcome.verdict,
        "cases": outcome.cases,
        **dict.fromkeys(("documents", "gold", "before", "ranking")),
        "score_before": outcome.before,
        "score": outcome.score,
        "gained": outcome.gained,
    }
    if (claim := outcome.claim) is not None:
        is_text = subject.setting.form == "text"
        record |= {
            "documents": {
                name: document.text if is_text else document.markup
                for name, document in claim.case.documents.items()
            },
            "gold": [list(gold) for gold in claim.case.gold],
            "before": None if claim.before is None else [list(result) for result in claim.before],
            "ranking": [list(result) for result in claim.ranking],
        }
    return record
