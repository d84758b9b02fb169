"""The keys of a configuration: in YAML, as names for ``--set``, and as keywords in Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from xcg.errors import nearest
from xcg.settings.schema import (
    DEFAULT_MEASURES,
    FILE,
    FLAG,
    MAX_NUMBER,
    MAX_WORKERS,
    NAME,
    OBJECTS,
    OUTPUT,
    PATH,
    PATHS,
    RUN,
    TEXT,
    Checked,
    Choice,
    ListOf,
    Number,
    Place,
    Type,
    key,
    kind,
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

_NUMBER = whole(1, MAX_NUMBER)


def _named(value: object, place: Place) -> object:
    """Refuse numbers, which name nothing; Python can state objects."""
    if isinstance(value, (int, float)):
        raise ValueError(f"expected a name, found {kind(value)}")
    return value


_NAMES = partial(Checked, _named, is_text=True, is_list=True)
_MODELS = _NAMES("a name, a file, a mapping, or a list of these", metavar="NAME_OR_FILE")
_MEASURES = _NAMES("a list like [nxCG@10, MAep]", metavar="LIST")
_STRATEGIES = _NAMES("a name, a mapping with a name, or a list of these", metavar="NAME")


def _by_measure(value: object, place: Place) -> object:
    """Check numbers or shares by measure: 0.02, 5%, MAep=0.3, or a mapping of these."""
    if isinstance(value, Mapping):
        return {str(name): one for name, one in value.items()}
    items = value if isinstance(value, (list, tuple)) else [value]
    if all(isinstance(one, (str, int, float)) and not isinstance(one, bool) for one in items):
        return [str(one) for one in items]
    raise ValueError(f"expected a value, or values by measure, found {kind(value)}")


_BY_MEASURE = Checked(
    _by_measure,
    stated="a value, or values by measure",
    metavar="[MEASURE=]VALUE",
    is_text=True,
    is_list=True,
)


@dataclass(eq=False, repr=False)
class _Input(Type):
    """An input: paths, an object, or a mapping with ``path`` and options.

    In Python, a mapping without options holds topics or documents.
    """

    paths: Type
    options: Mapping[str, Type]
    metavar: str = field(default="PATH", kw_only=True)
    is_text: bool = field(default=True, kw_only=True)

    def check(self, value: Any, place: Place) -> object:
        """Return the paths or the object; or a mapping of these and of the checked options."""
        options = self.options
        is_stated = isinstance(value, Mapping) and (
            not place.is_python
            or any(name in value and not isinstance(value[name], Mapping) for name in options)
        )
        if not is_stated:
            return self.paths.check(value, place)
        for name in value:
            if name not in ("path", *options):
                raise ValueError(f"unknown key: {nearest(str(name), ('path', *options))}")
        if "path" not in value:
            raise ValueError("the key 'path' is missing")
        given = {name: options[name].check(value[name], place) for name in options if name in value}
        return {"path": self.paths.check(value["path"], place), **given}


def _corpus(value: Any, place: Place) -> object:
    return value if place.is_python and not isinstance(value, str) else PATH.check(value, place)


def _element_name(value: Any, place: Place) -> object:
    name: Any = NAME.check(value, place)
    if not re.fullmatch(r"[^\W\d][\w.-]*", name):
        raise ValueError(f"exclude: expected names of elements without prefix, found {name!r}")
    return name


_ASSESSMENTS = _Input(OBJECTS, {"nuggets": FLAG}, is_list=True)
CORPUS_OPTIONS = {"follow_links": FLAG, "exclude": ListOf(replace(NAME, function=_element_name))}
_CORPUS = _Input(Checked(_corpus), CORPUS_OPTIONS)


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
    return ListOf(NAME).check(names, place)


@dataclass(eq=False, repr=False)
class Topics:
    """The topics of a campaign."""

    unanswered: str = key(
        "Count an assessed topic without results as 0 (zero), or leave it out (skip).",
        Choice(("zero", "skip")),
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
        "Print only this topic, without means over topics.", ListOf(NAME), [], option=True
    )
    intervals: float | None = key(
        "Print confidence intervals of the means at this level in percent, such as 95.",
        Number(0, 100, is_open=True),
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
    test: str = key("Use this paired test over topics.", Choice(TESTS), "t")
    correction: str | None = key(
        "Correct p values for the number of comparisons with this method.",
        Choice(CORRECTIONS),
        default_text="shaffer for all pairs by t, otherwise holm",
    )
    table: str = key(
        "What to print: the pairs of runs; tests over all runs (overall: ANOVA, Friedman with "
        "Conover's pairwise tests); or τ-b and τ_AP between the orders of runs by all measures and "
        "user models (orders).",
        Choice(("pairs", "overall", "orders")),
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
        "A topic regresses if its score is worse by more than this.", Number(0), default_text="0.1"
    )
    fail_under: Any = key(
        "Fail if the mean of this measure is lower than this value.",
        replace(_BY_MEASURE, metavar="MEASURE=VALUE"),
        option=True,
    )
    expected_topics: Any = key(
        "Fail unless these topics (questions), or at least this number, have scores of all runs.",
        Checked(_topics_or_count, "topics, or their number", metavar="LIST"),
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
        ListOf(RUN),
        [],
        option=True,
    )
    topic: list[str] = key("Explain this topic.", ListOf(NAME), [], option=True)


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
        Choice(("document", "rank", "file")),
        default_text="document for TREC and LETOR, otherwise file",
    )
    topics: Topics = field(default_factory=Topics)
    document: Any = key(
        "Name the document of each result in JSON Lines by this key of its metadata, by the end of "
        'its path that names a document ("file name"), by a mapping, or by a table of names (a .csv '
        "file).",
        Checked(_document, "a name", metavar="KEY"),
    )
    parents: Any = key(
        "All chunks of a hierarchical splitter, if offsets count from parents; only in Python.",
        Checked(_parents, "chunks"),
        (),
    )
    lenient: bool = key(
        "Report wrong data as warnings; files that cannot be parsed remain errors.", FLAG, False
    )
    workers: int = key(
        "Divide the work among this number of processes; -1 uses all cores.",
        Checked(_workers, metavar="NUMBER"),
        1,
        option=True,
    )
    scheduler: str | None = key(
        "Divide the work among the workers of the Dask cluster with the scheduler at this address.",
        TEXT,
    )
    format: str | None = key("Print in this format.", Choice(FORMATS), option=True)
    output: Any = key("Write to this file instead of standard output, which is -.", OUTPUT, option=True)
    plot: Plot = field(default_factory=Plot)
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
    evaluate: Evaluate = field(default_factory=Evaluate)
    compare: Compare = field(default_factory=Compare)
    gate: Gate = field(default_factory=Gate)
    sweep: Sweep = field(default_factory=Sweep)
    curves: Curves = field(default_factory=Curves)
    explain: Explain = field(default_factory=Explain)
    report: Report = field(default_factory=Report)
    chunks: Chunks = field(default_factory=Chunks)
    check: Check = field(default_factory=Check)
    study: Study = field(default_factory=Study)
    judge: Judge = field(default_factory=Judge)
