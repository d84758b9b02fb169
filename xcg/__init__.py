"""xcg: evaluation of the retrieval of parts of documents.

The public names are imported when they are first used, so that ``import xcg`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xcg.chunk_comparison import ChunkComparison, compare_chunks
    from xcg.documents import Corpus, ElementTree, parse_document
    from xcg.errors import InputError, UnmappedError, XcgError
    from xcg.evaluation import evaluate
    from xcg.explanation import explain
    from xcg.judgements import Assessment, RecallBase, read_assessments
    from xcg.measures import MEASURES
    from xcg.results import Results
    from xcg.runs import Run, read_run, read_runs
    from xcg.user_model import UserModel

__version__ = "0.1.0"

_HOMES = {
    "Assessment": "xcg.judgements",
    "ChunkComparison": "xcg.chunk_comparison",
    "Corpus": "xcg.documents",
    "ElementTree": "xcg.documents",
    "InputError": "xcg.errors",
    "MEASURES": "xcg.measures",
    "RecallBase": "xcg.judgements",
    "Results": "xcg.results",
    "Run": "xcg.runs",
    "UnmappedError": "xcg.errors",
    "UserModel": "xcg.user_model",
    "XcgError": "xcg.errors",
    "compare_chunks": "xcg.chunk_comparison",
    "evaluate": "xcg.evaluation",
    "explain": "xcg.explanation",
    "parse_document": "xcg.documents",
    "read_assessments": "xcg.judgements",
    "read_run": "xcg.runs",
    "read_runs": "xcg.runs",
}

__all__ = [
    "MEASURES",
    "Assessment",
    "ChunkComparison",
    "Corpus",
    "ElementTree",
    "InputError",
    "RecallBase",
    "Results",
    "Run",
    "UnmappedError",
    "UserModel",
    "XcgError",
    "__version__",
    "compare_chunks",
    "evaluate",
    "explain",
    "parse_document",
    "read_assessments",
    "read_run",
    "read_runs",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'xcg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
