"""Load users' functions by name from installed packages and from files next to a configuration.

A configuration that names a function runs code. Therefore the function must be defined in a file next
to the configuration, or in an installed package that xcg itself does not use. The location of a module
is checked before it is imported, because importing it runs its code.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from xcg.errors import XcgError
from xcg.lazy_modules import hashlib, json

NO_PLUGINS = "XCG_NO_PLUGINS"
"""The environment variable that refuses plug-ins. Worker processes inherit it."""

_REFUSED = f"plug-ins are refused by --no-plugins or {NO_PLUGINS}"
_EXPECTED = "expected a function that an installed package or a file next to the configuration defines"
_PREFIX = "_xcg_plugins_"
"""Prefix of the packages whose modules are the files next to a configuration."""


def are_refused() -> bool:
    """Return whether the user of the program has refused plug-ins."""
    return os.environ.get(NO_PLUGINS, "") not in ("", "0")


@contextlib.contextmanager
def without_plugins() -> Iterator[None]:
    """Refuse plug-ins inside a ``with`` block, also in worker processes that start in it."""
    before = os.environ.get(NO_PLUGINS, "")
    os.environ[NO_PLUGINS] = "1"
    try:
        yield
    finally:
        os.environ[NO_PLUGINS] = before


def refuse_if_off(what: str) -> None:
    """Raise XcgError if plug-ins are refused.

    Args:
        what: The plug-in that would be used, for example ``the tokenizer 'my_package:starts'``.
    """
    if are_refused():
        raise XcgError(f"{what} is a plug-in: {_REFUSED}")


def load_object(path: str, kind: str) -> Any:
    """Import the object that ``package.module:name`` refers to, from any package.

    Args:
        path: The module and the name in it, separated by a colon. It must come from the user of the
            program or from an installed package, never from a configuration.
        kind: What an object is called in messages.

    Raises:
        XcgError: If the module or the name cannot be imported.

    >>> load_object("math:pi", "number")
    3.141592653589793
    """
    module, _, name = path.partition(":")
    return _imported(module, name, f"the {kind} {path!r}")


def load_function(path: str, kind: str, folder: Path | None = None) -> Callable[..., Any]:
    """Load the function that ``package.module:function`` refers to.

    Args:
        path: The module and the name in it, separated by a colon.
        kind: What a function is called in messages.
        folder: The folder of the configuration that contains ``path``. The module is then a Python file
            or a package in this folder, or else belongs to an installed package. None if ``path`` comes
            from a program. The module is then any that this program can import.

    Raises:
        XcgError: If plug-ins are refused, if the module or the name cannot be imported, if the object
            is not a function, or if the module that defines it is part of the standard library, of xcg
            or of a package that xcg requires.
    """
    what = f"the {kind} {path!r}"
    refuse_if_off(what)
    module, _, name = path.partition(":")
    if not (name.isidentifier() and all(part.isidentifier() for part in module.split("."))):
        raise XcgError(f"cannot import {what}: expected package.module:function")
    checked = ""
    if folder is not None and is_neighbour(path, folder):
        function = load_neighbour(path, kind, folder)
    else:
        checked = _top(module)
        _check_module(checked, what, folder)
        function = _imported(module, name, what)
    if not callable(function):
        raise XcgError(f"{what} is not a function")
    # The module may have imported the function, for example by "from os import system".
    definer = _top(getattr(function, "__module__", None) or "builtins")
    if definer != checked and not definer.startswith(_PREFIX):
        _check_module(definer, what, folder)
    return function  # type: ignore[no-any-return]


def is_neighbour(path: str, folder: Path) -> bool:
    """Return whether ``package.module:name`` refers to a Python file or a package in a folder."""
    top = _top(path)
    # Path.is_file raises an error for a name that is too long.
    return any(map(os.path.isfile, (folder / f"{top}.py", folder / top / "__init__.py")))


def load_neighbour(path: str, kind: str, folder: Path) -> Any:
    """Import the object that ``package.module:name`` refers to from a file or a package in a folder.

    The folder becomes a package with a private name, and is not added to ``sys.path``. Therefore its
    files never replace other modules, and files of the same name in two folders are different modules.
    """
    folder = folder.resolve()
    package = _PREFIX + hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
    if package not in sys.modules:
        spec = ModuleSpec(package, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[package] = importlib.util.module_from_spec(spec)
    module, _, name = path.partition(":")
    if f"{package}.{module}" not in sys.modules:
        importlib.invalidate_caches()  # the file may be newer than the last import
    return _imported(f"{package}.{module}", name, f"the {kind} {path!r}")


def _top(path: str) -> str:
    return re.split("[.:]", path)[0]


def _imported(module: str, name: str, what: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # a user's module may raise anything when it is imported
        hint = "expected package.module:function"
        if module.startswith(_PREFIX) and isinstance(error, ModuleNotFoundError):
            hint = "files next to a configuration import each other by 'from . import name'"
        message = re.sub(rf"{_PREFIX}[0-9a-f]+\.?", "", f"{type(error).__name__}: {error}")
        raise XcgError(f"cannot import {what}: {message}; {hint}") from None


_accepted: set[tuple[str, bool]] = set()
"""Modules that have passed the check, which is slow, and whether it was for a configuration."""


def _check_module(top: str, what: str, folder: Path | None) -> None:
    """Raise XcgError if a module outside of the configuration's folder must not define plug-ins."""
    if (top, folder is not None) in _accepted:
        return
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):  # for example, __main__ has no specification
        spec = None
    is_frozen = spec is not None and spec.origin in ("built-in", "frozen")
    if is_frozen or top == "test" or top in sys.stdlib_module_names:
        raise XcgError(f"{what} is part of Python's standard library: {_EXPECTED}")
    owners = _owners(top, spec if folder is not None else None)
    libraries = ({top} | owners) & _libraries()
    if libraries:
        raise XcgError(f"{what} is part of {min(libraries)}, which is not a plug-in: {_EXPECTED}")
    if folder is not None and not owners:
        raise XcgError(
            f"cannot import {what}: no module {top} is next to the configuration, and no installed "
            "package has one"
        )
    _accepted.add((top, folder is not None))


def _owners(top: str, spec: ModuleSpec | None) -> set[str]:
    """Return the names of the distributions with a module; with ``spec`` also of editable ones."""
    from importlib.metadata import distributions, packages_distributions

    found = packages_distributions().get(top, [])
    if not found and spec is not None and spec.origin:
        parents = Path(spec.origin).resolve().parents
        found = [
            one.metadata["Name"]
            for one in distributions()
            if _editable_folder(one.read_text("direct_url.json") or "{}") in parents
        ]
    return set(map(_normalised, found))


def _editable_folder(direct_url: str) -> Path | None:
    """Return the project folder of a distribution that was installed with ``pip install -e``."""
    source = json.loads(direct_url)
    if not source.get("dir_info", {}).get("editable"):
        return None
    path = unquote(urlsplit(source["url"]).path)
    return Path(path.removeprefix("/") if os.name == "nt" else path).resolve()


@cache
def _libraries() -> frozenset[str]:
    """Return the names of xcg, of the distributions that it requires, and of the usual installers.

    Some of their functions, such as ``yaml:unsafe_load``, can run code or delete files.
    """
    from importlib.metadata import PackageNotFoundError, requires

    found, rest = {"pip", "setuptools", "wheel"}, ["xcg"]
    while rest:
        name = _normalised(rest.pop())
        if name in found:
            continue
        found.add(name)
        with contextlib.suppress(PackageNotFoundError):  # not installed
            for requirement in requires(name) or []:
                if name == "xcg" or "extra ==" not in requirement:
                    rest += re.findall(r"^[\w.-]+", requirement)
    return frozenset(found)


def _normalised(name: str) -> str:
    """Return the normalised name of a distribution, which is the same for all spellings."""
    return re.sub(r"[-_.]+", "-", name).lower()
