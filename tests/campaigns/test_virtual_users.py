"""The LETOR file of the sample campaign, whose features are virtual users."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, load_script

SAMPLE = ROOT / "corpora_samples" / "handbook-letor.txt"


def test_the_script_reproduces_the_committed_file(tmp_path: Path) -> None:
    module = load_script(ROOT / "corpora_samples" / "make_letor_sample.py")
    module.main(tmp_path)
    assert (tmp_path / SAMPLE.name).read_text() == SAMPLE.read_text()


def test_pearson_of_two_features_is_that_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    features = [
        [float(re.search(rf" {number}:(\S+)", line)[1]) for number in (1, 2)]  # type: ignore[index]
        for line in SAMPLE.read_text().splitlines()
    ]
    assert round(numpy.corrcoef(numpy.array(features).T)[0, 1], 4) == 0.672
