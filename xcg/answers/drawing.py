"""Answer ``curves``: measures over rank, recall or text, and ranks that reach a gain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from xcg.answer import NAMES, Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import InputError, XcgError
from xcg.evaluation.curves import (
    IDEAL,
    RankOfValue,
    ranks_of_value,
)
from xcg.evaluation.curves import curves as compute_curves
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.measures.definition import Definition
from xcg.report.columns import CURVES, RANKS_OF_VALUE
from xcg.report.plots import curves_plot
from xcg.tables import Table


def curves(asked: Asked) -> Answer[Any]:
    """Return points of curves; with ``at``, the ranks at which runs reach a gain."""
    chosen = asked.settings.curves
    inputs = asked.inputs_with("assessments", "runs")
    at = chosen.at
    depth = max(chosen.depth, at or 0)
    names = _measures(
        asked, "nxCG ep" if at is None else "xCG", lambda one: at is None and one.has_curve
    )
    is_option = asked.stated.place(("measures",)).name == "--measures"
    measures = " ".join(names if is_option else dict.fromkeys(name.partition("@")[0] for name in names))
    lines = compute_curves(inputs, measures, depth, chosen.ideal or at is not None)
    printed = [curve for curve in lines if chosen.per_topic or curve.topic == MEAN]
    if at is None:
        rows = [
            {**curve._asdict(), "x": x, "y": y}
            for curve in printed
            for x, y in zip(curve.x, curve.y, strict=True)
        ]
        return Answer(
            rows, lines.notes, layout=lambda: _layout(rows, CURVES), figure=lambda: curves_plot(lines)
        )
    ranks = ranks_of_value(printed, at, chosen.reference)
    return Answer(
        ranks,
        [*lines.notes, *_unreached_notes(ranks, depth)],
        layout=lambda: _layout(_rank_rows(ranks, depth), RANKS_OF_VALUE),
        figure=lambda: curves_plot(lines, [one for one in ranks if one.topic == MEAN]),
    )


def _layout(rows: Sequence[dict[str, Any]], columns: Sequence[Any]) -> Layout:
    return Layout(tables=[Table.of_records(rows, (*NAMES, *columns))])


def _measures(asked: Asked, default: str, is_drawn: Callable[[Definition], bool]) -> list[str]:
    """Return the names of the measures to draw.

    An option names them. Of the measures of a campaign, those that can be drawn are, or the default.
    """
    names, place = asked.measure_names, asked.stated.place(("measures",)).name
    if place == "--measures":
        return names
    found = []
    for name in names:
        try:
            if ":" not in name and is_drawn(MEASURES.definition(re.split("[@(]", name)[0])):
                found.append(name)
        except XcgError as error:
            raise InputError(place, str(error)) from None
    return found or default.split()


def _rank_rows(ranks: Sequence[RankOfValue], depth: int) -> list[dict[str, Any]]:
    """Return ranks as records with a text for values that are not reached."""
    rows = [one._asdict() for one in ranks]
    return [{**row, "rank": f"> {depth}" if row["rank"] is None else row["rank"]} for row in rows]


def _unreached_notes(ranks: Sequence[RankOfValue], depth: int) -> list[str]:
    """Return a line for each value of the mean curves that runs do not reach."""
    unreached: dict[str, list[str]] = {}
    for one in ranks:
        if one.rank is None and one.topic == MEAN:
            reference = f"the {IDEAL}" if one.reference == IDEAL else one.reference
            value = f"{one.value:.4g} ({one.measure} of {reference} at rank {one.at}, {one.user_model})"
            unreached.setdefault(value, []).append(one.run)
    return [
        f"note: {value} is not reached within {depth} ranks by {', '.join(runs)}; "
        "--set curves.depth=N looks further"
        for value, runs in unreached.items()
    ]
