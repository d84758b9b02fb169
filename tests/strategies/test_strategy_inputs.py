"""Runs under several strategies: names, notes, messages, and files that are read once."""

from __future__ import annotations

import pytest

import xcg
from xcg.errors import XcgError
from xcg.runs.run import Run

CORPUS = {"d": "<a><s><p>one</p></s><s>two</s></a>"}
BASE = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (3, 3)}}, "3": {"d": {"/a": (3, 3)}}}


def test_ranks_in_messages_are_those_of_the_rewritten_run() -> None:
    run = Run.of("r", {"1": ["d#/a", "d#/a", "d#/x"]})
    with pytest.raises(XcgError, match="run r, topic 1, rank 3, d: "):
        xcg.evaluate(BASE, run, {"d": CORPUS["d"]}, measures="MAep")
    with pytest.raises(XcgError, match="run r, topic 1, strategy unique, rank 2, d: "):
        xcg.evaluate(BASE, run, {"d": CORPUS["d"]}, measures="MAep", strategies="unique")
