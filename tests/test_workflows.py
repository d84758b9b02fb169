"""The GitHub workflows: their syntax and permissions, and the commands that they run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT, load_script
from test_distributions import PROJECT

import xcg

SCRIPTS = ROOT / ".github" / "scripts"
WORKFLOWS: dict[str, dict[Any, Any]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
JOBS = [(name, job) for name, workflow in WORKFLOWS.items() for job in workflow["jobs"]]
PROGRAMS = {
    "sphinx-build": "sphinx",
    "mypy": "mypy",
    "ruff": "ruff",
    "lint-imports": "import-linter",
    "twine": "twine",
}
"""Programs → the distribution that installs them."""


def steps(workflow: str) -> list[dict[str, Any]]:
    jobs = WORKFLOWS[workflow]["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def command_lines(workflow: str) -> list[list[str]]:
    runs = (step["run"] for step in steps(workflow) if "run" in step)
    return [shlex.split(line) for run in runs for line in run.splitlines()]


@pytest.mark.parametrize(("name", "job"), JOBS)
def test_jobs_have_a_time_limit_and_few_permissions(name: str, job: str) -> None:
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    assert "group" in workflow["concurrency"]
    content = workflow["jobs"][job]
    assert 0 < content["timeout-minutes"] <= 90
    allowed = {
        ("docs", "publish"): {"pages": "write", "id-token": "write"},
        ("release", "publish"): {"id-token": "write"},
        ("release", "announce"): {"contents": "write"},
    }
    assert content.get("permissions", {}) == allowed.get((name, job), {})


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_have_a_version_and_scripts_no_expressions(name: str) -> None:
    for step in steps(name):
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@(v\d+|release/v\d+|[0-9a-f]{40})", step["uses"])
        # GitHub inserts expressions into scripts before the shell reads them.
        assert "${{" not in step.get("run", "")
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_commands_exist(name: str) -> None:
    extras = PROJECT["optional-dependencies"]
    installed = " ".join(extras["dev"] + extras["docs"] + extras["test"])
    lines = command_lines(name)
    assert lines
    for program, *arguments in lines:
        if program == "python" and arguments[0] == "-m":
            assert arguments[1] in {"build", "pip", "pytest"}
        elif program == "python":
            assert (ROOT / arguments[0]).is_file(), arguments[0]
        elif program != "gh":
            assert PROGRAMS[program] in installed, program
        for extra in re.findall(r"^\.\[(.+)\]$", "\n".join(arguments), re.MULTILINE):
            assert set(extra.split(",")) <= extras.keys()


def test_the_checks_of_the_workflows_are_those_of_the_local_script() -> None:
    local = ROOT / ".ci" / "run"
    if not local.exists():
        pytest.skip("a source distribution has no .ci folder")
    text = local.read_text(encoding="utf-8")
    for command in ("ruff check .", "ruff format --check .", "mypy", "lint-imports --no-cache"):
        assert f"$bin/{command}" in text
        assert command.split() in command_lines("lint")
    assert "twine check --strict" in text
    slow = "python -m pytest -q -m 'slow or hypothesis' --hypothesis-profile large"
    assert slow in text
    assert shlex.split(slow) in [command[:8] for command in command_lines("tests")]


CHANGELOG = "# Changelog\n\n## [1.2.0] - 2026-01-02\n\nText.\n\n## [1.1.0] - 2025-01-01\n"
CITATION = "version: 1.2.0\ndate-released: 2026-01-02\n"


@pytest.mark.parametrize(
    ("tag", "changelog", "citation", "message"),
    [
        ("v1.2.0", CHANGELOG, CITATION, ""),
        ("1.2.0", CHANGELOG, CITATION, "the tag is 1.2.0, but xcg/__init__.py has version 1.2.0"),
        ("v1.3.0", CHANGELOG, CITATION, "expected v1.2.0"),
        ("v1.2.0", CHANGELOG.replace("2026-01-02", "unreleased"), CITATION, "'## [1.2.0] - YYYY"),
        ("v1.2.0", CHANGELOG.replace("Text.\n", ""), CITATION, "begins with '## [1.2.0] - YYYY"),
        ("v1.2.0", CHANGELOG, CITATION.replace("1.2", "1.1"), "expected the line 'version: 1.2.0'"),
        ("v1.2.0", CHANGELOG, CITATION.replace("-02", "-03"), "line 'date-released: 2026-01-02'"),
    ],
)
def test_a_release_needs_a_tag_a_changelog_and_a_citation_that_agree(
    tmp_path: Path, tag: str, changelog: str, citation: str, message: str
) -> None:
    (tmp_path / "xcg").mkdir()
    (tmp_path / "xcg" / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    (tmp_path / "CITATION.cff").write_text(citation)
    release_notes = load_script(SCRIPTS / "release_notes.py").release_notes
    if not message:
        assert release_notes(tag, tmp_path) == "Text.\n"
        return
    with pytest.raises(SystemExit, match=re.escape(message)):
        release_notes(tag, tmp_path)


def test_citation_and_changelog_describe_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation.keys() >= {"cff-version", "message", "title", "authors", "version"}
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    if "dev" not in xcg.__version__:
        assert citation["version"] == xcg.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{xcg.__version__.removesuffix('.dev0')}] - " in changelog
    assert citation["license"] == PROJECT["license"]
    for reference in citation["references"]:
        assert reference.keys() >= {"type", "title", "authors", "year"}
