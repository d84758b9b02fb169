"""A simulated campaign follows from its seed, and the command evaluates it."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, without_note
from simulated_campaign import SHAPE, campaign_folder, files_in

import xcg
from xcg.simulation.campaign import _Writer, simulate
from xcg.simulation.shape import Shape


@pytest.mark.parametrize(
    ("change", "unchanged"),
    [
        ({"runs": 3}, ("documents", "assessments", "runs")),
        ({"topics": 2}, ("documents", "assessments")),
        ({"results": 10}, ("documents", "assessments")),
        ({"assessors": 3}, ("documents", "assessments", "runs")),
        ({"agreement": 0.1}, ("documents", "assessments/assessor1", "runs")),
        ({"agreement": -0.6}, ("documents", "assessments/assessor1", "runs")),
        ({"hardness": 0.6}, ("documents", "assessments")),
        ({"articles": 20}, ("documents",)),
    ],
)
def test_a_file_does_not_depend_on_the_number_of_others(
    tmp_path: Path, change: dict[str, Any], unchanged: tuple[str, ...]
) -> None:
    simulate(tmp_path / "other", dataclasses.replace(SHAPE, **change))
    first, other = files_in(campaign_folder()), files_in(tmp_path / "other")
    for folder in unchanged:
        shared = [name for name in other if name.startswith(folder) and name in first]
        assert shared
        assert {name: other[name] for name in shared} == {name: first[name] for name in shared}
    added = [name for name in other if name.startswith(unchanged) and name not in first]
    assert all("assessor3" in name for name in added)


def test_the_command_evaluates_it(xcg_command: Command) -> None:
    done = xcg_command("evaluate", campaign_folder() / "config.yaml")
    assert (done.returncode, without_note(done.stderr)) == (0, "")
    assert done.stdout.count("run0") == 9


def test_a_folder_with_files_is_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(xcg.InputError, match="not empty; expected a new folder"):
        simulate(tmp_path, Shape.small())
    with pytest.raises(xcg.InputError, match="cannot write"):
        simulate(tmp_path / "kept.txt", Shape.small())
    assert files_in(tmp_path) == {"kept.txt": b"mine"}


@pytest.fixture
def incomplete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a campaign that was interrupted in its second topic."""

    def interrupted(writer: Any, number: int) -> None:
        if number == 1:
            raise KeyboardInterrupt
        write_topic(writer, number)

    write_topic = _Writer._write_topic
    monkeypatch.setattr(_Writer, "_write_topic", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulate(tmp_path / "campaign", Shape.small(articles=25, topics=3, runs=3, results=30))
    monkeypatch.setattr(_Writer, "_write_topic", write_topic)
    return tmp_path / "campaign"


def test_an_incomplete_campaign_is_recognised(xcg_command: Command, incomplete: Path) -> None:
    runs, assessments = incomplete / "runs", incomplete / "assessments"
    message = f"xcg: error: {incomplete}: an incomplete campaign: xcg simulate is writing it, or was "
    for arguments in (
        ("evaluate", "--run", runs, "--assessments", "assessments/kazai-lalmas-2006"),
        ("evaluate", "--run", "corpora_samples/kazai-lalmas-2006-runs", "--assessments", assessments),
        ("evaluate", "--run", f"{runs}/*.xml", "--assessments", assessments),
    ):
        done = xcg_command(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(message)
    before = files_in(incomplete)
    with pytest.raises(xcg.InputError, match="an incomplete campaign"):
        simulate(incomplete, Shape.small())
    assert files_in(incomplete) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agreement", "-0.6"), "--agreement has no effect without --assessors 2 or more"),
        (("--assessors", "2", "--agreement", "-1.5"), "-1.5 is not in the range -1<=x<=1"),
        (("--hardness", "nan"), "'nan' is not a number"),
    ],
)
def test_wrong_options_are_errors(
    xcg_command: Command, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    done = xcg_command("simulate", tmp_path / "campaign", "--small", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "campaign").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may round random numbers otherwise")
def test_the_same_seed_gives_the_same_campaign_in_every_version(tmp_path: Path) -> None:
    # Digests of all files but the configuration, computed with numpy 2.4.
    for agreement, digest in ((0.6, "c7325f5c98d61119"), (0, "96b60d2309d02d16")):
        simulate(tmp_path / str(agreement), Shape.small(assessors=2, agreement=agreement))
        files = files_in(tmp_path / str(agreement))
        del files["config.yaml"]
        text = b"".join(name.encode() + b"\n" + content for name, content in files.items())
        assert hashlib.sha256(text).hexdigest()[:16] == digest
