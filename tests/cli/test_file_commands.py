"""The commands assess, convert, place and show on the sample campaign."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Command

CORPUS = ("--corpus", "corpora_samples/handbook")
PASSAGES = "assessments/handbook-passages/offsets.qrels"


def test_assess_names_a_folder_that_cannot_be_created(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "folder"
    done = xcg_command(
        "assess", "assessments/handbook-highlights/first.jsonl", *CORPUS, "--output", output
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xcg: error: {output}: cannot write: Not a directory\n"


def test_converted_passages_keep_their_topics_and_lengths(xcg_command: Command) -> None:
    done = xcg_command("convert", "--assessments", PASSAGES, *CORPUS, "--to", "jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    with open(PASSAGES) as file:
        expected = {line.split()[0] for line in file}
    assert {row["topic"] for row in rows} == expected
    back = xcg_command("convert", "--assessments", PASSAGES, *CORPUS, "--to", "offsets")
    assert back.returncode == 0, back.stderr
    assert {line.split()[0] for line in back.stdout.splitlines()} == expected


def test_passages_become_elements_with_the_corpus(xcg_command: Command, tmp_path: Path) -> None:
    gold = tmp_path / "one.qrels"
    lines = Path(PASSAGES).read_text().splitlines(keepends=True)
    gold.write_text("".join(line for line in lines if line.split()[0] == "1"))
    done = xcg_command("convert", "--assessments", gold, *CORPUS, "--to", "inex2005")
    assert done.returncode == 0, done.stderr
    assert "<element" in done.stdout
    lacking = xcg_command("convert", "--assessments", gold, "--to", "inex2005")
    assert lacking.returncode == 2


def test_an_article_with_mixed_content_becomes_html(xcg_command: Command, tmp_path: Path) -> None:
    article = tmp_path / "article.xml"
    article.write_text(
        "<article><fm><ti>Mixed</ti></fm><bdy><sec><st>One</st><p>plain "
        "<it>slanted <b>both</b> end</it> <unknown/>tail <b>strong</b>.</p></sec></bdy></article>"
    )
    done = xcg_command("show", article, "--format", "html")
    assert done.returncode == 0, done.stderr
    assert (
        "<p>plain <em>slanted <strong>both</strong> end</em> tail <strong>strong</strong>.</p>"
        in done.stdout
    )
    assert xcg_command("show", article).stdout == (
        "Mixed\n=====\n\nOne\n---\n\nplain slanted both end tail strong.\n"
    )
