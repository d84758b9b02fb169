"""Add judgements that name nuggets, facts or subtopics, to a recall-base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, cast

from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.documents.text_search import Quote
from xcg.errors import InputError, Notes, XcgError
from xcg.judgements.assessment import (
    Assessment,
    ParsedPassage,
    are_passages,
    level_assessment,
    parse_passage,
)
from xcg.judgements.recall_base import Judged, RecallBase, Span, Stated


def add_nugget(
    base: RecallBase,
    topic: str,
    nugget: str,
    stated: Stated,
    level: float,
    where: object,
    quote: Quote | None = None,
) -> None:
    """Add that an element or a passage states a nugget.

    Without regard to nuggets, it has the highest level of its nuggets.

    Raises:
        InputError: If this is known, or if the recall-base refuses the element or passage.
    """
    file, part = stated
    known = base.nuggets.setdefault(topic, {}).setdefault(stated, {})
    if nugget in known:
        raise InputError(where, f"topic {topic}, {file}: judged before for the nugget {nugget!r}")
    if isinstance(part, str):
        earlier = base.files(topic).get(file, {}).get(part)
        if earlier is None:
            base.add(topic, file, part, level_assessment(level), where)
        else:
            if not known:  # read before as an ordinary line of qrels
                known["0"] = earlier.exhaustivity
            elements = cast("dict[str, Assessment]", base.files(topic)[file])
            elements[part] = level_assessment(max(level, earlier.exhaustivity))
    else:
        best = max(known.values(), default=0.0)
        if level > best:
            base.add_span(topic, file, Span(*part, level), where)
            if best > 0:
                base.remove_span(topic, file, Span(*part, best))
        elif not known:
            base.add_span(topic, file, None, where)
        if quote is not None:
            base.texts[topic, file, Span(*part, max(best, level))] = quote
    known[nugget] = level


def add_passage(base: RecallBase, topic: str, file: str, passage: ParsedPassage, where: object) -> None:
    """Add a passage that can name a nugget; see :meth:`RecallBase.add_stated`."""
    base.add_stated(topic, file, passage, where)
    quote, span, level, nugget = passage
    if nugget is None:
        return
    base.has_nuggets = True
    if span is not None:
        add_nugget(base, topic, nugget, (file, span), level, where, quote)


def remove_nuggets(base: RecallBase, topic: str, stated: tuple[str, tuple[int, int]]) -> None:
    """Remove a passage and the nuggets that it states."""
    level = max(base.nuggets[topic].pop(stated, {"": 0.0}).values())
    if level > 0:
        base.remove_span(topic, stated[0], Span(*stated[1], level))


def recall_base_of(assessments: Mapping[str, Mapping[str, Judged]]) -> RecallBase:
    """Return the recall-base of plain assessments; passages can have the key ``nugget``.

    A dict with ``nugget`` and neither ``start`` nor ``end`` is about the element ``path``, or about the
    whole document; its level is 1 by default.

    Raises:
        InputError: As :meth:`RecallBase.of`, or if a nugget is judged twice at one place.

    >>> base = recall_base_of({"1": {"d": [{"nugget": "n1", "level": 2}, {"nugget": "n2"}]}})
    >>> base.nuggets["1"]["d", WHOLE]
    {'n1': 2.0, 'n2': 1.0}
    """
    plain: dict[str, dict[str, Judged]] = {}
    named: list[tuple[str, str, dict[str, Any]]] = []
    for topic, files in assessments.items():
        plain[topic] = {}
        for file, judged in files.items():
            passages = judged if are_passages(judged) else ()
            found = [one for one in passages if isinstance(one, Mapping) and "nugget" in one]
            named += [(str(topic), file, dict(one)) for one in found]
            if len(found) < len(passages):
                plain[topic][file] = [one for one in passages if one not in found]
            elif not found:
                plain[topic][file] = judged
    base = RecallBase.of(plain)
    for topic, file, given in named:
        where = f"assessments, topic {topic}, {file}"
        nugget = str(given.pop("nugget"))
        try:
            if {"start", "end", "exact", "text"} & given.keys():
                passage = parse_passage(given)._replace(nugget=nugget)
                add_passage(base, topic, canonical_file(file), passage, where)
            elif given.keys() <= {"path", "level"}:
                level = level_assessment(given.get("level", 1)).exhaustivity
                path = canonical_path(given["path"]) if "path" in given else WHOLE
                base.has_nuggets = True
                add_nugget(base, topic, nugget, (canonical_file(file), path), level, where)
            else:
                raise ValueError(f"keys {sorted(given)}: expected path and level, or start and end")
        except InputError:
            raise
        except ValueError as error:
            raise InputError(where, str(error)) from None
    return base


def with_nugget_column(base: RecallBase, reasons: Sequence[str], notes: Notes) -> RecallBase:
    """Return a recall-base in which the second column of qrels is the nugget if there are reasons.

    Raises:
        XcgError: If no judgement names a nugget.
    """
    if base.has_nuggets or not reasons:
        return base
    if not base.nuggets:
        raise XcgError(
            f"{reasons[0]}, but no judgement names one: expected the field nugget in JSON Lines and "
            "Python, or the second column of TREC diversity qrels"
        )
    notes.note(f"the second column of the qrels is read as the nugget, because {reasons[0]}")
    found = copy(base)
    found.has_nuggets = True
    return found


def nuggets_with_several_levels(base: RecallBase) -> int:
    """Return how many nuggets of topics have several levels above 0."""
    levels: dict[tuple[str, str], set[float]] = {}
    for topic, stated in base.nuggets.items():
        for nugget, level in (pair for found in stated.values() for pair in found.items()):
            if level > 0:
                levels.setdefault((topic, nugget), set()).add(level)
    return sum(len(found) > 1 for found in levels.values())
