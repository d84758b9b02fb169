"""Packages that are imported on first use, such as np for numpy.

Importing numpy takes longer than the evaluation of a small run of whole documents, which does not need
it. The modules of the standard library take a tenth of the time of such an evaluation.
``lazy_loader.load`` is not used: before Python 3.11.9, a package that two threads use for the first
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
    import csv
    import fractions
    import hashlib
    import html
    import json
    import pickle
    import shutil
    import socket
    import sqlite3
    import textwrap

    import numpy as np
    import numpy.typing as npt
    import yaml
    from lxml import etree
else:
    csv = _LazyModule("csv")
    fractions = _LazyModule("fractions")
    hashlib = _LazyModule("hashlib")
    html = _LazyModule("html")
    json = _LazyModule("json")
    shutil = _LazyModule("shutil")
    socket = _LazyModule("socket")
    textwrap = _LazyModule("textwrap")
    np = _LazyModule("numpy")
    npt = _LazyModule("numpy.typing")
    pickle = _LazyModule("pickle")
    sqlite3 = _LazyModule("sqlite3")
    etree = _LazyModule("lxml.etree")
    yaml = _LazyModule("yaml")

__all__ = [
    "csv",
    "etree",
    "fractions",
    "hashlib",
    "html",
    "json",
    "np",
    "npt",
    "pickle",
    "shutil",
    "socket",
    "sqlite3",
    "textwrap",
    "yaml",
]
