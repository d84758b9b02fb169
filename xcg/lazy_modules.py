"""Packages that are imported when something in them is first asked for.

Importing numpy takes longer than the evaluation of a small flat run, which needs none of them. Modules
on its way take them from here; annotations need nothing, being text.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING


class _Later(ModuleType):
    """Stands for a module; what was once asked for is found without it."""

    def __getattr__(self, name: str) -> object:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import hashlib

    import numpy as np
    import voluptuous as vol
    import yaml
    from lxml import etree
else:
    hashlib = _Later("hashlib")
    np = _Later("numpy")
    etree = _Later("lxml.etree")
    vol = _Later("voluptuous")
    yaml = _Later("yaml")

__all__ = ["etree", "hashlib", "np", "vol", "yaml"]
