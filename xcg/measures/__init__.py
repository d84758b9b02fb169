"""Measures: pure functions of gains, and measure objects by name as in ir_measures.

>>> from xcg.measures import MAep, nxCG
>>> str(nxCG @ 10), str(MAep(unretrieved="max"))
('nxCG@10', 'MAep(unretrieved=max)')
"""

from __future__ import annotations

from xcg.measures import cumulated_gain as cumulated_gain  # so that nxCG needs no other module
from xcg.measures.definition import Cutoff as Cutoff
from xcg.measures.definition import Definition as Definition
from xcg.measures.definition import Measure as Measure
from xcg.measures.definition import Number as Number
from xcg.measures.definition import Order as Order
from xcg.measures.effort import effort_precision as effort_precision
from xcg.measures.effort import interpolated_mean_effort_precision as interpolated_mean_effort_precision
from xcg.measures.effort import mean_effort_precision as mean_effort_precision
from xcg.measures.effort import mean_effort_precision_over_gain as mean_effort_precision_over_gain
from xcg.measures.graded_precision import q_measure as q_measure
from xcg.measures.graded_precision import r_measure as r_measure
from xcg.measures.parser import MEASURES as MEASURES
from xcg.measures.parser import MeasureRegistry as MeasureRegistry
from xcg.measures.parser import split_measures as split_measures
from xcg.measures.topic_gains import RankingGains as RankingGains
from xcg.measures.topic_gains import cumulate as cumulate
from xcg.measures.topic_gains import gain_recall as gain_recall
from xcg.measures.topic_gains import manxcg as manxcg
from xcg.measures.topic_gains import nxcg as nxcg


def __getattr__(name: str) -> Measure:
    """Return the measure with a name: ``from xcg.measures import nxCG``."""
    if name.startswith("__") or not MEASURES.knows(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Measure(MEASURES.definition(name))


def __dir__() -> list[str]:
    return sorted([*globals(), *MEASURES])
