"""Packages that are imported on first use: np, npt, etree, yaml, vol, hashlib, pickle and sqlite3.

Importing numpy takes longer than the evaluation of a small run of whole documents, which does not need
it. ``lazy_loader.load`` is not used: before Python 3.11.9, a package that two threads use for the first
time at once appears empty to one of them. Annotations are strings and trigger no import.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING


class _LazyModule(ModuleType):
    """A module that is imported when one of its attributes is first used."""

    def __getattr__(self, name: str) -> object:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import hashlib
    import pickle
    import sqlite3

    import numpy as np
    import numpy.typing as npt
    import voluptuous as vol
    import yaml
    from lxml import etree
else:
    hashlib = _LazyModule("hashlib")
    np = _LazyModule("numpy")
    npt = _LazyModule("numpy.typing")
    pickle = _LazyModule("pickle")
    sqlite3 = _LazyModule("sqlite3")
    etree = _LazyModule("lxml.etree")
    vol = _LazyModule("voluptuous")
    yaml = _LazyModule("yaml")

__all__ = ["etree", "hashlib", "np", "npt", "pickle", "sqlite3", "vol", "yaml"]
