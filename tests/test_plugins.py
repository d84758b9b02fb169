"""Install a package that adds one of each extension, and use every extension."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT
from installation import Installation

pytestmark = pytest.mark.slow

SOURCE = "<d><p>one two</p><p>three</p><p>four</p></d>"
ASSESSMENTS = "topic,document,element,e,s\n1,d,/d[1]/p[1],3,3\n1,d,/d[1]/p[2],2,2\n"
RUN = "topic,document,element\n1,d,/d[1]/p[2]\n1,d,/d[1]\n1,d,/d[1]/p[3]\n"


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("plugin"), ROOT / "tests" / "example_plugin")


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "d.xml").write_text(SOURCE)
    (tmp_path / "gold.csv").write_text(ASSESSMENTS)
    (tmp_path / "bm25.csv").write_text(RUN)
    return tmp_path


def score(installation: Installation, campaign: Path, measure: str, model: str) -> float:
    """Evaluate the run with ``xcg evaluate`` under a user model in YAML."""
    (campaign / "model.yaml").write_text(f"name: m\n{model}\n")
    output = installation.run(
        *(
            "-m",
            "xcg",
            "evaluate",
            "--assessments",
            "gold.csv",
            "--run",
            "bm25.csv",
            "--corpus",
            "corpus",
        ),
        *("--user-model", "model.yaml", "--measures", measure, "--format", "jsonl"),
        cwd=campaign,
    )
    return float(json.loads(output)["value"])


def test_file_formats(installation: Installation, campaign: Path) -> None:
    assert score(installation, campaign, "nxCG@1", "quantisation: sog") == 0.5
    for option, file in (("--assessments", "gold.csv"), ("--run", "bm25.csv")):
        written = installation.run("-m", "xcg", "convert", option, campaign / file, "--to", "csv")
        assert written == (campaign / file).read_text()


# Sizes are 7, 5 and 4 characters. With sog, /d/p[1] scores 1 and /d/p[2] scores 0.5.
@pytest.mark.parametrize(
    ("model", "measure", "expected"),
    [
        ("quantisation: halves", "xCG@1", 0.5),
        ("quantisation: 'xcg_example_plugin:halves'", "xCG@1", 0.5),
        ("quantisation: sog", "firstGain", 0.5),
        # The ideal gain is that of /d/p[1] alone. /d gains from the unseen /d/p[1].
        ("ideal: first_relevant\nrelevance_value: {normalisation: none}", "nxCG@2", 0.5 + 7 / 16),
        # /d is partly seen and scores 0.
        ("relevance_value: {partially_seen: half}", "xCG@2", 0.5),
        # /d gains from /d/p[1], and from /d/p[3], which has a quarter of the score of its sibling.
        ("relevance_value: {near_misses: {name: siblings}}", "xCG@2", 0.5 + (7 + 4 / 4) / 16),
        ("relevance_value: {reader: first_only}", "xCG@2", 0.5),
        ("effort: {unit: tokens, tokenizer: letters}", "xCG(budget=tokens)@5", 0.5),
    ],
)
def test_measure_and_parts_of_user_models(
    installation: Installation, campaign: Path, model: str, measure: str, expected: float
) -> None:
    assert score(installation, campaign, measure, model) == pytest.approx(expected)


def test_extensions_are_listed(installation: Installation) -> None:
    assert "gain of the first result" in installation.run("-m", "xcg", "list", "measures", "firstGain")
    listing = installation.run("-m", "xcg", "list", "user-models")
    for name in ("halves", "first_relevant", "half", "siblings", "first_only"):
        assert name in listing


def test_no_plugins_refuses_every_extension(installation: Installation, campaign: Path) -> None:
    listing = installation.run("-m", "xcg", "--no-plugins", "list", "user-models")
    assert "sog" in listing
    assert "halves" not in listing
    code = """
import sys
from click.testing import CliRunner
from xcg.cli.main import main
for arguments in (
    ["list", "measures", "firstGain"],
    ["convert", "--run", "r.trec", "--to", "csv"],
    ["convert", "--run", "r.trec", "--strategy", "first_results"],
    ["evaluate", "--assessments", "gold.jsonl", "--run", "r.trec", "--user-model", "model.yaml"],
):
    done = CliRunner().invoke(main, ["--no-plugins", *arguments])
    print(done.exit_code, done.stderr, end="")
print("xcg_example_plugin" in sys.modules)
"""
    (campaign / "model.yaml").write_text("name: m\nquantisation: halves\n")
    (campaign / "r.trec").write_text("1 Q0 d 1 1 r\n")
    lines = installation.run("-c", code, cwd=campaign).splitlines()
    refused = (
        *("measure 'firstGain'", "run format 'csv'", "strategy 'first_results'"),
        "quantisation 'halves'",
    )
    for line, what in zip(lines, refused, strict=False):
        assert line.startswith("2 xcg: error: "), line
        assert f"the {what} of an installed package is a plug-in" in line
        assert line.endswith("plug-ins are refused by --no-plugins or XCG_NO_PLUGINS")
    assert lines[len(refused) :] == ["False"]


def test_overlap_strategy(installation: Installation, campaign: Path) -> None:
    strategy = ("--strategy", "first_results(count=2)")
    files = ("--assessments", "gold.csv", "--run", "bm25.csv", "--corpus", "corpus")
    output = installation.run(
        *("-m", "xcg", "evaluate", *files, *strategy, "--measures", "nxCG@1", "--format", "jsonl"),
        cwd=campaign,
    )
    assert json.loads(output)["run"] == "bm25+first_results(count=2)"
    # The run is written in the format of the package, in which it was read.
    rewritten = installation.run("-m", "xcg", "convert", "--run", "bm25.csv", *strategy, cwd=campaign)
    assert rewritten == "".join(RUN.splitlines(keepends=True)[:3])
    assert "first_results(count=" in installation.run("-m", "xcg", "list", "strategies")
    assert "first_results(count=" in installation.run(
        "-m", "xcg", "list", "strategies", "first_results"
    )
    assert "first_results" not in installation.run("-m", "xcg", "--no-plugins", "list", "strategies")


def test_adapter(installation: Installation) -> None:
    code = """
import xcg
from xcg.runs.chunks import run_of_chunks
from xcg_example_plugin import Piece
run = run_of_chunks("r", {"1": [Piece("bees", 0, "Bees dance.")]})
results = xcg.evaluate({"1": {"bees": [(0, 11)]}}, [run], {"bees": "Bees dance. Drones do not."})
print(results.value("r", "MAep"))
"""
    assert installation.run("-c", code) == "1.0\n"
