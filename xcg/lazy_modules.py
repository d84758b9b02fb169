"""Packages that are imported on first use, such as np for numpy.

Importing numpy takes longer than the evaluation of a small run of whole documents, which needs none of
them. ``lazy_loader.load`` is not used: before Python 3.11.9, a package that two threads use for the
first time at once appears empty to one of them. Annotations are strings and trigger no import.
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


__all__ = ["csv", "etree", "fractions", "hashlib", "html", "json", "np", "npt"]
__all__ += ["pickle", "shutil", "socket", "sqlite3", "yaml"]

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

    import numpy as np
    import numpy.typing as npt
    import yaml
    from lxml import etree
else:
    _NAMES = {"np": "numpy", "npt": "numpy.typing", "etree": "lxml.etree"}
    globals().update({name: _LazyModule(_NAMES.get(name, name)) for name in __all__})
