"""Sweeps over user models, ideal selections and what they keep, parts that packages add."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from strategies import RandomCampaign, campaigns

import xcg
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError
from xcg.evaluation.ideals import ideal_statistics
from xcg.evaluation.inputs import Inputs
from xcg.judgements.recall_base import Assessment
from xcg.statistics.rank_correlation import kendall_tau_b, order_shifts
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel
from xcg.user_model.quantisation import QUANTISATIONS, quantise
from xcg.user_model.sweep import expand


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("e3_s321", [(3, 1), (3, 2), (3, 3)]),
        ("e3_s32", [(3, 2), (3, 3)]),
        ("s3_e321", [(1, 3), (2, 3), (3, 3)]),
        ("s3_e32", [(2, 3), (3, 3)]),
    ],
)
def test_the_quantisations_of_2004(name: str, pairs: list[tuple[int, int]]) -> None:
    part = QUANTISATIONS.part(name)
    ones = [(e, s) for e in range(4) for s in range(4) if quantise(part, Assessment(e, s)) == 1]
    assert ones == pairs
    assert sum(quantise(part, Assessment(e, s)) for e in range(4) for s in range(4)) == len(pairs)


def test_ideals_of_the_papers_tree(root: Path) -> None:
    """Kazai & Lalmas 2006, Figure 3 and Table I, with sog: the sum prefers the leaves, 4.75 to 1.5."""
    base = root / "assessments/kazai-lalmas-2006"
    found = {}
    for ideal in ("kazai_lalmas", "max_gain", "leaves", "roots"):
        (line,) = ideal_statistics(Inputs(base, user_model={"name": ideal, "ideal": ideal}))
        found[ideal] = (line.ideal, line.gain)
    assert found["kazai_lalmas"] == (2, 1.5)
    assert found["max_gain"][1] == 4.75
    assert found["roots"][0] == 1


@given(campaigns())
def test_laws_of_the_selections(c: RandomCampaign) -> None:
    for file, assessed in c.assessments.items():
        tree = xcg.parse_document(c.sources[file].encode())
        sog = QUANTISATIONS.part("sog")
        scores = {p: quantise(sog, Assessment(*pair)) for p, pair in assessed.items() if pair != (0, 0)}
        chosen = {name: SELECTIONS.part(name).function(tree, scores) for name in SELECTIONS}
        gain = {name: math.fsum(scores[path] for path in paths) for name, paths in chosen.items()}
        for name in ("max_gain", "leaves", "roots", "kazai_lalmas"):
            rows = sorted(tree.row(path) for path in chosen[name])
            overlap = [(a, b) for a in rows for b in rows if tree.is_ancestor(a, b)]
            assert not overlap
            assert gain[name] <= gain["max_gain"] + 1e-9
        assert set(chosen["leaves"]) | set(chosen["roots"]) <= set(chosen["full"])


def test_statistics_of_an_ideal_selection() -> None:
    # text: s[1] has 10 characters, 6 of them in its p; s[2] has 10
    document = "<a><s>1234<p>567890</p></s><s>1234567890</s></a>"
    base = {"1": {"d": {"/a": (1, 1), "/a/s[1]": (2, 2), "/a/s[1]/p[1]": (3, 3)}}}
    found = {
        ideal: ideal_statistics(Inputs(base, (), {"d": document}, {"name": ideal, "ideal": ideal}))[0]
        for ideal in ("leaves", "roots", "full")
    }
    leaves, roots, full = found["leaves"], found["roots"], found["full"]
    assert (leaves.relevant, leaves.ideal, leaves.depth, leaves.characters) == (3, 1, 3, 6)
    assert (leaves.covered, leaves.relevant_text) == (1, 1)
    assert (roots.ideal, roots.gain, roots.characters) == (1, 0.1, 20)
    assert (roots.covered, roots.relevant_text) == (1, 6 / 20)
    assert (full.ideal, full.gain, full.depth, full.characters) == (3, 1.6, 2, 12)
    (paths,) = ideal_statistics(Inputs(base))
    assert (paths.ideal, paths.characters, paths.covered) == (1, None, None)


def test_lists_and_ranges_give_all_combinations() -> None:
    content = {
        "name": "m",
        "quantisation": ["sog", {"table": {"3,3": 1}}],
        "relevance_value": {
            "alpha": {"from": 0, "to": 0.3, "step": 0.1},
            "near_misses": {"name": "distance", "reach": [1, 2]},
        },
    }
    models = expand(content, str)
    assert len(models) == 16
    assert models[0]["name"] == "m[quantisation=sog,alpha=0.0,reach=1]"
    assert [m["relevance_value"]["alpha"] for m in models[:8:2]] == [0, 0.1, 0.2, 0.3]  # type: ignore[index]
    assert all(UserModel.of(model).name == model["name"] for model in models)
    assert content["relevance_value"]["near_misses"]["reach"] == [1, 2]  # type: ignore[index]
    twins = expand({"name": "m", "ideal": {"name": "a", "tie": [1, 2]}, "x": {"tie": [3]}}, str)
    assert twins[0]["name"] == "m[ideal.tie=1,x.tie=3]"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"alpha": []}, "relevance_value.alpha: an empty list"),
        ({"alpha": {"from": 0, "to": 1}}, "expected a range {from: 0, to: 1, step: 0.25}"),
        ({"alpha": {"from": 1, "to": 0, "step": 0.5}}, "illegal range from 1 to 0 by 0.5"),
        ({"alpha": {"from": 0, "to": 1, "step": 0}}, "illegal range from 0 to 1 by 0"),
        ({"alpha": {"from": 0, "to": 1, "step": 1e-9}}, "illegal range from 0 to 1"),
        ({"alpha": [0, 2]}, "relevance_value.alpha: illegal value 2"),
    ],
)
def test_wrong_ranges(rule: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as raised:
        xcg.evaluate({}, [], None, {"name": "m", "relevance_value": rule})
    assert message in str(raised.value)


BASE = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
RUNS = {
    "up": {"1": ["d#/a", "d#/a/s[2]"]},
    "down": {"1": ["d#/a/s[2]", "d#/a/s[1]"]},
    "off": {"1": ["e#/a"]},
}
MODELS = [
    {"name": "small", "quantisation": "strict"},
    {"name": "large", "quantisation": {"table": {"2,1": 1}}},
]


def test_shifts_between_orders() -> None:
    results = xcg.evaluate(BASE, RUNS, None, MODELS, "nxCG@2 nxCG@1")
    found = {(s.measure, s.user_model): s for s in order_shifts(results)}
    # nxCG@2: small has down 1, up 0, off 0; large has up 1, down 0, off 0
    assert found["nxCG@2", "small"].tau_b == pytest.approx(1)
    assert found["nxCG@2", "small"][3:] == (0, "down")
    assert found["nxCG@2", "large"].tau_b == pytest.approx(-0.5)  # ties in both columns
    assert found["nxCG@2", "large"].moved == 2
    assert found["nxCG@2", "large"].best == "up"
    # nxCG@1: nobody gains anything under small, so there is no order
    assert found["nxCG@1", "large"].tau_b is None
    assert order_shifts(results, "large")[0].tau_b == pytest.approx(-0.5)


def test_tau_b_of_columns() -> None:
    assert kendall_tau_b([1, 2, 3], [3, 2, 1]) == -1
    # one tie in the first: 2 concordant of 3 pairs, (2 − 0) / √(2 · 3)
    assert kendall_tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(6))
    assert kendall_tau_b([1, 1], [1, 2]) is None


def test_sweeps_that_compare_nothing() -> None:
    results = xcg.evaluate(BASE, RUNS, None, MODELS, "nxCG@2")
    with pytest.raises(XcgError, match="no user model 'smal' among the results: did you mean 'small'"):
        order_shifts(results, "smal")
    with pytest.raises(XcgError, match="one user model: expected at least two"):
        order_shifts(xcg.evaluate(BASE, RUNS))
    with pytest.raises(XcgError, match="one run has no order"):
        order_shifts(xcg.evaluate(BASE, {"up": RUNS["up"]}, None, MODELS))


def test_the_command(xcg_command: Command, tmp_path: Path) -> None:
    plots = [tmp_path / f"plot{ending}" for ending in (".png", ".svg", ".pdf")]
    heads = [b"\x89PNG", b"<?xml", b"%PDF"]
    call = ("sweep", "configs/sweep.yaml", "--format", "jsonl")
    for plot, head in zip(plots, heads, strict=True):
        done = xcg_command(*call, "--plot", plot)
        assert done.returncode == 0, done.stderr
        assert plot.read_bytes().startswith(head)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 45
    assert lines[0]["user_model"] == "sweep[quantisation=sog,ideal=kazai_lalmas,alpha=0.0]"
    assert lines[0]["tau_b"] == pytest.approx(1)
    one = xcg.evaluate(
        "assessments/handbook",
        "corpora_samples/handbook-runs",
        "corpora_samples/handbook",
        {"name": "m", "quantisation": "gen", "ideal": "leaves", "relevance_value": {"alpha": 0.75}},
        "MAep",
    )
    (best,) = [line for line in lines if "gen,ideal=leaves,alpha=0.75" in line["user_model"]]
    top = max(one.means(), key=lambda row: row.value)
    assert best["best"] == top.run
    wrong = xcg_command(*call, "--plot", tmp_path / "plot.gif")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "unknown kind of plot" in wrong.stderr


def test_statistics_on_the_command_line(xcg_command: Command) -> None:
    call = (
        "ideal",
        "configs/quickstart.yaml",
        "--user-model",
        "kazai-lalmas-2006",
        "--format",
        "jsonl",
    )
    lines = [json.loads(line) for line in xcg_command(*call, "--statistics").stdout.splitlines()]
    assert len(lines) == 15
    assert all(0 < line["covered"] <= 1 and line["ideal"] <= line["relevant"] for line in lines)
    wrong = xcg_command(*call)
    assert wrong.returncode == 2
    assert "expected either --topic, or --statistics for all topics" in wrong.stderr


def largest(tree: ElementTree, scores: dict[str, float]) -> list[str]:
    """Keep the largest element."""
    return sorted((path for path in scores if scores[path] > 0), key=len)[:1]


def test_an_installed_package_adds_user_model_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an installed package declares as entry points is found by name."""
    info = tmp_path / "thesis-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thesis\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[xcg.ideal]\nlargest = test_sweep:largest\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(vars(SELECTIONS), "_entry_points", raising=False)  # may be cached
    assert "largest" in list(SELECTIONS)
    assert SELECTIONS.summary("largest") == "Keep the largest element."
    (line,) = ideal_statistics(Inputs(BASE, user_model={"name": "m", "ideal": "largest"}))
    assert (line.ideal, line.depth) == (1, 1)
    with pytest.raises(XcgError, match="did you mean 'largest'"):
        SELECTIONS.part("larges")
