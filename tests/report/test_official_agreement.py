"""xcg inex-eval prints what a second implementation of the official evaluator prints."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from conftest import Command
from official_campaigns import Campaign, random_campaign
from official_inex_eval import RefusedError, evaluate

FAST, SLOW = range(40), range(40, 240)


def expected_output(campaign: Campaign) -> str | None:
    """Return the output of the second implementation; None if it refuses a file."""
    try:
        return evaluate(campaign.qrels, campaign.runs, campaign.options)
    except RefusedError:
        return None


def check(xcg_command: Command, folder: Path, seed: int) -> None:
    """Compare the outputs for one campaign, byte for byte."""
    campaign = random_campaign(seed)
    for name, text in {"qrels": campaign.qrels, **campaign.runs}.items():
        (folder / name).write_bytes(text.encode())
    done = xcg_command("inex-eval", *campaign.options.words(), "qrels", *campaign.runs, cwd=folder)
    expected = expected_output(campaign)
    if expected is None:
        assert (done.returncode, done.stdout) == (2, ""), seed
    else:
        assert done.stdout == expected, (seed, done.stderr)
        assert done.returncode == 0, seed


@pytest.mark.parametrize("seed", FAST)
def test_random_campaigns_agree(xcg_command: Command, tmp_path: Path, seed: int) -> None:
    check(xcg_command, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SLOW)
def test_more_random_campaigns_agree(xcg_command: Command, tmp_path: Path, seed: int) -> None:
    check(xcg_command, tmp_path, seed)


def test_the_campaigns_cover_all_tasks_and_most_are_legal() -> None:
    outcomes = Counter(
        (campaign.options.task, expected_output(campaign) is None)
        for campaign in map(random_campaign, FAST)
    )
    assert {task for task, _ in outcomes} == set("ftrbi")
    refused = sum(count for (_, is_refused), count in outcomes.items() if is_refused)
    assert 2 <= refused <= len(FAST) // 3
