"""What breaking a measure found: for people, and as records for programs."""

from __future__ import annotations

import textwrap
from typing import Any

from xcg.laws.cases import Case, Ranking
from xcg.laws.chunk_measures import Gold, Retrieved
from xcg.laws.laws import TOLERANCE, Claim
from xcg.laws.search import Outcome
from xcg.laws.subjects import Subject


def outcome_text(subject: Subject, outcome: Outcome) -> str:
    """Return how a law stands, and the smallest case that says so, for people."""
    law = outcome.law
    if outcome.claim is None:
        return f"{law.name}: held in {outcome.cases:,} cases\n"
    claim = outcome.claim
    lines = [f"{law.name}: {outcome.verdict}, in case {outcome.cases:,}", *_wrapped(law.statement)]
    for name, document in claim.case.documents.items():
        lines.append(f"  document {name}: {_marked(claim.case, name)}")
        if subject.setting.form == "elements":
            lines.append(f"    {document.markup}")
    for span, judgement in subject.assessed(claim.case):
        what = "gold" if any(span == gold[:3] for gold in claim.case.gold) else "assessed"
        lines.append(f"  {what}: {_place(subject, claim.case, span)}, {judgement}")
    if claim.before is not None:
        lines += _ranking(subject, claim, claim.before, outcome.before, outcome)
    if claim.before is None or outcome.before is not None:
        lines += _ranking(subject, claim, claim.ranking, outcome.score, outcome)
    if outcome.verdict == "broken":
        lines += _wrapped(f"{_verdict(outcome)} {law.violation}")
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 96, initial_indent="  ", subsequent_indent="  ")


def _ranking(
    subject: Subject, claim: Claim, ranking: Ranking, score: float | None, outcome: Outcome
) -> list[str]:
    first = "before" if claim.before is not None else "ranking"
    name = first if ranking is claim.before or claim.before is None else "after"
    heading = f"score {_number(score)}" if score is not None else outcome.failure
    return [f"  {name}: {heading}"] + [
        f"  {rank:>4}. {_place(subject, claim.case, result)}" for rank, result in enumerate(ranking, 1)
    ]


def _verdict(outcome: Outcome) -> str:
    """Say what the scores did."""
    score = outcome.score
    assert outcome.claim is not None
    assert score is not None
    if outcome.before is not None:
        did = "rose" if score > outcome.before else "fell"
        return f"The score {did} from {_number(outcome.before)} to {_number(score)}."
    if outcome.claim.relation == "bounded":
        return f"The score {_number(score)} is {'above 1' if score > 1 else 'below 0'}."
    return f"The score is {_number(score)} and not 1."


def _number(value: float) -> str:
    """Write a score for people; what is no 1 is never written as one."""
    rounded = round(value, 4)
    return f"{rounded:g}" if rounded != 1 or abs(value - 1) < TOLERANCE else repr(value)


def _place(subject: Subject, case: Case, span: Gold | Retrieved) -> str:
    document = case.documents[span.document]
    place = f"{span.document} {span.start}–{span.end}"
    if subject.setting.form == "elements":
        place = f"{span.document}#{document.elements[span.start, span.end]}"
    return f'{place} "{document.text[span.start : span.end]}"'


def _marked(case: Case, name: str) -> str:
    """Return a document's text with its gold in brackets."""
    text = case.documents[name].text
    gold = [span for span in case.gold if span.document == name]
    marked = ""
    for place in range(len(text) + 1):
        marked += "]" * sum(span.end == place for span in gold)
        marked += "[" * sum(span.start == place for span in gold)
        marked += text[place : place + 1]
    return f'"{marked}"'


def outcome_record(subject: Subject, outcome: Outcome) -> dict[str, Any]:
    """Return how a law stands as a record: documents as text or XML, spans as lists."""
    record: dict[str, Any] = {
        "subject": subject.name,
        "law": outcome.law.name,
        "verdict": outcome.verdict,
        "cases": outcome.cases,
        "documents": None,
        "gold": None,
        "before": None,
        "ranking": None,
        "score_before": outcome.before,
        "score": outcome.score,
        "failure": outcome.failure or None,
    }
    if (claim := outcome.claim) is not None:
        in_text = subject.setting.form == "text"
        record |= {
            "documents": {
                name: document.text if in_text else document.markup
                for name, document in claim.case.documents.items()
            },
            "gold": [list(gold) for gold in claim.case.gold],
            "before": None if claim.before is None else [list(result) for result in claim.before],
            "ranking": [list(result) for result in claim.ranking],
        }
    return record
