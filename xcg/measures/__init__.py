"""Measures: pure functions of gains, and measure objects by name as in ir_measures.

>>> from xcg.measures import MAep, nxCG
>>> str(nxCG @ 10), str(MAep(unretrieved="max"))
('nxCG@10', 'MAep(unretrieved=max)')
"""

from __future__ import annotations

from xcg.measures import cumulated_gain as cumulated_gain  # so that nxCG needs no other module
from xcg.measures.definition import Cutoff, Definition, Measure, Number, Order
from xcg.measures.effort import (
    effort_precision,
    interpolated_mean_effort_precision,
    mean_effort_precision,
    mean_effort_precision_over_gain,
)
from xcg.measures.graded_precision import q_measure, r_measure
from xcg.measures.parser import MEASURES, MeasureRegistry, split_measures
from xcg.measures.topic_gains import RankingGains, cumulate, gain_recall, manxcg, nxcg

__all__ = [
    "MEASURES",
    "Cutoff",
    "Definition",
    "Measure",
    "MeasureRegistry",
    "Number",
    "Order",
    "RankingGains",
    "cumulate",
    "effort_precision",
    "gain_recall",
    "interpolated_mean_effort_precision",
    "manxcg",
    "mean_effort_precision",
    "mean_effort_precision_over_gain",
    "nxcg",
    "q_measure",
    "r_measure",
    "split_measures",
]


def __getattr__(name: str) -> Measure:
    """Return the measure with a name: ``from xcg.measures import nxCG``."""
    if name.startswith("__") or not MEASURES.knows(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Measure(MEASURES.definition(name))


def __dir__() -> list[str]:
    return sorted([*globals(), *MEASURES])
