"""Add judgements that name nuggets, facts or subtopics, to a recall-base."""

from __future__ import annotations

from typing import cast

from xcg.errors import InputError
from xcg.judgements.assessment import Assessment, level_assessment
from xcg.judgements.recall_base import RecallBase, Span, Stated


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
