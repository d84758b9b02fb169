"""Measures that are functions of the user, named ``package.module:function``."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from xcg.errors import XcgError
from xcg.measures.definition import RANK, RANK_OR_ALL, Definition, Number, Parameters
from xcg.measures.topic_gains import RankingGains
from xcg.registry import Between, FunctionRegistry, Parameter, Part, parameters_of

Function = Callable[..., float | None]
_FUNCTIONS: FunctionRegistry[Function] = FunctionRegistry("measure", "xcg.measure")


@dataclass(frozen=True)
class _Compute:
    """Calls a user's function, and turns failures and illegal values into messages."""

    part: Part[Function]
    has_cutoff: bool

    def __call__(self, topic: RankingGains, cutoff: float, parameters: Parameters) -> float | None:
        keywords = {"cutoff": cutoff, **parameters} if self.has_cutoff else parameters
        try:
            found = self.part.function(topic, **keywords)
            value = None if found is None else float(found)
        except XcgError:
            raise
        except Exception as error:  # a user's function may raise anything
            raise XcgError(f"the function failed: {type(error).__name__}: {error}") from None
        if value is not None and not math.isfinite(value):
            raise XcgError(f"the function returned {value}: expected a finite number or None")
        return value


def function_measure(path: str, folder: Path | None) -> Definition:
    """Return the definition of the measure that a function computes.

    The function takes the gains of a ranking for a topic and returns a number, or None if it is
    undefined. A keyword-only argument ``cutoff`` is the rank after ``@``; without a default it is
    required. Other keyword-only arguments are parameters, with the annotations float, int or Literal.
    A function attribute ``lower_is_better`` reverses the order of runs.

    Args:
        path: ``package.module:function``.
        folder: The folder of the configuration; see :func:`xcg.plugins.load_function`.

    Raises:
        XcgError: If the function cannot be imported or has other arguments.
    """
    part = _FUNCTIONS.part(path, folder=folder)
    try:
        inspect.signature(part.function).bind_partial("topic")
        arguments = {argument.name: argument for argument in parameters_of(part.function)}
    except (TypeError, ValueError, NameError) as error:
        raise XcgError(
            f"measure {path}: {error}; expected a function of the gains of a ranking"
        ) from None
    cutoff = arguments.pop("cutoff", None)
    required = cutoff is not None and cutoff.default is inspect.Parameter.empty
    return Definition(
        name=path,
        title=(inspect.getdoc(part.function) or path).partition("\n")[0].rstrip("."),
        formula="that of the function",
        source=path,
        example="",
        compute=_Compute(part, cutoff is not None),
        range="not stated",
        cutoff=None if cutoff is None else RANK if required else RANK_OR_ALL,
        parameters={name: _legal(path, argument) for name, argument in arguments.items()},
        lower_is_better=bool(getattr(part.function, "lower_is_better", False)),
    )


def _legal(path: str, argument: Parameter) -> tuple[str, ...] | Number:
    """Return the legal values of a parameter."""
    if get_origin(argument.type) is Literal:
        words = [str(word) for word in get_args(argument.type) if word != argument.default]
        return (str(argument.default), *words)
    default: Any = argument.default
    if argument.type not in (int, float) or default is inspect.Parameter.empty:
        raise XcgError(
            f"measure {path}: the argument {argument.name} needs a default, and the annotation float, "
            "int or Literal"
        )
    between = next((one for one in argument.constraints if isinstance(one, Between)), None)
    least, most = (between.least, between.most) if between is not None else (-math.inf, None)
    return Number(default, least, math.inf if most is None else most, whole=argument.type is int)
