"""The command that installs a missing extra, for each way to install xcg."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path

import pytest

from xcg import installation
from xcg.installation import install_command, missing_extra


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an environment without markers, which this process seems to use."""
    folder = tmp_path / "tools" / "xcg"
    folder.mkdir(parents=True)
    use(folder, monkeypatch)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    return folder


def use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / "python"))


def test_pip_in_a_virtual_environment(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install_command("break") == f"{prefix}/bin/python -m pip install 'xcg[break]'"
    monkeypatch.chdir(prefix.parent)
    assert install_command("break") == "xcg/bin/python -m pip install 'xcg[break]'"
    monkeypatch.setenv("VIRTUAL_ENV", str(prefix))
    assert install_command("break") == "pip install 'xcg[break]'"
    monkeypatch.setenv("VIRTUAL_ENV", str(prefix.parent))  # another environment is active
    assert install_command("break") == "xcg/bin/python -m pip install 'xcg[break]'"


def test_uv_in_a_virtual_environment_without_pip(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert install_command("fuzzy") == f"uv pip install --python {prefix}/bin/python 'xcg[fuzzy]'"
    monkeypatch.setenv("VIRTUAL_ENV", str(prefix))
    assert install_command("fuzzy") == "uv pip install 'xcg[fuzzy]'"


def test_pipx_injects_the_packages_of_the_extra(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (prefix / "pipx_metadata.json").write_text("{}")
    required = ["numpy>=1.26", "rapidfuzz>=3.9; extra == 'fuzzy'", 'dask>=2; extra == "dask"']
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: required)
    assert install_command("fuzzy") == "pipx inject xcg 'rapidfuzz>=3.9'"
    renamed = prefix.rename(prefix.with_name("xcg-2"))  # pipx install --suffix=-2
    use(renamed, monkeypatch)
    assert install_command("dask") == "pipx inject xcg-2 'dask>=2'"


@pytest.mark.parametrize(
    ("requirements", "command"),
    [
        ('{ name = "xcg" }', "uv tool install 'xcg[break]'"),
        ('{ name = "xcg", specifier = "==0.2" }', "uv tool install 'xcg[break]==0.2'"),
        ('{ name = "xcg", directory = "/my src/xcg" }', "uv tool install '/my src/xcg[break]'"),
        ('{ name = "xcg", editable = "/src" }', "uv tool install --editable '/src[break]'"),
        ('{ name = "xcg", path = "/x.whl" }', "uv tool install 'xcg[break] @ file:///x.whl'"),
        (
            '{ name = "xcg", git = "https://host/xcg?rev=main" }',
            "uv tool install 'xcg[break] @ git+https://host/xcg?rev=main'",
        ),
        (
            '{ name = "xcg", url = "https://host/xcg.whl" }',
            "uv tool install 'xcg[break] @ https://host/xcg.whl'",
        ),
        (
            '{ name = "polars" }, { name = "xcg", extras = ["fuzzy"] }',
            "uv tool install 'xcg[break,fuzzy]' --with polars",
        ),
    ],
)
def test_uv_tool_keeps_the_source_the_extras_and_further_packages(
    prefix: Path, requirements: str, command: str
) -> None:
    (prefix / "uv-receipt.toml").write_text(f"[tool]\nrequirements = [{requirements}]\n")
    assert install_command("break") == command


def test_uvx_runs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(tmp_path / "uv" / "archive-v0" / "YqiDxEfu_N9lOUw-", monkeypatch)
    monkeypatch.setattr(installation, "_source", lambda: "xcg")
    assert install_command("break") == "uvx --from 'xcg[break]' xcg"
    monkeypatch.setattr(installation, "_source", lambda: "/my src/xcg")
    assert install_command("break") == "uvx --from '/my src/xcg[break]' xcg"


@pytest.mark.parametrize(
    ("direct_url", "source"),
    [
        (None, "xcg"),
        ('{"url": "https://host/xcg.whl", "archive_info": {}}', "xcg"),
        ('{"url": "file:///my%20src/xcg", "dir_info": {}}', "/my src/xcg"),
    ],
)
def test_the_source_is_read_from_the_metadata(
    direct_url: str | None, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Metadata:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return direct_url

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Metadata())
    assert installation._source() == source


def test_windows_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        words = [installation._quoted(word) for word in ("xcg[break]", "C:\\tools\\xcg")]
    assert words == ['"xcg[break]"', "C:\\tools\\xcg"]


def test_the_error_names_what_needs_the_package() -> None:
    error = missing_extra("--fuzzy", "rapidfuzz", "fuzzy")
    assert str(error) == f"--fuzzy needs rapidfuzz: {install_command('fuzzy')}"
