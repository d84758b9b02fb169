"""The GitHub Action: its metadata, and its steps as GitHub runs them."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from bee_campaign import GOOD, RIGHT, WRONG, write_campaign
from conftest import ROOT

pytestmark = pytest.mark.posix

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
WORKFLOW_BLOCK = re.compile(r"^```yml\n(name: .*?)^```", re.MULTILINE | re.DOTALL)
MIXED = {**GOOD, "4": [WRONG, RIGHT]}


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run_step(name: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: bash with errexit and pipefail, and only its own variables."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    environment = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "RUNNER_TEMP": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    declared = set(STEPS[name]["env"])
    assert variables.keys() <= declared
    environment |= {**dict.fromkeys(declared, ""), **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a campaign, and xcg where the action installs it."""
    write_campaign(tmp_path, good=GOOD, mixed=MIXED)
    call = f'PYTHONPATH={ROOT} exec {sys.executable} -m xcg "$@"'
    script(tmp_path / "xcg" / "bin" / "xcg", f"#!/bin/bash\n{call}\n")
    return tmp_path


CAMPAIGN = {
    "GOLD": "gold.jsonl",
    "CORPUS": "corpus",
    "RUNS": "good.jsonl\n  mixed.jsonl  \n\n",
    "MEASURES": "nxCG@1 SpanPrecision@1",
    "BASELINE": "good",
    "JUNIT": "gate.xml",
}


def outputs(folder: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines())


def test_the_metadata_are_those_of_a_composite_action() -> None:
    assert ACTION.keys() == {
        *("name", "description", "author", "branding", "inputs", "outputs", "runs")
    }
    assert ACTION["runs"]["using"] == "composite"
    for name, described in ACTION["inputs"].items():
        assert re.fullmatch(r"[a-z-]+", name)
        assert described.keys() == {"description", "default"}
        assert isinstance(described["default"], str), name
    for step in ACTION["runs"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        assert ("shell" in step) == ("run" in step)


def test_no_input_is_part_of_a_script() -> None:
    """GitHub inserts expressions into scripts before the shell reads them."""
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
    text = (ROOT / "action.yml").read_text()
    used = set(re.findall(r"\binputs\.([a-z-]+)", text))
    assert used == ACTION["inputs"].keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "status", "heading"),
    [
        ({"MAX_DROP": "17%"}, "0", "## Retrieval gate: passed"),
        ({"MAX_DROP": "nxCG@1=17%\nSpanPrecision@1=5%"}, "1", "## Retrieval gate: failed"),
        ({"MAX_REGRESSED": "0"}, "1", "## Retrieval gate: failed"),
        ({"MAX_DROP": "17%", "FAIL_UNDER": "nxCG@1=0.9"}, "1", "## Retrieval gate: failed"),
        (
            {"MAX_DROP": "17%", "OPTIONS": "--set\ntopics.unanswered=skip"},
            "0",
            "## Retrieval gate: passed",
        ),
        ({"MAX_DROP": "5"}, "3", "## Retrieval gate: not decided (status 3)"),
        (
            {"MAX_DROP": "$(touch harmed) `touch harmed`"},
            "2",
            "## Retrieval gate: not decided (status 2)",
        ),
    ],
)
def test_the_gate_writes_report_summary_and_status(
    folder: Path, limits: dict[str, str], status: str, heading: str
) -> None:
    done = run_step("Run the gate", folder, **CAMPAIGN, **limits)
    assert done.returncode == 0, done.stderr
    found = outputs(folder)
    assert found["status"] == status, done.stderr
    report = Path(found["report"]).read_text()
    assert report.splitlines()[:2] == ["<!-- xcg gate -->", heading]
    assert (folder / "summary").read_text() == report
    assert (folder / "gate.xml").exists() == (status in "01")
    if status in "23":
        assert report.splitlines()[3].startswith("    xcg: error: ")
    assert not (folder / "harmed").exists()
    assert run_step("Report the verdict", folder, STATUS=status).returncode == int(status)


def test_a_configuration_replaces_files(folder: Path) -> None:
    (folder / "campaign.yaml").write_text(
        "assessments: gold.jsonl\nruns: [good.jsonl, mixed.jsonl]\ncorpus: corpus\nmeasures: [nxCG@1]\n"
    )
    done = run_step("Run the gate", folder, CONFIG="campaign.yaml", FAIL_UNDER="nxCG@1=0.5")
    assert outputs(folder)["status"] == "0", done.stderr


@pytest.mark.parametrize("existing", ["", "7"])
def test_a_comment_is_created_or_replaced(folder: Path, existing: str) -> None:
    script(folder / "bin" / "gh", f'#!/bin/bash\necho "$@" >> "{folder}/calls"\necho "{existing}"\n')
    (folder / "report.md").write_text("text")
    done = run_step(
        "Comment on the pull request",
        folder,
        REPOSITORY="o/r",
        PULL_REQUEST="3",
        REPORT=str(folder / "report.md"),
    )
    assert done.returncode == 0, done.stderr
    listed, written = (folder / "calls").read_text().splitlines()
    assert listed.startswith("api --paginate repos/o/r/issues/3/comments --jq ")
    where = "--method PATCH repos/o/r/issues/comments/7" if existing else "repos/o/r/issues/3/comments"
    assert written == f"api --silent {where} -F body=@{folder / 'report.md'}"


def test_a_refused_comment_does_not_change_the_verdict(folder: Path) -> None:
    script(folder / "bin" / "gh", "#!/bin/bash\nexit 1\n")
    done = run_step("Comment on the pull request", folder, REPOSITORY="o/r", PULL_REQUEST="3")
    assert done.returncode == 0
    assert "::warning::xcg could not comment" in done.stdout


def test_the_documented_workflow_uses_inputs_that_exist() -> None:
    (block,) = WORKFLOW_BLOCK.findall((ROOT / "docs" / "howto" / "gate.md").read_text())
    workflow = yaml.safe_load(block)
    steps = workflow["jobs"]["gate"]["steps"]
    (used,) = (step["with"] for step in steps if step.get("uses") == "OWNER/xcg@COMMIT")
    assert used.keys() <= ACTION["inputs"].keys()
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
