"""Looking for garbage less often, where many objects are made that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 50_000  # that may come before garbage is looked for; Python's own number is 700


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for garbage less often inside a ``with``.

    Reading and scoring make tens of thousands of objects that stay, and each look goes through all of
    them, at a tenth of the time. What is no part of a cycle is freed at once all the same.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(max(_OBJECTS, thresholds[0]) if thresholds[0] else 0, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
