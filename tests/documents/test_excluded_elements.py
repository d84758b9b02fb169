"""``corpus.exclude`` removes elements from text, sizes and paths, as if the files did not have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from random_cases import markup

from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.documents.sources import CorpusPath
from xcg.errors import InputError


def without(source: str, names: list[str]) -> bytes:
    """Return a document without elements, whose tails are kept by hand."""
    root = etree.fromstring(source.encode())
    for element in list(root.iter("*")):
        parent = element.getparent()
        if etree.QName(element).localname in names and parent is not None:
            before, tail = element.getprevious(), element.tail or ""
            if before is None:
                parent.text = (parent.text or "") + tail
            else:
                before.tail = (before.tail or "") + tail
            element.tail = None
            parent.remove(element)
    return etree.tostring(root, encoding="utf-8")


@given(
    markup(),
    st.lists(st.lists(st.sampled_from(["p", "s", "b", "title", "x"]), unique=True), max_size=3),
)
def test_documents_are_as_if_their_files_lacked_the_elements(
    source: str, lists: list[list[str]]
) -> None:
    """The cache is shared: entries of one list must not be read under another one."""
    folder = Path(os.environ["XCG_CACHE"]) / "excluded"
    folder.mkdir(exist_ok=True)
    (folder / "d.xml").write_text(source, encoding="utf-8")
    whole = parse_document(source)
    root = whole.tag(0)
    for names in [*lists, *lists]:
        if root in names:
            continue
        corpus = Corpus(CorpusPath(str(folder), exclude=names))
        tree, expected = corpus.tree("d"), parse_document(without(source, names))
        assert tree.text == expected.text
        assert tree.words.tolist() == expected.words.tolist()
        assert tree.characters.tolist() == expected.characters.tolist()
        assert [tree.text_nodes(row) for row in range(len(tree))] == [
            expected.text_nodes(row) for row in range(len(expected))
        ]
        kept = [
            path
            for path in whole.paths
            if not set(names) & {step.partition("[")[0] for step in path.split("/")}
        ]
        assert tree.paths == kept  # with the numbers that they had
        count = sum(
            etree.QName(e).localname in names for e in etree.fromstring(source.encode()).iter("*")
        )
        if names:
            assert f" {count} element" in corpus.exclusion(["d"])
        corpus.write_cache()
        again = Corpus(CorpusPath(str(folder), exclude=names))
        gone = [path for path in whole.paths if path not in kept]
        assert list(again.missing_paths({"d": whole.paths})) == [("d", gone)]


@pytest.mark.parametrize(
    ("exclude", "document", "text"),
    [
        ("front", "<article><front><t>A</t></front><body><sec>one</sec></body></article>", "one"),
        (
            "teiHeader",
            '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>A</teiHeader><text>one</text></TEI>',
            "one",
        ),
        (
            "info",
            '<d:book xmlns:d="http://docbook.org/ns/docbook"><d:info>A</d:info>'
            "<d:chapter><d:info>B</d:info>one &e;</d:chapter></d:book>",
            "one \ufffc",
        ),
    ],
    ids=["JATS", "TEI", "DocBook"],
)
def test_formats_of_publishers(tmp_path: Path, exclude: str, document: str, text: str) -> None:
    root = document[1:].replace(">", " ").split(maxsplit=1)[0]
    document = f'<!DOCTYPE {root} [<!ENTITY e "x">]>{document}'
    (tmp_path / "d.xml").write_text(document, encoding="utf-8")
    assert Corpus(CorpusPath(str(tmp_path), exclude=[exclude])).tree("d").text == text


def test_a_root_cannot_be_removed(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<book>x</book>", encoding="utf-8")
    with pytest.raises(InputError, match=r"d\.xml: corpus\.exclude names the root <book>"):
        Corpus(CorpusPath(str(tmp_path), exclude=["book"])).tree("d")


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """Return a configuration: the paragraph is 3 of 8 characters, and the front matter is relevant."""
    (tmp_path / "corpus").mkdir()
    source = "<article><front>Front</front><body><p>one</p></body></article>"
    for name in ("d", "unjudged"):
        (tmp_path / "corpus" / f"{name}.xml").write_text(source, encoding="utf-8")
    gold = '{"topic": "1", "doc": "d", "start": %d, "end": %d, "level": 1}\n'
    (tmp_path / "gold.jsonl").write_text(gold % (0, 3) + gold % (3, 8), encoding="utf-8")
    path = '{"topic": "1", "doc": "d", "path": "%s", "level": 1}\n'
    (tmp_path / "front.jsonl").write_text(path % "/article[1]/front[1]", encoding="utf-8")
    run = "1 Q0 %s#%s %d %d r\n"
    body, front = "/article[1]/body[1]", "/article[1]/front[1]"
    (tmp_path / "run.txt").write_text(run % ("d", body, 1, 9), encoding="utf-8")
    (tmp_path / "bad.txt").write_text(run % ("unjudged", front, 1, 9), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        "corpus: {path: corpus, exclude: [front]}\nassessments: [gold.jsonl]\nruns: run.txt\n"
        "measures: iP@0\n",
        encoding="utf-8",
    )
    return tmp_path / "c.yaml"


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_offsets_count_the_remaining_text(campaign: Path, workers: str, xcg_command: Command) -> None:
    """Characters 0 to 2 of the remaining text are all of it; a passage of the old text is an error."""
    done = xcg_command("evaluate", campaign, "--workers", workers)
    assert done.returncode == 2
    assert "the passage 3–8: the document's text has 3 characters" in done.stderr
    gold = campaign.with_name("gold.jsonl")
    gold.write_text(gold.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    for _ in range(2):  # also with a cache
        done = xcg_command("evaluate", campaign, "--workers", workers, "--format", "csv")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[1].split(",")[3] == "1.0", done.stdout
        note = "corpus.exclude removes 1 element (front) from 1 of 1 document with assessments"
        assert note in done.stderr
    checked = xcg_command("check", campaign)
    assert "corpus.exclude removes 2 elements (front) from 2 of 2 documents" in checked.stderr


@pytest.mark.parametrize("options", [["--run", "bad.txt"], ["--assessments", "front.jsonl"]])
def test_data_that_name_a_removed_element_are_an_error(
    campaign: Path, options: list[str], xcg_command: Command
) -> None:
    folder = campaign.parent
    (folder / "gold.jsonl").write_text(
        (folder / "gold.jsonl").read_text("utf-8").split("\n")[0], "utf-8"
    )
    done = xcg_command("evaluate", campaign, *options, cwd=folder)
    assert done.returncode == 2
    message = "no element /article[1]/front[1]: corpus.exclude removes all 'front' elements"
    assert message in done.stderr
    assert message in xcg_command("check", campaign, *options, cwd=folder).stdout
