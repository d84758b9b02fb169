"""Measure where the time of an evaluation goes: seconds per stage, and how files were read.

All layers have stages, and most calls collect no profile. So the profile that is being collected is a
context variable, and without one :func:`stage` does nothing.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import Enum
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar

from xcg.errors import first_names, printable

P = ParamSpec("P")
T = TypeVar("T")

FileKind = Literal["assessments", "runs"]

_LISTED_FILES = 3
_SHOWN_SECONDS = 0.005


class Stage(Enum):
    """The stages of an evaluation, in the order of a profile."""

    READ_ASSESSMENTS = "reading assessments"
    READ_RUNS = "reading runs"
    REWRITE = "applying strategies"
    PARSE = "parsing documents"
    READ_CACHE = "reading the cache"
    WRITE_CACHE = "writing the cache"
    RESOLVE = "resolving assessments and results"
    IDEAL = "ideal recall-bases"
    GAINS = "gains"
    MEASURES = "measures"
    MEANS = "means"
    REPORT = "report"
    WAIT = "waiting for workers"
    OTHER = "other"


class Profile:
    """Where the time of an evaluation went, and how files were read; see :func:`collect_profile`.

    A stage inside another one counts for itself only. The time of an import belongs to the stage that
    needs the package first.

    Attributes:
        seconds: Stage → seconds of wall time: the sum over this process and all workers.
        processor_seconds: The same in processor time, which other programs hardly change.
        wall_time: Seconds from start to end.
        tasks: Number of tasks that workers finished.
        parsed: File of a document → how often it was parsed.
        cached: Number of documents that were taken from the cache.
        files: Kind and path of each file → why it was not read column-wise; empty if it was.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[Stage, float] = defaultdict(float)
        self.processor_seconds: defaultdict[Stage, float] = defaultdict(float)
        self.wall_time = 0.0
        self.tasks = 0
        self.parsed: Counter[str] = Counter()
        self.cached = 0
        self.files: dict[tuple[FileKind, str], str] = {}
        self._layouts: dict[str, str] = {}
        self._stage = Stage.OTHER
        self._thread = threading.get_ident()
        self._began = self._since = time.perf_counter()
        self._since_processor = time.process_time()

    def switch(self, new: Stage) -> Stage:
        """Begin a stage, and return the one that ends."""
        now, processor, old = time.perf_counter(), time.process_time(), self._stage
        self.seconds[old] += now - self._since
        self.processor_seconds[old] += processor - self._since_processor
        self._stage, self._since, self._since_processor = new, now, processor
        return old

    def end(self) -> None:
        """End the last stage."""
        self.switch(Stage.OTHER)
        self.wall_time = self._since - self._began

    @property
    def is_of_this_thread(self) -> bool:
        """Whether this thread collects the profile; it waits for its helper threads."""
        return self._thread == threading.get_ident()

    def record_layout(self, path: str, problem: str) -> None:
        """Record how a file was read, see :func:`record_layout`."""
        self._layouts[path] = problem

    def count_file(self, kind: FileKind, path: str, format_name: str) -> None:
        """Count a file, see :func:`count_file`."""
        problem = self._layouts.pop(path, f"the format {format_name} has no column-wise reader")
        self.files[kind, path] = problem

    def take(self, other: Profile) -> None:
        """Add the profile of a task that another process worked on."""
        for stage, seconds in other.seconds.items():
            self.seconds[stage] += seconds
            self.processor_seconds[stage] += other.processor_seconds[stage]
        self.tasks += 1
        self.parsed += other.parsed
        self.cached += other.cached
        self.files |= other.files

    def lines(self) -> list[str]:
        """Return the profile as lines of text.

        >>> with collect_profile() as profile:
        ...     count_parsed("bees")
        >>> profile.lines()[-1]
        'documents: 1 parsed, 0 from the cache'
        """
        total = math.fsum(self.processor_seconds.values()) or 1.0
        workers = f"; sums over this process and {self.tasks} tasks of workers" if self.tasks else ""
        width = max(len(stage.value) for stage in Stage)
        lines = [
            f"profile: {self.wall_time:.2f} s of wall time{workers}",
            f"  {'seconds':{width}}      wall  processor",
        ]
        for stage in Stage:
            wall, processor = self.seconds.get(stage, 0.0), self.processor_seconds.get(stage, 0.0)
            if max(wall, processor) >= _SHOWN_SECONDS:
                share = f"{100 * processor / total:4.0f} %"
                lines.append(f"  {stage.value:{width}}  {wall:8.2f}   {processor:8.2f} {share}")
        for kind in ("assessments", "runs"):
            lines += _file_lines(kind, {path: p for (k, path), p in self.files.items() if k == kind})
        times = self.parsed.total()
        more = f" ({times:,} times in total)" if times > len(self.parsed) else ""
        lines.append(f"documents: {len(self.parsed):,} parsed{more}, {self.cached:,} from the cache")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _file_lines(kind: str, problems: dict[str, str]) -> Iterable[str]:
    """Yield how many files were read column-wise, and each reason why others were not."""
    if not problems:
        return
    regular = sum(not problem for problem in problems.values())
    yield f"{kind}: {regular:,} of {len(problems):,} files read column-wise"
    by_problem: dict[str, list[str]] = {}
    for path, problem in problems.items():
        if problem:
            by_problem.setdefault(problem, []).append(path)
    for problem, paths in by_problem.items():
        yield printable(f"  {len(paths):,} not, {problem}: {first_names(paths, _LISTED_FILES)}")


_active: ContextVar[Profile | None] = ContextVar("profile", default=None)
_NOTHING = nullcontext()
_counting = threading.Lock()


@contextmanager
def collect_profile() -> Iterator[Profile]:
    """Collect a profile of everything in the ``with`` block.

    >>> from xcg import evaluate
    >>> with collect_profile() as profile:
    ...     results = evaluate({"1": {"d": 2}}, {"r": {"1": ["d", "e"]}}, measures="MAep")
    >>> profile.seconds[Stage.GAINS] <= profile.wall_time
    True
    """
    profile = Profile()
    token = _active.set(profile)
    try:
        yield profile
    finally:
        _active.reset(token)
        profile.end()


def active_profile() -> Profile | None:
    """Return the profile that this thread collects, if any."""
    profile = _active.get()
    return profile if profile is not None and profile.is_of_this_thread else None


class _Stage:
    """A stage of a profile, as a context manager."""

    __slots__ = ("_outer", "_profile", "_stage")

    def __init__(self, profile: Profile, stage: Stage) -> None:
        self._profile, self._stage = profile, stage

    def __enter__(self) -> None:
        self._outer = self._profile.switch(self._stage)

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._profile.switch(self._outer)


def stage(name: Stage) -> AbstractContextManager[None]:
    """Return a context manager whose time belongs to a stage; it does nothing without a profile."""
    profile = active_profile()
    return _NOTHING if profile is None else _Stage(profile, name)


def in_stage(name: Stage) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator of functions whose time belongs to a stage."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*arguments: P.args, **values: P.kwargs) -> T:
            with stage(name):
                return function(*arguments, **values)

        return call

    return decorate


def staged(name: Stage, items: Iterator[T]) -> Iterator[T]:
    """Yield items whose computation, but not their use, belongs to a stage."""
    while True:
        with stage(name):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


def count_parsed(name: object) -> None:
    """Count a document that was parsed; helper threads count too."""
    profile = _active.get()
    if profile is not None:
        with _counting:
            profile.parsed[str(name)] += 1


def count_cached(number: int) -> None:
    """Count documents that were taken from the cache; helper threads count too."""
    profile = _active.get()
    if profile is not None:
        with _counting:
            profile.cached += number


def record_layout(path: object, problem: str = "") -> None:
    """Record that a file is read column-wise, or why it is not."""
    profile = active_profile()
    if profile is not None:
        profile.record_layout(str(path), problem)


def count_file(kind: FileKind, path: object, format_name: str) -> None:
    """Count a file that was read; if its layout is not recorded, the format has no fast reader."""
    profile = active_profile()
    if profile is not None:
        profile.count_file(kind, str(path), format_name)


def take_profile(other: Profile | None) -> None:
    """Add the profile of a worker's task."""
    profile = active_profile()
    if profile is not None and other is not None:
        profile.take(other)


def call_in_worker(
    is_profiled: bool, function: Callable[..., T], *arguments: Any
) -> tuple[T, Profile | None]:
    """Call a function in a worker, and return its result and its profile.

    There is no profile if none is wanted, or if the worker is the process that collects it.
    """
    if not is_profiled or active_profile() is not None:
        return function(*arguments), None
    with collect_profile() as profile:
        return function(*arguments), profile
