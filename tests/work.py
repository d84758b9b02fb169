"""Measure the work of a function in executed lines and in memory, because times would vary."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any


def executed_lines(function: Callable[[], object]) -> int:
    """Return the number of lines of Python that a function executes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    earlier = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(earlier)
    return count


def peak_memory(function: Callable[[], object]) -> int:
    """Return the peak of the memory that a function allocates, in bytes."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def growth(work: Callable[[int], float], size: int, factor: int = 4) -> float:
    """Return the growth of the work per item with a larger input. Linear work has a growth of 1."""
    return work(size * factor) / work(size) / factor
