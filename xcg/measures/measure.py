"""What a measure is, apart from how it is computed: declaration, parameters, and its printed name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy.typing as npt

from xcg.errors import XcgError, nearest


@dataclass(frozen=True)
class TopicGains:
    """What the measures see of one ranking for one topic.

    gains: xG by rank. ideal: xI, decreasing. not_retrieved: ideal elements that are not retrieved.
    """

    gains: npt.ArrayLike
    ideal: npt.ArrayLike
    not_retrieved: int


@dataclass(frozen=True)
class Cutoff:
    """What stands behind the @: its name in messages, and which numbers it may be."""

    name: str
    example: str
    whole: bool


RANK = Cutoff("a rank from 1", "10", whole=True)
RECALL = Cutoff("a recall point above 0 and at most 1", "0.1", whole=False)


@dataclass(frozen=True, eq=False)
class Definition:
    """The declaration of a measure.

    parameters: name → the values it may have; the first is what the user model's ``effort`` says
    unless it says otherwise. compute: ``(topic, cutoff, parameters) → value``.
    """

    name: str
    title: str
    formula: str
    range: str
    source: str
    example: str
    compute: Callable[[TopicGains, float, Mapping[str, str]], float]
    cutoff: Cutoff | None = None
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    caveat: str = ""

    @property
    def usage(self) -> str:
        """How the measure is written, with a cutoff where it needs one: ``nxCG@10``."""
        return f"{self.name}@{self.cutoff.example}" if self.cutoff else self.name


@dataclass(frozen=True)
class Measure:
    """A measure as a user asks for it: a definition with its cutoff and parameters.

    ``str(measure)`` is its canonical name, which parses to the same measure.
    """

    definition: Definition
    cutoff: float = math.nan
    parameters: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        brackets = ",".join(f"{name}={value}" for name, value in self.parameters)
        name = f"{self.definition.name}({brackets})" if brackets else self.definition.name
        if self.definition.cutoff is None:
            return name
        whole = self.cutoff.is_integer()
        return f"{name}@{int(self.cutoff) if whole else repr(self.cutoff)}"

    def __call__(self, topic: TopicGains, defaults: Mapping[str, str] | None = None) -> float:
        """Return the value for one topic; ``defaults`` are the user model's parameters."""
        parameters = {name: values[0] for name, values in self.definition.parameters.items()}
        parameters.update({k: v for k, v in (defaults or {}).items() if k in parameters})
        parameters.update(self.parameters)
        return self.definition.compute(topic, self.cutoff, parameters)


_MEASURE = re.compile(r"([A-Za-z]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*([^\s@]+))?\Z")


class MeasureRegistry:
    """The measures by name, and the parser of what users write."""

    def __init__(self) -> None:
        self._definitions: dict[str, Definition] = {}

    def add(self, definition: Definition) -> None:
        """Register a definition under its name."""
        self._definitions[definition.name] = definition

    def __iter__(self) -> Iterator[Definition]:
        return iter(self._definitions.values())

    def named(self, name: str) -> Definition:
        """Return the definition of a name; XcgError with the nearest name for an unknown one."""
        if name not in self._definitions:
            raise XcgError(f"unknown measure {name!r}: {nearest(name, self._definitions)}")
        return self._definitions[name]

    def parse(self, text: str | Measure) -> Measure:
        """Return the measure that a text names: ``nxCG@10``, ``ep(interpolation=linear)@0.1``.

        Raises XcgError for an unknown name or parameter, and for a cutoff that is missing, illegal
        or not wanted.
        """
        if isinstance(text, Measure):
            return text
        match = _MEASURE.match(text.strip())
        if match is None:
            raise XcgError(
                f"{text!r} is no measure: expected one like nxCG@10 or MAep(unretrieved=max)"
            )
        name, brackets, at = match.groups()
        definition = self.named(name)
        return Measure(definition, _cutoff(definition, at), _parameters(definition, brackets))

    def parse_all(self, texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
        """Return the measures of a list, or of a text that separates them by white space or commas.

        A measure that is named twice is kept once. Raises XcgError as :meth:`parse`, and for none.
        """
        if isinstance(texts, Measure):
            texts = [texts]
        elif isinstance(texts, str):
            texts = split_measures(texts)
        measures = list(dict.fromkeys(self.parse(text) for text in texts))
        if not measures:
            raise XcgError("no measures: expected at least one, like nxCG@10")
        return measures


def split_measures(text: str) -> list[str]:
    """Split a list of measures at white space and commas outside brackets.

    >>> split_measures("nxCG@10, ep(interpolation=linear)@0.1 MAep")
    ['nxCG@10', 'ep(interpolation=linear)@0.1', 'MAep']
    """
    return re.findall(r"[^\s,(]+(?:\([^)]*\)?[^\s,(]*)?|\([^\s]*", text)


def _cutoff(definition: Definition, at: str | None) -> float:
    cutoff = definition.cutoff
    if cutoff is None:
        if at is not None:
            raise XcgError(f"{definition.name} takes no cutoff: expected {definition.usage}")
        return math.nan
    problem = f"expected {cutoff.name}, like {definition.usage}"
    if at is None:
        raise XcgError(f"{definition.name} lacks its cutoff: {problem}")
    number = re.compile(r"[0-9]{1,9}" if cutoff.whole else r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?")
    if not number.fullmatch(at):
        raise XcgError(f"{definition.name}@{at}: {problem}")
    value = float(at)
    if not (value >= 1 if cutoff.whole else 0 < value <= 1):
        raise XcgError(f"{definition.name}@{at}: {problem}")
    return value


def _parameters(definition: Definition, brackets: str | None) -> tuple[tuple[str, str], ...]:
    given: dict[str, str] = {}
    for item in (brackets or "").split(","):
        if not item.strip():
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        value = value.strip("'\"")
        if name not in definition.parameters:
            hint = nearest(name, definition.parameters) if definition.parameters else "it takes none"
            raise XcgError(f"{definition.name} has no parameter {name!r}: {hint}")
        if not equals or value not in definition.parameters[name]:
            hint = nearest(value, definition.parameters[name])
            raise XcgError(f"{definition.name}: illegal {name} {value!r}: {hint}")
        if name in given:
            raise XcgError(f"{definition.name}: the parameter {name} stands twice")
        given[name] = value
    return tuple((name, given[name]) for name in definition.parameters if name in given)
