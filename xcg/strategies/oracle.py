"""The greedy reference ``oracle``, which needs the assessments."""

from __future__ import annotations

from xcg.documents.corpus import Corpus
from xcg.errors import XcgError
from xcg.runs.run import ORACLE, Ranking
from xcg.strategies.registry import STRATEGIES


@STRATEGIES.register(ORACLE)
def oracle(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Order results by gain with the assessments known; a greedy reference, not a strategy.

    Each rank takes the retrieved result with the greatest gain at that moment; of results with equal
    gains the earlier one. Results without gain follow in their order. So a run with ``oracle`` shows
    roughly how much of the run's loss is due to its order and overlap, and how much to its retrieval.
    It is greedy: another order can gain more at a later rank, and a strategy can have a higher MAep.

    Gains depend on the assessments and the user model. Therefore an evaluation orders the results (see
    :mod:`xcg.gains.oracle`), and this function only registers the name.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if the user model needs them; the assessments are always needed.

    Raises:
        XcgError: Always, because no assessments are given.
    """
    raise XcgError(
        "orders results by their gain, so it needs assessments: use it in an evaluation, for example "
        "xcg evaluate --strategy oracle"
    )
