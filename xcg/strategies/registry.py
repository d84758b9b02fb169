"""The registry of overlap strategies, the parser of their names, and their application to runs."""

from __future__ import annotations

import math
import operator
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from xcg.documents.corpus import Corpus, Documents, corpus_of
from xcg.documents.files import PathLike
from xcg.errors import InputError, XcgError
from xcg.formats.base import read_run
from xcg.registry import FunctionRegistry, ParameterError, Part
from xcg.runs.run import ORACLE, Ranking, Run
from xcg.settings.yaml_file import KeyPath, parse_yaml
from xcg.user_model.schema import Where, expand

Strategy = Callable[..., Ranking]
"""A function from the ranking of one topic, and the corpus or None, to another ranking.

Its parameters are keyword-only arguments: ``def promote_parent(ranking, corpus, *, threshold=0.5)``.
"""

BoundStrategy = Part[Strategy]
"""A strategy with values for its parameters. ``str`` returns the form that users type."""

STRATEGIES: FunctionRegistry[Strategy] = FunctionRegistry(
    "strategy", "xcg.strategy", package="xcg.strategies"
)

MAX_CHARACTERS = 1000
"""The maximum length of a strategy with its parameters as text."""
MAX_STRATEGIES = 1000
"""The maximum number of strategies, after lists and ranges of values are expanded."""

_TEXT = re.compile(r"\s*([A-Za-z_][\w.:-]*)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"


def no_position(_: KeyPath) -> str:
    """Return no position in a file, for strategies that are not in one."""
    return ""


def strategies_of(
    spec: object, folder: Path | None = None, where: Where = no_position
) -> list[BoundStrategy]:
    """Return the strategies that a text, a mapping or a function names.

    Lists and ranges of values give one strategy for each combination of values.

    Args:
        spec: A name with or without parameters, such as ``"promote_parent(threshold=0.4)"``; a mapping
            such as ``{"name": "controlled", "ancestor": [0, 0.5, 1]}``; ``package.module:function``;
            a function; or a strategy that this function returned.
        folder: The folder of the configuration, whose Python files ``module:function`` can name.
        where: Names a key of the mapping in messages.

    Raises:
        XcgError: If the name, a parameter or a value is illegal, or there are more than 1,000
            combinations of values.

    >>> [str(strategy) for strategy in strategies_of("controlled(ancestor=[0, 1])")]
    ['controlled(ancestor=0)', 'controlled(ancestor=1)']
    """
    if isinstance(spec, Part):
        return [spec]
    if isinstance(spec, str):
        spec = _mapping_of(spec)
    if callable(spec):
        spec = {"name": spec}
    if not isinstance(spec, Mapping):
        raise XcgError(f"illegal strategy {spec!r}: expected a name, or a mapping with a name")
    name = spec.get("name")
    if not callable(name) and not (isinstance(name, str) and name):
        raise XcgError("a strategy without a name: expected one like {name: top_ranked}")
    found = []
    content = {str(key): value for key, value in spec.items()}
    for combination in expand(content, where, MAX_STRATEGIES):
        parameters = {key: value for key, value in combination.items() if key != "name"}
        try:
            found.append(STRATEGIES.part(name, parameters, folder))
        except ParameterError as error:
            raise InputError(where((error.parameter,)), str(error)) from None
        _check_length(str(found[-1]))
    return found


def _mapping_of(text: str) -> dict[str, Any]:
    """Return name and parameters of a strategy in the form ``name(parameter=value, …)``."""
    _check_length(text)
    match = _TEXT.fullmatch(text)
    problem = f"{text.strip()!r} is not a strategy: expected one like promote_parent(threshold=0.4)"
    if match is None:
        raise XcgError(problem)
    spec: dict[str, Any] = {"name": match[1]}
    for setting in _split(match[2] or ""):
        name, sign, value = setting.partition("=")
        name = name.strip()
        if not name.isidentifier() or name == "name" or not sign:
            raise XcgError(problem)
        if name in spec:
            raise XcgError(f"{text.strip()!r} sets {name!r} twice")
        try:
            spec[name] = parse_yaml(value.strip())
        except InputError:
            raise XcgError(
                f"{text.strip()!r}: illegal value {value.strip()!r} of {name}; expected a number, a "
                "word, a list like [0, 0.5] or a range like {from: 0, to: 1, step: 0.25}"
            ) from None
    return spec


def _check_length(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise XcgError(
            f"{text.strip()[:20]}… is not a strategy: it has {len(text):,} characters; expected at "
            f"most {MAX_CHARACTERS:,}"
        )


def _split(settings: str) -> list[str]:
    """Split at the commas that are not inside of brackets."""
    found, depth = [""], 0
    for character in settings:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [setting for setting in found if setting.strip() or len(found) > 1]


def rewrite(run: Run | PathLike, strategy: object, corpus: Documents = None) -> Run:
    """Return a run in which an overlap strategy has rewritten the ranking of each topic.

    Scores are rewritten only where they would no longer decrease with the rank.

    Args:
        run: The run, or its file; it is not changed.
        strategy: The strategy as :func:`xcg.strategies.registry.strategies_of` takes it, such as
            ``"promote_parent(threshold=0.4)"``.
        corpus: The documents, if the strategy needs them: a folder or archive, a :class:`Corpus`, or a
            dict as :meth:`Corpus.of` takes it.

    Returns:
        A run with the name ``RUN+STRATEGY`` and the same topics.

    Raises:
        XcgError: If the strategy is illegal, or is not one but several.
        InputError: If the strategy fails, with run and topic: it needs documents that are missing, or a
            size that is unknown, or it is a function of the user that raises an error.

    >>> run = Run.of("bm25", {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]})
    >>> rewritten = rewrite(run, "thorough")
    >>> rewritten.name, len(rewritten.rankings["1"])
    ('bm25+thorough', 3)
    """
    bound, documents = single_strategy(strategy), corpus_of(corpus)
    as_read = run if isinstance(run, Run) else read_run(run)
    renamed = _renamed(as_read, str(bound))
    rankings = {
        topic: rewrite_ranking(ranking, bound, documents, renamed.where(topic))
        for topic, ranking in as_read.rankings.items()
    }
    return replace(renamed, rankings=rankings)


def single_strategy(strategy: object) -> BoundStrategy:
    """Return the strategy that a text, a mapping or a function names.

    Raises:
        XcgError: If it is illegal, or has lists of values and thus is not one but several.
    """
    found = strategies_of(strategy)
    if len(found) > 1:
        raise XcgError(f"{len(found)} strategies, {found[0]} and others: expected one strategy")
    return found[0]


def rewrite_runs(
    runs: Iterable[Run],
    strategies: Sequence[BoundStrategy],
    corpus: Corpus | None = None,
    store: Callable[[Ranking], Ranking] = lambda ranking: ranking,
) -> list[Run]:
    """Return each run under each strategy.

    The rankings of a topic share many documents, which stay in memory until the next topic. So all
    runs are rewritten topic by topic.

    Args:
        runs: The runs.
        strategies: The strategies.
        corpus: The documents, if a strategy needs them.
        store: Takes each new ranking and returns the one to keep.

    Raises:
        InputError: As :func:`rewrite`.
    """
    runs = list(runs)
    rewritten = [
        (run, one, _renamed(run, str(one)), dict(run.rankings)) for run in runs for one in strategies
    ]
    for topic in dict.fromkeys(topic for run in runs for topic in run.rankings):
        for of_run in range(0, len(rewritten), len(strategies)):
            as_read = rewritten[of_run][0].rankings.get(topic)
            if as_read is None:
                continue
            # Lists are faster than columns, whose texts strategies look up one by one.
            ranking = replace(as_read, files=list(as_read.files), paths=list(as_read.paths))
            for _, strategy, renamed, rankings in rewritten[of_run : of_run + len(strategies)]:
                if strategy.name != ORACLE:
                    found = rewrite_ranking(ranking, strategy, corpus, renamed.where(topic))
                    rankings[topic] = as_read if found is ranking else store(found)
    return [replace(renamed, rankings=rankings) for _, _, renamed, rankings in rewritten]


@STRATEGIES.register(ORACLE)
def oracle(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Order results by gain, knowing the assessments; a greedy reference, not a strategy.

    Each rank takes the retrieved result with the greatest gain at that point; of results with equal
    gains, the earlier one. Results without gain follow in their order. So a run with ``oracle`` shows
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


def _renamed(run: Run, strategy: str) -> Run:
    """Return a run under the name that it has after a strategy."""
    if run.is_reference:
        raise XcgError(f"{run.name} is ordered by an evaluation: expected {strategy} before oracle")
    strategies = f"{run.strategy}+{strategy}" if run.strategy else strategy
    return Run(f"{run.name}+{strategy}", run.rankings, run.source, run.skipped, strategies)


def rewrite_ranking(
    ranking: Ranking, strategy: BoundStrategy, corpus: Corpus | None, where: str
) -> Ranking:
    """Return the ranking of one topic after a strategy, with keys that follow the order of its results.

    Args:
        ranking: The ranking.
        strategy: The strategy.
        corpus: The documents, if the strategy needs them.
        where: Names the ranking in messages.

    Raises:
        InputError: If the strategy fails, see :func:`rewrite`.
    """
    try:
        rewritten = strategy.function(ranking, corpus)
    except XcgError as error:
        raise InputError(where, str(error)) from None
    except Exception as error:
        raise InputError(where, f"failed: {type(error).__name__}: {error}") from None
    if not isinstance(rewritten, Ranking):
        raise InputError(where, f"returned {type(rewritten).__name__}: expected a Ranking")
    if rewritten is ranking:
        return ranking
    columns = rewritten.files, rewritten.paths, rewritten.keys
    lengths = [len(column) for column in columns if column is not None]
    if len(set(lengths)) > 1:
        counts = ", ".join(map(str, lengths))
        raise InputError(where, f"returned files, paths and keys of {counts}: expected equal lengths")
    return with_ordered_keys(rewritten)


def with_ordered_keys(ranking: Ranking) -> Ranking:
    """Return a ranking with keys that follow the order of its results.

    A score that is lower than a later one is raised to the next number above it, and a rank that is
    greater than a later one is lowered likewise. Other keys stay. If there is no such number, the
    ranking loses its keys.
    """
    if ranking.keys is None:
        return ranking
    is_ordered = operator.ge if ranking.has_scores else operator.le
    highest = math.inf if ranking.has_scores else -math.inf
    # An array needs a quarter of the memory of a list.
    keys = ranking.keys if isinstance(ranking.keys, array) else array("d", ranking.keys)
    if all(map(is_ordered, keys, islice(keys, 1, None))):
        return ranking if keys is ranking.keys else replace(ranking, keys=keys)
    ordered = array("d", keys)
    for position in range(len(ordered) - 2, -1, -1):
        following = ordered[position + 1]
        if not is_ordered(ordered[position], following):
            ordered[position] = math.nextafter(following, highest)
    if ordered[0] == highest:
        return replace(ranking, keys=None, has_scores=False)
    return replace(ranking, keys=ordered)
