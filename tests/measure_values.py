"""Values of measures for given gains, and the worked examples of the papers."""

from __future__ import annotations

from hypothesis import strategies as st

from xcg.measures import MEASURES, RankingGains

# Järvelin & Kekäläinen 2002, sections 2.1 to 2.3: G' and its ideal vector
G = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]

# Scheel, Lommatzsch & Albayrak 2011, Tables 1 and 2
REL = [1, 0, 3, 3, 2, 0, 1, 4]
REL_IDEAL = [4, 3, 3, 2, 1, 1, 0, 0]

GAINS = st.lists(st.sampled_from([0, 0, 1, 2, 3]), max_size=12)


def value(measure: str, gains: object = G, ideal: object = IDEAL) -> float | None:
    """Return a measure of gains; None if it is undefined."""
    return MEASURES.parse(measure).compute(RankingGains(gains, ideal, 0))  # type: ignore[arg-type]
