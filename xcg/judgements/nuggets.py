"""Add judgements that name nuggets, facts or subtopics, to a recall-base."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, cast

from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes, XcgError
from xcg.judgements.assessment import Assessment, are_passages, level_assessment, parse_passage
from xcg.judgements.recall_base import Judged, RecallBase, Span, Stated


def add_nugget(
    base: RecallBase, topic: str, nugget: str, stated: Stated, level: float, where: object
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
                cast("list[Span]", base.spans(topic)[file]).remove(Span(*part, best))
        elif not known:
            base.add_span(topic, file, None, where)
    known[nugget] = level


def add_stated_nugget(
    base: RecallBase, topic: str, nugget: object, stated: Stated, level: float, where: object
) -> None:
    """Add a judgement with the field ``nugget``; see :func:`add_nugget`."""
    base.has_nuggets = True
    if isinstance(stated[1], tuple) and not 0 <= stated[1][0] < stated[1][1]:
        start, end = stated[1]
        raise InputError(where, f"start {start} and end {end}: expected 0 <= start < end")
    add_nugget(base, topic, str(nugget), stated, level, where)


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
        plain[topic] = dict(files)
        for file, judged in files.items():
            passages = judged if are_passages(judged) else ()
            found = [one for one in passages if isinstance(one, Mapping) and "nugget" in one]
            if found:
                named += [(str(topic), file, dict(one)) for one in found]
                plain[topic][file] = [one for one in passages if one not in found]
                if len(found) == len(passages):
                    del plain[topic][file]
    base = RecallBase.of(plain)
    for topic, file, given in named:
        where = f"assessments, topic {topic}, {file}"
        nugget = given.pop("nugget")
        try:
            if {"start", "end", "exact", "text"} & given.keys():
                _, span, level, *_ = parse_passage(given)
                if span is None:
                    raise ValueError("a quote with a nugget: expected 'start' and 'end' too")
                stated: Stated = canonical_file(file), span
            elif given.keys() <= {"path", "level"}:
                level = level_assessment(given.get("level", 1)).exhaustivity
                path = canonical_path(given["path"]) if "path" in given else WHOLE
                stated = canonical_file(file), path
            else:
                raise ValueError(f"keys {sorted(given)}: expected path and level, or start and end")
        except ValueError as error:
            raise InputError(where, str(error)) from None
        add_stated_nugget(base, topic, nugget, stated, level, where)
    return base


def with_nugget_column(base: RecallBase, reason: str, notes: Notes) -> RecallBase:
    """Return a recall-base in which the second column of qrels is the nugget, and note the reason.

    Raises:
        XcgError: If no judgement names a nugget.
    """
    if not base.nuggets:
        raise XcgError(
            f"{reason}, but no judgement names one: expected the field nugget in JSON Lines and "
            "Python, or the second column of TREC diversity qrels"
        )
    if base.has_nuggets:
        return base
    notes.note(f"the second column of the qrels is read as the nugget, because {reason}")
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
