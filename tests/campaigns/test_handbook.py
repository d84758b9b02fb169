"""Check the handbook: the structure of its articles, and every example in them."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from conftest import ROOT, Command, without_note
from lxml import etree

import xcg
from xcg.user_model.model import resolve_models

HANDBOOK = ROOT / "corpora_samples" / "handbook"
ARTICLES = sorted(HANDBOOK.glob("*.xml"))


def examples(language: str) -> list[tuple[Path, etree._Element]]:
    found = []
    for article in ARTICLES:
        for code in etree.parse(article).iter("code"):
            if code.get("language") == language:
                found.append((article, code))
    return found


def identifier(value: object) -> str:
    return value.stem if isinstance(value, Path) else f"line{getattr(value, 'sourceline', '')}"


@pytest.mark.parametrize("article", ARTICLES, ids=identifier)
def test_an_article_has_the_length_and_structure_that_the_guidelines_require(article: Path) -> None:
    root = etree.parse(article).getroot()
    words = len(str(root.xpath("string()")).split())
    assert 1200 <= words <= 3000
    journal = root.find("front") is not None
    body = root.find("body" if journal else "bdy")
    assert body is not None
    assert len(body.findall("sec")) >= 4
    for kind in (
        ("list", "table-wrap", "disp-formula", "fn") if journal else ("list", "tbl", "fd", "fn")
    ):
        assert body.find(f".//{kind}") is not None, f"{article.stem} has no {kind}"
    assert root.find(".//mixed-citation" if journal else ".//bb") is not None


def test_both_markups_are_used() -> None:
    assert len(ARTICLES) >= 14
    journal = [a for a in ARTICLES if etree.parse(a).getroot().find("front") is not None]
    assert 5 <= len(journal) <= len(ARTICLES) - 5


@pytest.mark.parametrize("article", ARTICLES, ids=identifier)
def test_python_sessions_run(article: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = "\n".join(code.text or "" for path, code in examples("doctest") if path == article)
    session = doctest.DocTestParser().get_doctest(text, {}, article.stem, str(article), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(session, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize(("article", "code"), examples("console"), ids=identifier)
def test_commands_print_the_output_in_the_article(
    article: Path, code: etree._Element, xcg_command: Command
) -> None:
    for block in re.split(r"^\$ ", code.text or "", flags=re.MULTILINE)[1:]:
        line, _, expected = block.partition("\n")
        program, *arguments = shlex.split(line)
        assert program == "xcg"
        done = xcg_command(*arguments)
        assert (done.returncode, without_note(done.stderr)) == (0, "")
        if expected.strip():
            assert done.stdout == expected


@pytest.mark.parametrize(("article", "code"), examples("yaml"), ids=identifier)
def test_yaml_examples_load(article: Path, code: etree._Element, tmp_path: Path) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(code.text or "")
    if code.get("role") == "user-model":
        assert resolve_models(path)
    else:
        assert xcg.load(path).inputs.user_models
