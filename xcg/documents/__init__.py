"""XML documents as trees of elements: paths, parsing, the tree itself, corpora.

The names are imported when they are first used: who has runs of whole documents needs no corpus.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xcg.documents.corpus import Corpus
    from xcg.documents.parsing import parse_document
    from xcg.documents.paths import canonical_file, canonical_path
    from xcg.documents.tree import ElementTree

_HOMES = {
    "Corpus": "xcg.documents.corpus",
    "ElementTree": "xcg.documents.tree",
    "canonical_file": "xcg.documents.paths",
    "canonical_path": "xcg.documents.paths",
    "parse_document": "xcg.documents.parsing",
}

__all__ = ["Corpus", "ElementTree", "canonical_file", "canonical_path", "parse_document"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'xcg.documents' has no attribute {name!r}")
