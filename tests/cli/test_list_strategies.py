"""``xcg list strategies`` takes its text from docstrings and signatures."""

from __future__ import annotations

import inspect
from pathlib import Path

from conftest import Command

from xcg.report.listings import Docstring, describe_strategy
from xcg.strategies.registry import STRATEGIES


def test_the_list_has_every_strategy_with_its_parameters(xcg_command: Command) -> None:
    done = xcg_command("list", "strategies")
    assert (done.returncode, done.stderr) == (0, "")
    heading, *lines = done.stdout.splitlines()
    assert heading.split() == ["strategy", "what", "it", "does", "documents"]
    assert [line.split()[0].partition("(")[0] for line in lines] == list(STRATEGIES)
    for line, name in zip(lines, STRATEGIES, strict=True):
        assert (STRATEGIES.get(name).__doc__ or "").partition("\n")[0] in line
    assert "promote_parent(threshold=0.5, levels=1, score=max)" in done.stdout
    assert "controlled(ancestor=1, descendant=1)" in done.stdout
    assert "not used" in lines[-1]


def test_a_strategy_is_explained(xcg_command: Command) -> None:
    done = xcg_command("list", "strategies", "promote_parent")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("promote_parent(threshold=0.5, levels=1, score=max): Replace results by")
    assert any(
        line.startswith("parameter:   threshold=0.5; a number from 0 to 1; Minimum share")
        for line in lines
    )
    assert any(line.startswith("parameter:   levels=1; a whole number from 1; ") for line in lines)
    assert any(line.startswith("parameter:   score=max; max | sum | mean; ") for line in lines)
    assert any(line.startswith("documents:   if ") for line in lines)
    assert any(line.startswith("example:     >>> ") for line in lines)
    assert "``" not in done.stdout
    assert ":attr:" not in done.stdout
    with_value = xcg_command("list", "strategies", "promote_parent(threshold=0.4)")
    assert with_value.stdout == done.stdout


def test_every_strategy_describes_its_parameters_and_documents() -> None:
    for name in STRATEGIES:
        docstring = Docstring.of(STRATEGIES.get(name))
        arguments = inspect.signature(STRATEGIES.get(name)).parameters
        if name != "thorough":
            assert docstring.arguments.keys() == arguments.keys(), name
        text = describe_strategy(name)
        assert "object at" not in text, name
        assert text.startswith(f"{name}{': ' if len(arguments) == 2 else '('}")


def test_a_function_of_the_user_is_explained(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "mine.py").write_text(
        'def firsts(ranking, corpus, *, count: int = 1, word="x"):\n'
        '    """Keep the first results.\n\n    Args:\n        count: How many,\n'
        '            from 1.\n    """\n    return ranking.top(count)\n\n\n'
        "def bare(ranking, corpus):\n    return ranking\n"
    )
    done = xcg_command("list", "strategies", "mine:firsts", cwd=tmp_path)
    assert done.stdout == (
        "mine:firsts(count=1, word=x): Keep the first results.\n\n"
        "parameter:   count=1; a whole number; How many, from 1\n"
        "parameter:   word=x\n"
    )
    assert xcg_command("list", "strategies", "mine:bare", cwd=tmp_path).stdout == "mine:bare\n\n"
    refused = xcg_command("--no-plugins", "list", "strategies", "mine:bare", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "the strategy 'mine:bare' is a plug-in: plug-ins are refused" in refused.stderr
