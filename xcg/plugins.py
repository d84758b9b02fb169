"""Named functions: registered inside by decorator, named ``package.module:function`` outside."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from xcg.errors import XcgError, nearest

F = TypeVar("F", bound=Callable[..., Any])


class Part(NamedTuple, Generic[F]):
    """One chosen part of a user model: its name, its parameters and the function to call.

    ``str(part)`` is what a user would type: ``kazai_lalmas(tie=shallower)``.
    """

    name: str
    function: F
    parameters: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.parameters)})"

    @property
    def plain(self) -> Any:
        """The function without its parameters."""
        return self.function.func if isinstance(self.function, partial) else self.function

    @property
    def key(self) -> object:
        """What two parts share that do the same."""
        return id(self.plain), self.parameters


class Registry(Generic[F]):
    """The functions that can play one part, by name.

    An installed package adds to them by entry points in the group ``xcg.`` and the kind with
    underscores: ``xcg.ideal``, ``xcg.quantisation``, ``xcg.overlap_model``, ``xcg.near_miss_model``.

    >>> colours = Registry("colour")
    >>> @colours.register("red")
    ... def red(tree, *, shade: float = 0.5): ...
    >>> str(colours.part("red", {"shade": 0.25}))
    'red(shade=0.25)'
    >>> colours.part("rde")
    Traceback (most recent call last):
    xcg.errors.XcgError: unknown colour 'rde': did you mean 'red'?
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._functions: dict[str, F] = {}

    def register(self, name: str) -> Callable[[F], F]:
        """Return a decorator that registers a function under a name."""

        def add(function: F) -> F:
            self._functions[name] = function
            return function

        return add

    @property
    def group(self) -> str:
        """The group of entry points by which packages add functions."""
        return "xcg." + re.sub(r"\W", "_", self.kind)

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._functions, *self._entry_points()}))

    def _entry_points(self) -> dict[str, str]:
        """Return name → ``package.module:function`` of what installed packages add."""
        from importlib.metadata import entry_points  # asks the disk, so only who needs it pays

        return {entry.name: entry.value for entry in entry_points(group=self.group)}

    def summary(self, name: str) -> str:
        """Return the first line of a function's docstring."""
        function = self._functions.get(name) or self.part(name).function
        return (inspect.getdoc(function) or "").partition("\n")[0]

    def part(
        self, name: str | Callable[..., Any], parameters: Mapping[str, object] | None = None
    ) -> Part[F]:
        """Return the function of a name, or of ``package.module:function``, with its parameters.

        Parameters are the function's keyword-only arguments. Raises XcgError for an unknown name or
        parameter, and for a value that the argument's annotation does not admit.
        """
        function: Any
        if callable(name):
            function, name = name, getattr(name, "__qualname__", repr(name))
        elif ":" in name:
            function = _import(name, self.kind)
        elif name in self._functions:
            function = self._functions[name]
        elif name in (added := self._entry_points()):
            function = _import(added[name], self.kind)
        else:
            raise XcgError(f"unknown {self.kind} {name!r}: {nearest(name, self)}")
        if not parameters:
            return Part(name, function)
        _check_parameters(f"{self.kind} {name}", function, parameters)
        return Part(name, partial(function, **parameters), tuple(parameters.items()))  # type: ignore[arg-type]


def _import(name: str, kind: str) -> Callable[..., Any]:
    module_name, _, function_name = name.partition(":")
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:  # whatever importing a user's module raises is the user's to know
        raise XcgError(
            f"cannot import the {kind} {name!r}: {type(error).__name__}: {error}; "
            "expected package.module:function"
        ) from None
    if not callable(function):
        raise XcgError(f"the {kind} {name!r} is no function")
    return function  # type: ignore[no-any-return]


def _check_parameters(
    what: str, function: Callable[..., Any], parameters: Mapping[str, object]
) -> None:
    hints = get_type_hints(function)
    legal = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    for name, value in parameters.items():
        if name not in legal:
            hint = nearest(name, legal) if legal else "it takes none"
            raise XcgError(f"{what} has no parameter {name!r}: {hint}")
        annotation = hints.get(name)
        if get_origin(annotation) is Literal:
            if value not in get_args(annotation):
                choices = [str(choice) for choice in get_args(annotation)]
                raise XcgError(f"{what}: {name} is {value!r}: {nearest(str(value), choices)}")
        elif annotation in (float, int) and (
            isinstance(value, bool) or not isinstance(value, (int, annotation))
        ):
            raise XcgError(f"{what}: {name} is {value!r}: expected a number")
