"""The keys of a configuration: in YAML, as names for ``--set``, and as keywords in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from xcg.errors import nearest
from xcg.settings.schema import (
    FILE,
    FLAG,
    MAX_NUMBER,
    MAX_WORKERS,
    NAME,
    OBJECTS,
    PATH,
    PATHS,
    RUN,
    TEXT,
    Place,
    Type,
    choice,
    key,
    kind,
    list_of,
    number,
    section,
    stated,
    whole,
)
from xcg.settings.study_keys import (
    CORRECTIONS,
    TESTS,
    Bootstrap,
    Check,
    Chunks,
    Curves,
    Judge,
    Plot,
    Report,
    Study,
    Sweep,
)

FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex", "trec_eval", "bibtex")
DEFAULT_MEASURES = ("nxCG@10", "MAep", "iMAep", "Q", "R")

_NUMBER = whole(1, MAX_NUMBER)


def _named(value: object, place: Place) -> object:
    """Refuse numbers, which name nothing; Python can state objects."""
    if isinstance(value, (int, float)):
        raise ValueError(f"expected a name, found {kind(value)}")
    return value


_MODELS = stated(
    "a name, a file, a mapping, or a list of these",
    _named,
    metavar="NAME_OR_FILE",
    is_text=True,
    is_list=True,
)
_MEASURES = stated("a list like [nxCG@10, MAep]", _named, metavar="LIST", is_text=True, is_list=True)
_STRATEGIES = stated(
    "a name, a mapping with a name, or a list of these",
    _named,
    metavar="NAME",
    is_text=True,
    is_list=True,
)


def _by_measure(value: object, place: Place) -> object:
    """Check numbers or shares by measure: 0.02, 5%, MAep=0.3, or a mapping of these."""
    if isinstance(value, Mapping):
        return {str(name): one for name, one in value.items()}
    items = value if isinstance(value, (list, tuple)) else [value]
    if all(isinstance(one, (str, int, float)) and not isinstance(one, bool) for one in items):
        return [str(one) for one in items]
    raise ValueError(f"expected a value, or values by measure, found {kind(value)}")


_BY_MEASURE = stated(
    "a value, or values by measure", _by_measure, metavar="[MEASURE=]VALUE", is_text=True, is_list=True
)


def _with_options(paths: Type, options: Mapping[str, Type]) -> Callable[[Any, Place], object]:
    """Return the check of an input: paths, an object, or a mapping with ``path`` and options.

    In Python, a mapping without options holds topics or documents.
    """

    def check(value: Any, place: Place) -> object:
        is_stated = isinstance(value, Mapping) and (
            not place.is_python
            or any(name in value and not isinstance(value[name], Mapping) for name in options)
        )
        if not is_stated:
            return paths.check(value, place)
        for name in value:
            if name not in ("path", *options):
                raise ValueError(f"unknown key: {nearest(str(name), ('path', *options))}")
        if "path" not in value:
            raise ValueError("the key 'path' is missing")
        given = {name: options[name].check(value[name], place) for name in options if name in value}
        return {"path": paths.check(value["path"], place), **given}

    return check


def _corpus(value: Any, place: Place) -> object:
    return value if place.is_python and not isinstance(value, str) else PATH.check(value, place)


def _element_name(value: Any, place: Place) -> object:
    name: Any = NAME.check(value, place)
    if not re.fullmatch(r"[^\W\d][\w.-]*", name):
        raise ValueError(f"exclude: expected names of elements without prefix, found {name!r}")
    return name


_ASSESSMENTS = replace(OBJECTS, check=_with_options(OBJECTS, {"nuggets": FLAG}))
CORPUS_OPTIONS = {"follow_links": FLAG, "exclude": list_of(replace(NAME, check=_element_name))}
_CORPUS = Type(_with_options(Type(_corpus), CORPUS_OPTIONS), "PATH", is_text=True)


def _document(value: object, place: Place) -> object:
    names = [name for pair in value.items() for name in pair] if isinstance(value, Mapping) else []
    is_mapping = bool(names) and all(isinstance(name, str) for name in names)
    if (
        is_mapping
        or (isinstance(value, str) and value.strip())
        or (place.is_python and callable(value))
    ):
        return value
    raise ValueError("expected file name, a key, a file of names, or a mapping of names")


def _parents(value: object, place: Place) -> object:
    if not place.is_python or isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ValueError("expected chunks in Python; JSON Lines states the parent of each chunk")
    return value if isinstance(value, Mapping) else list(value)


def _workers(value: object, _: Place) -> object:
    legal = isinstance(value, int) and not isinstance(value, bool)
    if legal and (1 <= value <= MAX_WORKERS or value == -1):  # type: ignore[operator]
        return value
    raise ValueError(
        f"expected 1 to {MAX_WORKERS:,} processes, or -1 for one per core, found {kind(value)}"
    )


def _topics_or_count(value: object, place: Place) -> object:
    """Check the expected topics: their names, or their smallest number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBER.check(value, place)
    names = value.replace(",", " ").split() if isinstance(value, str) else value
    return list_of(NAME).check(names, place)


@dataclass(eq=False, repr=False)
class Topics:
    """The topics of a campaign."""

    unanswered: str = key(
        "Count an assessed topic without results as 0 (zero), or leave it out (skip).",
        choice(("zero", "skip")),
        "zero",
    )
    files: list[Any] = key(
        "Topic files, folders or globs, whose titles and texts are shown.", PATHS, []
    )


@dataclass(eq=False, repr=False)
class Evaluate:
    """What ``evaluate`` prints."""

    per_topic: bool = key("Also print the scores of each topic.", FLAG, False, option=True)
    topic: list[str] = key(
        "Print only this topic, without means over topics.", list_of(NAME), [], option=True
    )
    intervals: float | None = key(
        "Print confidence intervals of the means at this level in percent, such as 95.",
        number(0, 100, is_open=True),
    )
    against: str | None = key(
        "In markdown and latex, mark means that differ significantly from this run, a name or a path, "
        "with a dagger. all gives letters: runs that share one do not differ significantly.",
        RUN,
    )
    ranks: bool | None = key(
        "With several user models, print the rank of each run after its mean.",
        FLAG,
        default_text="true, and false for markdown and latex",
    )


@dataclass(eq=False, repr=False)
class Compare(Bootstrap):
    """How runs are compared."""

    baseline: Any = key(
        "Compare with this run, a name or a path, chosen before seeing the results. all compares every "
        "pair of runs.",
        RUN,
        option=True,
        default_text="all, shown relative to the best run",
    )
    test: str = key("Use this paired test over topics.", choice(TESTS), "t")
    correction: str | None = key(
        "Correct p values for the number of comparisons with this method.",
        choice(CORRECTIONS),
        default_text="shaffer for all pairs by t, otherwise holm",
    )
    table: str = key(
        "What to print: the pairs of runs; tests over all runs (overall: ANOVA, Friedman with "
        "Conover's pairwise tests); or τ-b and τ_AP between the orders of runs by all measures and "
        "user models (orders).",
        choice(("pairs", "overall", "orders")),
        "pairs",
        option=True,
    )


@dataclass(eq=False, repr=False)
class Gate:
    """When ``gate`` fails."""

    max_drop: Any = key(
        "Fail if a mean is worse than that of the baseline by more than this difference (0.02), or "
        "share of the baseline's mean (5%). There is no test.",
        _BY_MEASURE,
        option=True,
    )
    max_regressed: Any = key(
        "Fail if more than this number or share of topics (20%) regress: the run is worse there than "
        "the baseline by more than regressed_by.",
        _BY_MEASURE,
        option=True,
    )
    regressed_by: float | None = key(
        "A topic regresses if its score is worse by more than this.", number(0), default_text="0.1"
    )
    fail_under: Any = key(
        "Fail if the mean of this measure is lower than this value.",
        replace(_BY_MEASURE, metavar="MEASURE=VALUE"),
        option=True,
    )
    expected_topics: Any = key(
        "Fail unless these topics (questions), or at least this number, have scores of all runs.",
        stated("topics, or their number", _topics_or_count, metavar="LIST"),
        option=True,
    )
    junit: Any = key(
        "Write the verdict to this file as JUnit XML, one test case for each run, measure and user "
        "model.",
        FILE,
        option=True,
    )
    per_topic: bool = key(
        "In junit, add a test case for each topic. It fails if the run fails by this measure and the "
        "topic regresses.",
        FLAG,
        False,
    )


@dataclass(eq=False, repr=False)
class Explain:
    """What ``explain`` explains."""

    run: list[str] = key(
        "Explain the results of this run, a path or the name of a run in CONFIG. Without it, the ideal "
        "recall-base is printed.",
        list_of(RUN),
        [],
        option=True,
    )
    topic: list[str] = key("Explain this topic.", list_of(NAME), [], option=True)


@dataclass(eq=False, repr=False)
class Settings:
    """Everything that a user can state, with the default values of what is not stated."""

    assessments: Any = key(
        "Read assessments from this file, folder or glob pattern; - is standard input.",
        _ASSESSMENTS,
        (),
        option=True,
    )
    gold: Any = key("Assessments of spans: the same as assessments.", _ASSESSMENTS, (), option=True)
    runs: Any = key(
        "Read runs from this file, folder or glob pattern; - is standard input. With CONFIG, the name "
        "of one of its runs selects this run.",
        OBJECTS,
        (),
        option="--run",
    )
    corpus: Any = key("Read documents from this folder or archive.", _CORPUS, option=True)
    user_model: Any = key(
        "Use this user model. xcg list user-models has the names.", _MODELS, option=True
    )
    measures: Any = key(
        'Compute these measures, such as "nxCG@10 MAep". xcg list measures has the names.',
        _MEASURES,
        option=True,
        default_text=" ".join(DEFAULT_MEASURES),
    )
    strategies: Any = key(
        "Rewrite each run with this overlap strategy, such as top_ranked or "
        '"promote_parent(threshold=0.4)". xcg list strategies has the names.',
        _STRATEGIES,
        option="--strategy",
    )
    ties: str | None = key(
        "Order results of equal score or rank by descending document id, by rank, or as in the file.",
        choice(("document", "rank", "file")),
        default_text="document for TREC and LETOR, otherwise file",
    )
    topics: Topics = section(Topics)
    document: Any = key(
        "Name the document of each result in JSON Lines by this key of its metadata, by the end of "
        'its path that names a document ("file name"), by a mapping, or by a table of names (a .csv '
        "file).",
        stated("a name", _document, metavar="KEY"),
    )
    parents: Any = key(
        "All chunks of a hierarchical splitter, if offsets count from parents; only in Python.",
        stated("chunks", _parents),
        (),
    )
    lenient: bool = key("Report wrong data as warnings instead of stopping.", FLAG, False)
    workers: int = key(
        "Divide the work among this number of processes; -1 uses all cores.",
        Type(_workers, "NUMBER"),
        1,
        option=True,
    )
    scheduler: str | None = key(
        "Divide the work among the workers of the Dask cluster with the scheduler at this address.",
        TEXT,
    )
    format: str | None = key("Print in this format.", choice(FORMATS), option=True)
    output: Any = key("Write to this file instead of standard output, which is -.", PATH, option=True)
    plot: Plot = section(Plot)
    all_rows: bool = key("On a terminal, print all rows of long tables.", FLAG, False)
    formulas: bool = key(
        "In csv, leave names unchanged that spreadsheets would read as formulas; with false, put ' "
        "before them.",
        FLAG,
        True,
    )
    record: Any = key(
        "Write every setting that can change a value, the version of xcg, and the SHA-256 of all input "
        "files to this file. xcg.load repeats the evaluation from it.",
        FILE,
    )
    evaluate: Evaluate = section(Evaluate)
    compare: Compare = section(Compare)
    gate: Gate = section(Gate)
    sweep: Sweep = section(Sweep)
    curves: Curves = section(Curves)
    explain: Explain = section(Explain)
    report: Report = section(Report)
    chunks: Chunks = section(Chunks)
    check: Check = section(Check)
    study: Study = section(Study)
    judge: Judge = section(Judge)
