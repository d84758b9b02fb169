"""The bibliography is complete and correct BibTeX, and all definitions refer to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml
from conftest import ROOT

from xcg.errors import XcgError
from xcg.measures import MEASURES
from xcg.report.citations import bibliography, entries_of
from xcg.report.listings import REGISTRIES
from xcg.strategies.registry import STRATEGIES

REQUIRED = {
    "article": ("author", "title", "journal", "year"),
    "book": ("author", "title", "publisher", "year"),
    "incollection": ("author", "title", "booktitle", "publisher", "year"),
    "inproceedings": ("author", "title", "booktitle", "year"),
    "misc": ("title", "howpublished"),
    "phdthesis": ("author", "title", "school", "year"),
    "techreport": ("author", "title", "institution", "year"),
}


def declared() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield name, references and source of every definition of xcg."""
    for definition in MEASURES.values():
        yield definition.name, definition.references, definition.source
        if definition.with_cutoff is not None:
            other = definition.with_cutoff
            yield f"{other.name} with a cutoff", other.references, other.source
    for registry in (*REGISTRIES.values(), STRATEGIES):
        for name in registry:
            documented = registry.get(name).__doc__ or ""
            references = getattr(registry.get(name), "references", ())
            yield f"{registry.kind} {name}", references, documented


@pytest.mark.parametrize("key", bibliography())
def test_an_entry_has_the_fields_of_its_type(key: str) -> None:
    entry = bibliography()[key]
    assert {*REQUIRED[entry.kind]} <= {*entry.fields}, key
    assert re.fullmatch("[a-z0-9-]+", entry.key)
    for name, value in entry.fields.items():
        assert value, name
        assert value.isascii(), name
        assert value.count("{") == value.count("}")
    assert re.fullmatch("10[.][0-9]{4}/[^ ]+", entry.fields.get("doi", "10.1234/none"))
    assert re.fullmatch("[0-9:]+(--[0-9:]+)?", entry.fields.get("pages", "1"))
    assert re.fullmatch("(19|20)[0-9]{2}", entry.fields.get("year", "2000"))


def test_keys_are_unique_and_sorted() -> None:
    text = (ROOT / "xcg" / "report" / "references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE)
    assert keys == sorted(set(keys)) == list(bibliography())


def test_every_reference_is_in_the_bibliography() -> None:
    for _name, references, _source in declared():
        entries_of(references)


def test_every_entry_is_cited() -> None:
    cited = {key for _, references, _ in declared() for key in references}
    assert {*bibliography()} - cited == {"xcg"}


def test_a_definition_with_a_paper_as_its_source_has_references() -> None:
    paper = re.compile(r"(Kazai|Lalmas|Järvelin|Sakai|Clarke|Scheel|INEX)\b[^;]*(19|20)\d\d")
    without = [
        name for name, references, source in declared() if paper.search(source) and not references
    ]
    # These mention a paper that argues against them, or whose task they name.
    assert without == ["overlap model new_characters"]


def test_the_entry_of_the_paper_is_that_of_the_publisher() -> None:
    entry = bibliography()["kazai-lalmas-2006"]
    assert entry.text == (
        "Gabriella Kazai and Mounia Lalmas (2006). eXtended Cumulated Gain Measures for the Evaluation "
        "of Content-Oriented XML Retrieval. ACM Transactions on Information Systems 24(4), 503–542."
    )


@pytest.mark.parametrize(
    ("key", "text", "link"),
    [
        (
            "kekalainen-jarvelin-2002",
            "Jaana Kekäläinen and Kalervo Järvelin (2002). Using Graded Relevance Assessments in "
            "IR Evaluation. Journal of the American Society for Information Science and Technology "
            "53(13), 1120–1129.",
            "https://doi.org/10.1002/asi.10137",
        ),
        (
            "rocchio-1966",
            "Joseph J. Rocchio (1966). Document Retrieval Systems: Optimization and Evaluation. Ph.D. "
            "thesis, Harvard University.",
            "",
        ),
        (
            "trec-eval",
            "National Institute of Standards and Technology. trec_eval. Software.",
            "https://github.com/usnistgov/trec_eval",
        ),
    ],
)
def test_an_entry_as_text(key: str, text: str, link: str) -> None:
    entry = bibliography()[key]
    assert (entry.text, entry.link) == (text, link)


def test_the_entries_are_those_of_the_citation_file() -> None:
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    own = bibliography()["xcg"]
    assert own.plain("title").lower() == stated["title"].lower()
    assert own.plain("author") == stated["authors"][0]["name"]
    assert own.fields["year"] == str(stated.get("date-released", 2026))[:4]
    by_title = {entry.plain("title").lower(): entry for entry in bibliography().values()}
    for reference in stated["references"]:
        entry = by_title[reference["title"].lower()]
        for name, key in (("volume", "volume"), ("issue", "number"), ("year", "year")):
            assert str(reference[name]) == entry.fields[key]
        assert entry.fields["pages"] == f"{reference['start']}--{reference['end']}"


def test_a_plug_in_can_give_a_whole_entry() -> None:
    text = '@Article{own,\n title = "A {T}, with comma",\n author={{A Group}},\n year = 2020\n}'
    (entry,) = entries_of([text])
    assert (entry.key, entry.kind, entry.bibtex) == ("own", "article", text)
    assert entry.fields == {"title": "A {T}, with comma", "author": "{A Group}", "year": "2020"}
    assert entry.text.startswith("A Group (2020). A T, with comma.")


def test_an_entry_is_returned_once() -> None:
    assert len(entries_of(["sakai-2004", "kazai-lalmas-2006", "sakai-2004"])) == 2


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("kazai-lalmas-206", "did you mean 'kazai-lalmas-2006'?"),
        ("@article{}", "illegal BibTeX entry"),
        ("@article{a, title = {T}", "illegal BibTeX entry"),
        ("@article{a, title = {T}} and more", "illegal BibTeX entry"),
    ],
)
def test_an_illegal_reference_is_one_error(reference: str, message: str) -> None:
    with pytest.raises(XcgError) as error:
        entries_of([reference])
    assert message in str(error.value)
