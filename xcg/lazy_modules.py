"""Packages that are imported on first use, such as np for numpy.

Importing numpy takes longer than the evaluation of a small run of whole documents, which needs none of
them. ``lazy_loader.load`` is not used: before Python 3.11.9, a package that two threads use for the
first time at once appears empty to one of them. Annotations are strings and trigger no import.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = [
    "csv",
    "etree",
    "hashlib",
    "html",
    "np",
    "npt",
    "pickle",
    "shutil",
    "socket",
    "sqlite3",
    "yaml",
]


class _LazyModule(ModuleType):
    """A module that is imported when one of its attributes is first used."""

    def __getattr__(self, name: str) -> object:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import csv
    import hashlib
    import html
    import pickle
    import shutil
    import socket
    import sqlite3

    import numpy as np
    import numpy.typing as npt
    import yaml
    from lxml import etree
else:
    csv, hashlib, html, pickle = map(_LazyModule, ("csv", "hashlib", "html", "pickle"))
    shutil, socket, sqlite3 = map(_LazyModule, ("shutil", "socket", "sqlite3"))
    np, npt, etree = map(_LazyModule, ("numpy", "numpy.typing", "lxml.etree"))
    yaml = _LazyModule("yaml")
