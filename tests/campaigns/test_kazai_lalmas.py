"""Check the values that Kazai and Lalmas (2006) print, at the precision that they print."""

from __future__ import annotations

import math
from typing import Any

import pytest
from conftest import ROOT

import xcg
from xcg.measures import cumulate, manxcg, nxcg

ASSESSMENTS = ROOT / "assessments/kazai-lalmas-2006"
RUNS = ["ideal", "frb", "reverse_ideal", "rel_leaves"]

# Table II as printed. Cells stay text because the number of digits is their precision.
TABLE_II = """
nxCG@1 1 1 0.5 0.9
nxCG@2 1 1 1 0.66
nxCG@3 1 1 1 0.66
nxCG@4 1 1 1 1
nxCG@5 1 1 1 1
nxCG@10 1 1 1 1
nxCG@25 1 1 1 1
nxCG@50 1 1 1 1
nxCG@100 1 1 1 1
nxCG@1500 1 1 1 1
ep@0.1 1 1 0.5 0.9
ep@0.2 1 1 0.5 0.9
ep@0.3 1 1 0.5 0.9
ep@0.4 1 1 0.43 0.9
ep@0.5 1 1 0.5 0.9
ep@0.6 1 1 0.56 0.9
ep@0.7 1 1 1 0.46
ep@0.8 1 1 1 0.47
ep@0.9 1 1 1 0.49
ep@1 1 1 1 0.5
iMAep 1 1 0.6991 0.732
MAep 1 1 0.75 0.633
Q 1 1 0.875 0.8751
R 1 1 1 0.857
MAnxCG@1500 1 1 1 0.9995
"""
# The paper truncates 2/3 to .66, and prints .99967 (MAnxCG of reverse_ideal) as 1.
TRUNCATED = {("nxCG@2", "rel_leaves"), ("nxCG@3", "rel_leaves")}
ROUNDED_FURTHER = {("MAnxCG@1500", "reverse_ideal"): 3}

CELLS = [
    (measure, run, printed)
    for measure, *row in map(str.split, TABLE_II.strip().splitlines())
    for run, printed in zip(RUNS, row, strict=True)
]


def ideal(model: Any) -> Any:
    """Return the ideal elements of the paper's topic under a user model."""
    return xcg.load(ROOT / "configs/kazai-lalmas-2006.yaml", user_model=model).ideal(topic="163")


@pytest.fixture(scope="module")
def table() -> xcg.Results:
    return xcg.load(ROOT / "configs/kazai-lalmas-2006.yaml").evaluate()


@pytest.mark.parametrize(("measure", "run", "printed"), CELLS)
def test_cells_of_table_ii(table: xcg.Results, measure: str, run: str, printed: str) -> None:
    digits = len(printed.partition(".")[2])
    value = table.value(run, measure)
    if (measure, run) in TRUNCATED:
        assert math.floor(value * 10**digits) / 10**digits == float(printed)
        assert value == pytest.approx(2 / 3, abs=1e-12)
    elif digits == 0 and (measure, run) not in ROUNDED_FURTHER:
        assert value == pytest.approx(float(printed), abs=1e-12)
    else:
        digits = ROUNDED_FURTHER.get((measure, run), digits)
        assert f"{value:.{digits}f}" == f"{float(printed):.{digits}f}"


def test_other_options_on_the_runs_of_table_ii(table: xcg.Results) -> None:
    # Linear interpolation at g = 0.6 (hand-computed): ideal 0.6/1, reverse_ideal 1 + (0.6 - 0.5)/1.
    assert table.value("reverse_ideal", "ep(interpolation=linear)@0.4") == pytest.approx(0.6 / 1.1)
    # Only rel_leaves has more hits (3) than there are ideal elements; no run misses an ideal element.
    assert table.value("rel_leaves", "MAep(unretrieved=max)") == pytest.approx(1.9 / 3)
    assert table.value("reverse_ideal", "Q(unretrieved=max)") == pytest.approx(0.875)


def test_the_mean_of_effort_precision_over_gain_on_the_runs_of_table_ii() -> None:
    folder = ROOT / "corpora_samples"
    found = xcg.evaluate(
        ROOT / "assessments" / "kazai-lalmas-2006",
        folder / "kazai-lalmas-2006-runs",
        folder / "kazai-lalmas-2006",
        measures="MAep(average=gain)",
    )
    assert [f"{row.value:.4f}" for row in found.means()] == ["1.0000", "1.0000", "0.6653", "0.7318"]


BODY = "/article[1]/bdy[1]"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("kazai-lalmas-2006", {f"{BODY}/sec[6]": 1.0, f"{BODY}/sec[4]": 0.5}),
        ("kazai-lalmas-2006-strict", {f"{BODY}/sec[6]": 1.0}),
        ("kazai-lalmas-2006-gen", {BODY: 0.75}),
    ],
)
def test_section_4_ideal_recall_bases(model: str, expected: dict[str, float]) -> None:
    elements = ideal(model)
    assert {element.path: element.score for element in elements} == expected


def test_footnote_8_keeps_the_longer_paths() -> None:
    # The footnote names sec[4]/p[1] and sec[4]/p[2], but the values of Table I select ip1[2] and p[1].
    model = {"name": "longer", "ideal": {"name": "kazai_lalmas", "filter": "longer"}}
    elements = ideal(model)
    assert {element.path.removeprefix(BODY) for element in elements} == {
        "/sec[6]",
        "/sec[4]/ip1[2]",
        "/sec[4]/p[1]",
    }


def test_the_ideal_without_overlap_contains_every_relevant_element() -> None:
    assert len(ideal("overlap-off")) == 10


def test_section_5_2_3_a_section_after_its_only_relevant_paragraph_gains_nothing() -> None:
    source = "<s1>" + "<p>0123456789</p>" * 10 + "</s1>"
    results = xcg.evaluate(
        {"1": {"d": {"/s1": (3, 1), "/s1/p[1]": (3, 3)}}},
        {"run": {"1": ["d#/s1/p[1]", "d#/s1"]}},
        {"d": source},
        measures=["xCG@1", "xCG@2"],
    )
    assert results.value("run", "xCG@1") == 1.0
    assert results.value("run", "xCG@2") == 1.0


def test_section_5_2_3_evenly_spread_relevant_text_rewards_the_section() -> None:
    """The assumption of Gövert et al.: "a score of 9/10 · quant(assess(s1))"."""
    rule = {"partially_seen": "new_characters", "normalisation": "none"}
    results = xcg.evaluate(
        {"1": {"d": {"/s1": (3, 1), "/s1/p[1]": (3, 3)}}},
        {"run": {"1": ["d#/s1/p[1]", "d#/s1"]}},
        {"d": "<s1>" + "<p>0123456789</p>" * 10 + "</s1>"},
        {"name": "even", "relevance_value": rule},
        "xCG@2",
    )
    assert results.value("run", "xCG@2") == pytest.approx(1.0 + 9 / 10 * 0.25)


def test_section_5_2_4_parts_of_an_ideal_element_gain_its_value_together() -> None:
    ranking = [f"co/2001/r7022#{BODY}/sec[6]{step}" for step in ("/p[1]", "", "/p[2]")]
    results = xcg.evaluate(
        ROOT / "assessments/kazai-lalmas-2006",
        {"run": {"163": ranking}},
        ROOT / "corpora_samples/kazai-lalmas-2006",
        measures=["xCG@3", "nxCG@3"],
    )
    assert results.value("run", "xCG@3") == pytest.approx(1.0, abs=1e-12)
    assert results.value("run", "nxCG@3") == pytest.approx(1 / 1.5, abs=1e-12)


def test_section_5_1_vectors() -> None:
    gains, ideal = [3, 1, 0, 0, 1, 3, 2, 2, 0, 0], [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    assert cumulate(gains).tolist() == [3, 4, 4, 4, 5, 8, 10, 12, 12, 12]
    assert cumulate(ideal).tolist() == [3, 6, 9, 12, 14, 16, 18, 19, 20, 20]
    printed = [1, 0.67, 0.44, 0.33, 0.36, 0.5, 0.56, 0.63, 0.6, 0.6]
    assert nxcg(gains, ideal).round(2).tolist() == printed
    assert round(float(manxcg(gains, ideal)[5]), 2) == 0.55


@pytest.mark.parametrize(
    ("before", "after_first", "measure", "expected"),
    [
        (0, 1, "R", 0.5714),  # cbg(2) = 2, cig(2) + 2 = 3.5
        (0, 1000, "R", 0.5714),
        (0, 1000, "ep@0.1", 1.0),
        (0, 1, "MAep", 0.8333),  # (1 + 2/3) / 2
        (1, 0, "MAep", 0.5833),  # (1/2 + 2/3) / 2
        (0, 1, "nxCG@2", 0.6667),
        (0, 1, "nxCG@3", 1.0),
        (0, 2, "nxCG@3", 0.6667),
        (1, 0, "nxCG@1", 0.0),
    ],
)
def test_section_6_1_2_useless_results_lower_the_score(
    before: int, after_first: int, measure: str, expected: float
) -> None:
    # Elements of another document: neither relevant nor related to a relevant one.
    noise = [f"other#/article/p[{i}]" for i in range(1, 1001)]
    ideal = [f"co/2001/r7022#{BODY}/{section}" for section in ("sec[6]", "sec[4]")]
    ranking = [*noise[:before], ideal[0], *noise[:after_first], ideal[1]]
    results = xcg.evaluate(
        ROOT / "assessments/kazai-lalmas-2006", {"run": {"163": ranking}}, measures=[measure]
    )
    assert results.value("run", measure) == pytest.approx(expected, abs=5e-5)
