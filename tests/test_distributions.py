"""The wheel and the source distribution contain what they should, and the metadata are correct."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from conftest import ROOT

import xcg
from xcg.cli.samples import sample_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHON_VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def build(kind: str, source: Path, folder: Path) -> Path:
    """Build a distribution with the installed hatchling, without network access."""
    words = (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder)
    done = subprocess.run(words, cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.mark.slow
def test_the_source_distribution_has_tests_manual_and_samples(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = (
        *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
        *("action.yml", "pyproject.toml", "xcg/__init__.py", "xcg/py.typed", "tests/conftest.py"),
        *("docs/conf.py", "docs/index.md", "docs/images/report.png", "benchmarks/README.md"),
        ".github/workflows/tests.yml",
        *sample_files(),
    )
    assert not [name for name in needed if name not in names]
    unwanted = re.compile(
        r"\.ci/|\.venv|build/|dist/|\.coverage|.*(__pycache__|\.pyc$|\.egg-info|_cache/)"
    )
    assert not [name for name in names if unwanted.match(name)]


@pytest.mark.slow
def test_the_source_distribution_builds_the_same_wheel(
    sdist: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    (tmp_path / "wheel").mkdir()
    again = build("wheel", source, tmp_path / "wheel")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_the_wheel_has_the_package_its_samples_and_its_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        content = message_from_bytes(archive.read(metadata))
    assert {name.partition("/")[0] for name in names} == {"xcg", f"xcg-{xcg.__version__}.dist-info"}
    assert not [name for name in sample_files() if f"xcg/shipped/{name}" not in names]
    assert {f"xcg/{name}" for name in ("py.typed", "__init__.pyi", "cli/main.py")} <= names
    pages = ROOT / "xcg" / "judge"
    files = [path for name in ("static", "templates") for path in (pages / name).rglob("*.*")]
    assert {path.relative_to(ROOT).as_posix() for path in files} <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    assert (content["Name"], content["Version"]) == ("xcg", xcg.__version__)
    assert content["License-Expression"] == "Apache-2.0"
    assert content["Requires-Python"] == ">=3.11"
    assert set(content.get_all("Provides-Extra")) == PROJECT["optional-dependencies"].keys()


def test_the_classifiers_name_the_versions_of_python_that_are_tested() -> None:
    prefix = "Programming Language :: Python :: 3."
    named = [text for text in PROJECT["classifiers"] if text.startswith(prefix)]
    assert named == [prefix[:-2] + version for version in PYTHON_VERSIONS]
    assert PROJECT["requires-python"] == f">={PYTHON_VERSIONS[0]}"


def test_the_version_is_a_release_or_a_development_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", xcg.__version__)


def test_the_extra_all_has_every_extra_for_users() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(everything.removeprefix("xcg[").removesuffix("]").split(","))
    assert named == extras.keys() - {"all", "adapters-test", "dev", "docs", "test"}
    assert json.dumps(extras).count("xcg[") == 4  # all, test, docs and dev refer to other extras
