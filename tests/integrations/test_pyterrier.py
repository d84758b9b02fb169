"""Use xcg's measures in an experiment of PyTerrier."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import pandas as pd
import pytest

pytest.importorskip("ir_measures")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # PyTerrier uses deprecated functions of pandas
]


def test_an_experiment_computes_the_measures() -> None:
    pyterrier = pytest.importorskip("pyterrier")
    from xcg.integrations.ir_measures import MAep, nxCG

    topics = pd.DataFrame({"qid": ["1"], "query": ["bees"]})
    qrels = pd.DataFrame({"qid": ["1"] * 3, "docno": ["d#/a", "d#/a/s[1]", "e"], "label": [1, 3, 1]})
    results = pd.DataFrame(
        {"qid": ["1"] * 3, "docno": ["d#/a/s[1]", "d#/a", "e"], "score": [2.5, 2, 1], "rank": [0, 1, 2]}
    )
    table = pyterrier.Experiment([results], topics, qrels, [nxCG @ 2, MAep], names=["bm25"])
    assert table["nxCG@2"].tolist() == [0.75]
    assert table["MAep"].tolist() == [pytest.approx(5 / 6)]


def test_pyterrier_finds_the_module_by_its_entry_point() -> None:
    installed = [entry for entry in entry_points(group="pyterrier.modules") if entry.name == "xcg"]
    if not installed:
        pytest.skip("needs an installed xcg")
    assert installed == [EntryPoint("xcg", "xcg.integrations.pyterrier", "pyterrier.modules")]
    assert installed[0].load().provider.NAME == "xcg"
