"""Retrieval checks for test suites: the gate of a campaign as one assertion.

It needs no plugin. It works with pytest, unittest and plain scripts.
"""

from __future__ import annotations

from typing import Any

from xcg.campaign import Campaign, load
from xcg.errors import printable
from xcg.evaluation.results import Results
from xcg.settings.loading import KEYS


def assert_retrieval(
    assessments: Any, runs: Any = None, corpus: Any = None, user_model: Any = None, **keys: Any
) -> Results:
    """Evaluate runs, and fail if a run misses a limit or is worse than a baseline.

    The verdict is that of :meth:`xcg.Campaign.gate`, and of ``xcg gate``.

    Args:
        assessments: As for :func:`xcg.evaluate`; or a :class:`xcg.Campaign`, without the next three.
        runs: As for :func:`xcg.evaluate`.
        corpus: As for :func:`xcg.evaluate`.
        user_model: As for :func:`xcg.evaluate`; each run is checked under each user model.
        keys: Keys of the sections ``gate`` and ``compare``: ``fail_under={"MAep": 0.3}``,
            ``baseline`` (the name or path of a run, or an :class:`xcg.Run`), ``max_drop="5%"``,
            ``max_regressed``, ``expected_topics``, ``test``; and keys of the top level.

    Returns:
        The scores, and notes that state how often an unchanged run fails, and which loss is found.

    Raises:
        AssertionError: If a run fails; the message states run, measure, score, minimum or baseline, the
            topics with the lowest scores or the largest losses, and how often an unchanged run fails.
        UnmappedError: If a result or relevant text does not exist in the corpus: its document or path
            is unknown, its span exceeds the text, or its text is not found.
        XcgError: If other input is wrong, scores are missing, a run answers no topic, there are too few
            topics for the test, or there is nothing to check.

    >>> gold = {"1": {"bees": [(0, 16)]}, "2": {"bees": [(17, 35)]}}
    >>> corpus = {"bees": "Bees dance well. Drones do no work."}
    >>> runs = {"chunks": {"1": [("bees", 0, 16)], "2": [("bees", 0, 16)]}}
    >>> assert_retrieval(gold, runs, corpus, fail_under={"MAep": 0.5}).value("chunks", "MAep")
    0.5
    >>> assert_retrieval(gold, runs, corpus, fail_under={"MAep": 0.6})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: chunks, spans: MAep is 0.5000, below 0.6; lowest on topic 2 (0.0000), topic 1 ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the caller
    inputs = {"runs": runs, "corpus": corpus, "user_model": user_model}
    of_gate = {
        key: keys.pop(key) for key in list(keys) if {f"gate.{key}", f"compare.{key}"} & set(KEYS)
    }
    if isinstance(assessments, Campaign):
        campaign = assessments
    else:
        campaign = load(assessments=assessments, **inputs, **keys)
    answer = campaign.gate(**of_gate)
    if not answer.passed:
        verdict = answer.verdict
        raise AssertionError("\n".join(map(printable, [*verdict.failures, *verdict.chances])))
    answer.results.notes += answer.verdict.notes
    return answer.results
