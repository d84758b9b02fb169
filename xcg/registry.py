"""Registries of named objects: file formats, measures, user-model parts, strategies and adapters.

xcg's own objects register themselves when their module is imported. Installed packages add objects
through entry points. Users can name a function of their own as ``package.module:function`` (see
:mod:`xcg.plugins`).
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin

from xcg.errors import XcgError, nearest
from xcg.plugins import (
    are_refused,
    is_neighbour,
    load_function,
    load_neighbour,
    load_object,
    refuse_if_off,
)
from xcg.settings.schema import Place, Type, kind

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(eq=False, repr=False)
class Registry(Generic[T]):
    """Objects of one kind by name.

    A lookup searches the registered objects first, then the entry points of installed packages in
    ``group``. The name of an entry point is the name of its object.

    Args:
        kind: What an object is called in messages, for example ``"measure"``.
        group: The entry-point group, for example ``"xcg.measure"``.
        package: A package whose modules register objects. They are imported before the first lookup.
            Without it, objects are registered in the registry's own module.

    >>> colours: Registry[int] = Registry("colour", "xcg.colour")
    >>> colours.add("red", 0xFF0000)
    16711680
    >>> colours.get("rde")
    Traceback (most recent call last):
    xcg.errors.XcgError: unknown colour 'rde': did you mean 'red'?
    """

    kind: str
    group: str
    package: str | None = None
    _objects: dict[str, T] = field(default_factory=dict, init=False)

    def add(self, name: str, item: T, **attributes: object) -> T:
        """Register an object under a name, with further attributes, and return it.

        Raises:
            ValueError: If another object has this name.
        """
        if self._objects.setdefault(name, item) is not item:
            raise ValueError(f"the {self.kind} {name!r} is already registered")
        for attribute, value in attributes.items():
            setattr(item, attribute, value)
        return item

    def register(self, name: str, **attributes: Any) -> Callable[[F], F]:
        """Return a decorator that registers a function under a name.

        Args:
            name: The name that users write.
            **attributes: Attributes of the function, such as ``references``, the published sources:
                keys of ``references.bib``, or whole BibTeX entries.
        """
        decorator: Any = partial(self.add, name, **attributes)
        return decorator  # type: ignore[no-any-return]

    def get(self, name: str) -> T:
        """Return the object with this name.

        Raises:
            XcgError: If the name is unknown, or its entry point is refused or cannot be loaded.
        """
        found = self._objects if name in self._objects else self.registered()
        if name in found:
            return found[name]
        offered = self._offered
        if name not in offered:
            self.check_refused(name)
            raise XcgError(f"unknown {self.kind} {name!r}: {nearest(name, self)}")
        return load_object(offered[name], self.kind)  # type: ignore[no-any-return]

    def check_refused(self, name: str) -> None:
        """Raise XcgError if plug-ins are refused and an installed package adds this name."""
        if name in self._entry_points and name not in self._objects:
            refuse_if_off(f"the {self.kind} {name!r} of an installed package")

    def __contains__(self, name: object) -> bool:
        return name in self.registered() or name in self._offered

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.registered(), *self._offered}))

    def values(self) -> Iterator[T]:
        """Return all objects in the order of their names."""
        return map(self.get, self)

    def registered(self) -> Mapping[str, T]:
        """Return the objects that are registered, in the order of their names, without entry points.

        Reading the entry points of all installed packages takes tens of milliseconds.
        """
        if self.package is not None:
            package, self.package = importlib.import_module(self.package), None
            for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
                importlib.import_module(module.name)
        return dict(sorted(self._objects.items()))

    @property
    def _offered(self) -> Mapping[str, str]:
        """The usable entry points. If plug-ins are refused, these are only those of xcg itself."""
        if not are_refused():
            return self._entry_points
        return {name: path for name, path in self._entry_points.items() if path.startswith("xcg.")}

    @cached_property
    def _entry_points(self) -> Mapping[str, str]:
        from importlib.metadata import entry_points  # reads every installed package's metadata

        return {entry.name: entry.value for entry in entry_points(group=self.group)}


class Part(NamedTuple, Generic[F]):
    """A function from a registry with values for its parameters.

    ``str(part)`` is the form that users type: ``kazai_lalmas(tie=shallower)``.

    Attributes:
        name: A registered name or ``package.module:function``.
        function: The function, with the values of its parameters bound.
        parameters: The names and values of the parameters.
        folder: The folder of the configuration, if the function is from a file in it.
    """

    name: str
    function: F
    parameters: tuple[tuple[str, object], ...] = ()
    folder: Path | None = None

    def __str__(self) -> str:
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.parameters)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a function from the folder of a configuration by its location."""
        if self.folder is None:
            return Part, tuple(self)
        return _unpickled_part, (self.name, self.parameters, self.folder)

    @property
    def plain(self) -> Any:
        """The function without its parameters."""
        return self.function.func if isinstance(self.function, partial) else self.function

    @property
    def key(self) -> object:
        """A hashable value; equal for parts with the same function and parameters."""
        return id(self.plain), self.parameters


class Between(NamedTuple):
    """The legal values of a parameter, stated as ``Annotated[type, Between(least, most)]``.

    >>> str(Between(0, 1)), str(Between(0))
    ('from 0 to 1', 'from 0')
    """

    least: float
    most: float = math.inf

    def __str__(self) -> str:
        return f"from {self.least:,}" + (f" to {self.most:,}" if self.most < math.inf else "")


class Parameter(NamedTuple):
    """A keyword-only argument of a function, which users can set.

    Attributes:
        name: Its name.
        type: The annotated type; ``inspect.Parameter.empty`` without one.
        constraints: The limits of its values.
        default: Its default value; ``inspect.Parameter.empty`` without one.
    """

    name: str
    type: Any
    constraints: Sequence[Between]
    default: object

    def __str__(self) -> str:
        return self.name if self.default is inspect.Parameter.empty else f"{self.name}={self.default}"

    @property
    def legal(self) -> str:
        """The legal values, such as "a number from 0 to 1"; empty if all values are."""
        if get_origin(self.type) is Literal:
            return " | ".join(map(str, get_args(self.type)))
        return " ".join([_LEGAL.get(self.type, ""), *map(str, self.constraints)]).strip()

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, such as "expected a number"; None if it is legal."""
        if get_origin(self.type) is Literal:
            words = get_args(self.type)
            return None if value in words else nearest(str(value), map(str, words))
        is_legal = self.type not in (bool, str) or isinstance(value, self.type)
        if self.type in (float, int):
            is_legal = not isinstance(value, bool) and isinstance(value, (int, self.type))
        limits = ((one.least, one.most) for one in self.constraints)
        if is_legal and all(low <= value <= high and value != math.inf for low, high in limits):
            return None
        return f"expected {self.legal.replace(' | ', ' or ')}"


_LEGAL: Mapping[Any, str] = {
    bool: "true | false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters that users can set: the keyword-only arguments."""
    found = []
    for argument in inspect.signature(function, eval_str=True).parameters.values():
        if argument.kind is argument.KEYWORD_ONLY:
            is_annotated = get_origin(argument.annotation) is Annotated
            type_, *constraints = (
                get_args(argument.annotation) if is_annotated else [argument.annotation]
            )
            found.append(Parameter(argument.name, type_, constraints, argument.default))
    return found


class ParameterError(XcgError):
    """A parameter is unknown, or its value is illegal.

    Args:
        message: The message.
        parameter: The name of the parameter.
    """

    def __init__(self, message: str, parameter: str = "") -> None:
        super().__init__(message)
        self.parameter = parameter


class FunctionRegistry(Registry[F]):
    """Functions by name. Their keyword-only arguments are parameters that users can set.

    Args:
        kind: What a function is called in messages.
        group: The entry-point group.
        package: A package whose modules register functions; see :class:`Registry`.

    >>> colours = FunctionRegistry("colour", "xcg.colour")
    >>> @colours.register("red")
    ... def red(tree, *, shade: float = 0.5): ...
    >>> str(colours.part("red", {"shade": 0.25}))
    'red(shade=0.25)'
    """

    def part(
        self,
        name: str | Callable[..., Any],
        parameters: Mapping[str, object] | None = None,
        folder: Path | None = None,
    ) -> Part[F]:
        """Return a function with values for its parameters.

        Args:
            name: A registered name, ``package.module:function``, or a function.
            parameters: Values of the function's keyword-only arguments; the defaults if omitted.
            folder: The folder of the configuration that contains the name; see
                :func:`xcg.plugins.load_function`.

        Raises:
            XcgError: If the name is unknown, if the function is not allowed as a plug-in, or if
                plug-ins are refused.
            ParameterError: If a parameter is unknown, or a value does not match the type annotation of
                its argument.
        """
        function: Any
        home = None
        if callable(name):
            function, name = name, getattr(name, "__qualname__", type(name).__qualname__)
        elif ":" in name:
            function = load_function(name, self.kind, folder)
            if folder is not None and is_neighbour(name, folder):
                home = folder.resolve()
        else:
            function = self.get(name)
        if parameters:
            _check_parameters(f"{self.kind} {name}", function, parameters)
            function = partial(function, **parameters)
        return Part(name, function, tuple((parameters or {}).items()), home)


@dataclass(eq=False, repr=False)
class PartType(Type):
    """A name, ``package.module:function`` or ``{name: …, parameter: …}``.

    Attributes:
        registry: What the name names.
        kinds: Key of a mapping such as ``{table: {"3,3": 1}}`` → function that makes the part of it.
    """

    registry: FunctionRegistry[Any]
    kinds: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    metavar: str = field(default="NAME", kw_only=True)

    def check(self, value: Any, place: Place) -> Part[Any]:
        """Return the part."""
        parameters: Mapping[str, object] = {}
        if isinstance(value, Part):
            return value
        if isinstance(value, Mapping):
            for key in {*self.kinds} & {*value}:
                content = value[key]
                if len(value) > 1 or not isinstance(content, Mapping) or not content:
                    raise XcgError(f"expected {_EXAMPLES[key]} without other keys")
                return Part(key, self.kinds[key](content))
            parameters = {str(key): v for key, v in value.items() if key != "name"}
            value = value.get("name")
        if not callable(value) and not (isinstance(value, str) and value):
            raise XcgError(
                f"expected a name, package.module:function, or a mapping with a name; "
                f"found {kind(value)}"
            )
        return self.registry.part(value, parameters, place.folder)


_EXAMPLES = {"table": '{table: {"3,3": 1, …}}', "gains": "{gains: {1: 1, 2: 10, …}}"}


def _unpickled_part(
    name: str, parameters: tuple[tuple[str, object], ...], folder: Path
) -> Part[Callable[..., Any]]:
    function = load_neighbour(name, "function", folder)
    return Part(
        name, partial(function, **dict(parameters)) if parameters else function, parameters, folder
    )


def _check_parameters(
    what: str, function: Callable[..., Any], parameters: Mapping[str, object]
) -> None:
    legal = {parameter.name: parameter for parameter in parameters_of(function)}
    for name, value in parameters.items():
        if name not in legal:
            hint = nearest(name, legal) if legal else "it has no parameters"
            raise ParameterError(f"{what} has no parameter {name!r}: {hint}", name)
        problem = legal[name].problem(value)
        if problem is not None:
            raise ParameterError(f"{what}: {name} is {value!r}: {problem}", name)
