"""Levels that are real numbers, in every form in which levels are read and written."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from format_examples import write
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import InputError
from xcg.formats.base import read_assessments
from xcg.judgements.recall_base import RecallBase

LEVELS = st.floats(-1000, 1000)


def stored(base: RecallBase) -> dict[str, float]:
    """Return document → level of topic 1."""
    return {file: elements["/"].exhaustivity for file, elements in base.files["1"].items()}


@given(level=LEVELS, format=st.sampled_from(["trec", "jsonl"]))
def test_every_level_survives_writing_and_reading(tmp_path: Path, level: float, format: str) -> None:
    base = RecallBase.of({"1": {"d": level, "e": 2}})
    text, lost = base.to_text(format)
    assert not lost
    assert stored(read_assessments(write(tmp_path, text, "q"))) == {"d": level, "e": 2}


@pytest.mark.parametrize("level", [1000.5, math.nan, math.inf, -(10**400)])
def test_illegal_levels_in_dicts_are_errors(level: float) -> None:
    with pytest.raises(InputError, match=r"illegal level .*: expected a number from -1000 to 1000"):
        RecallBase.of({"1": {"d": level}})
    with pytest.raises(InputError, match="illegal level"):
        RecallBase.of({"1": {"d": [(0, 5, level)]}})
    with pytest.raises(InputError, match="illegal passage"):
        RecallBase.of({"1": {"d": [(0, 5.0)]}})
