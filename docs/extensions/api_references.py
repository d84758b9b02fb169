"""Show annotations in the Python API as they are in the source, and link the names in them."""

from __future__ import annotations

import builtins
import collections.abc
import contextlib
import functools
import importlib
import inspect
import pathlib
import pkgutil
import sys
import typing

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.inspect import stringify_signature
from sphinx.util.typing import ExtensionMetadata

import xcg

STANDARD = (builtins, collections.abc, pathlib, typing)
"""Modules whose names annotations use without the module."""
OTHER_LIBRARIES = ("collections.", "io.", "np.", "npt.", "nx.", "os.", "pandas.", "pathlib.", "re.")
"""Names that have no entry on the site, because the manual is built without the network."""


class _Factory:
    """The default of a dataclass field with a factory, as the signature shows it."""

    def __repr__(self) -> str:
        return "..."


def source_signature(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: object,
    signature: str | None,
    return_annotation: str | None,
) -> tuple[str, str] | None:
    """Return a signature with the annotations of the source.

    Sphinx would evaluate them, and then ``Documents`` becomes a union of a hundred characters.
    """
    if signature is None or not callable(obj):
        return None
    try:
        found = inspect.signature(obj)
    except ValueError:
        return None
    arguments = list(found.parameters.values())
    if what == "method" and arguments and arguments[0].name == "self":
        arguments = arguments[1:]
    arguments = [
        argument.replace(default=_Factory()) if repr(argument.default) == "<factory>" else argument
        for argument in arguments
    ]
    returns = found.return_annotation if what in ("function", "method") else found.empty
    if not isinstance(returns, str) or returns == "None":
        returns = found.empty
    found = found.replace(parameters=arguments, return_annotation=returns)
    shown, _, shown_return = stringify_signature(found, unqualified_typehints=True).rpartition(" -> ")
    return (shown, shown_return) if shown else (shown_return, "")


def documented_names(env: BuildEnvironment) -> dict[str, str]:
    """Return the last part of the name of each class and type on the site → the whole name."""
    objects = env.domains.python_domain.objects
    kinds = ("class", "type", "exception")
    return {name.rpartition(".")[2]: name for name, found in objects.items() if found.objtype in kinds}


@functools.cache
def own_names() -> frozenset[str]:
    """Return all names in the modules of xcg.

    The modules are imported here, because autodoc imports only those of the pages that it reads, and
    does so in other processes with the option ``-j``.
    """
    names: set[str] = set()
    for module in pkgutil.walk_packages(xcg.__path__, "xcg."):
        if not module.name.endswith(".__main__"):
            with contextlib.suppress(ImportError):  # a library of an integration is missing
                names.update(vars(importlib.import_module(module.name)))
    return frozenset(names)


def exists(name: str) -> bool:
    """Return whether xcg has a dotted name, or one of its modules a name without a dot."""
    if "." not in name:
        return name in own_names()
    parent, _, last = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ImportError:
        if not parent.startswith("xcg"):
            return False
    else:
        return True
    try:
        value = importlib.import_module(parent)
    except ImportError:
        module, _, class_name = parent.rpartition(".")
        value = getattr(sys.modules.get(module), class_name, None)
    return hasattr(value, last)


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Element | None:
    """Resolve a reference that Sphinx cannot resolve.

    Docstrings and annotations name an object by its module, or only by its last name. An object without
    an entry is internal, so its name is shown without a link. A name that does not exist is an error.
    """
    if node["refdomain"] != "py":
        return None
    target = node["reftarget"]
    domain = env.domains.python_domain
    short = target.rpartition(".")[2]
    names = [
        target,
        f"xcg.{short}" if target.startswith("xcg.") else "",
        documented_names(env).get(short),
    ]
    for name in names:
        if name in domain.objects:
            return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", name, node, content)
    is_known = target.startswith(OTHER_LIBRARIES) or any(hasattr(module, target) for module in STANDARD)
    return content if is_known or exists(target) else None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension to Sphinx."""
    app.connect("autodoc-process-signature", source_signature)
    app.connect("missing-reference", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
