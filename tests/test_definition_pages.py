"""The reference pages that the manual makes from the registries."""

from __future__ import annotations

import re
import sys

import pytest
from conftest import ROOT

from xcg.measures import MEASURES
from xcg.measures.definition import Definition
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.model import shipped_models
from xcg.user_model.near_misses import NEAR_MISSES

pytest.importorskip("sphinx")
sys.path.insert(0, str(ROOT / "docs" / "extensions"))

import definitions
from measure_meanings import FORMULAS, MEANINGS

PLUG_IN = Definition(
    name="firstGain",
    title="first gain",
    formula="firstGain = G[1]",
    source="this test",
    example="gains 0.5, 1: firstGain = 0.5",
    compute=lambda topic, cutoff, parameters: float(topic.gains[0]),
    references=("@misc{own,\n  title = {Own},\n}",),
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return file → page; a plug-in adds a measure."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "stale.md").write_text("a page of an earlier build")
    MEASURES.add("firstGain", PLUG_IN)
    try:
        pages = definitions.write_pages(folder)
    finally:
        del MEASURES._objects["firstGain"]
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")} == {*pages}
    return pages


def test_every_measure_has_a_page_and_a_row(pages: dict[str, str]) -> None:
    overview = pages["measures/index.md"]
    for name in MEASURES:
        file = definitions.page_of(name)
        page = pages[f"measures/{file}"]
        assert f"({file})" in overview
        assert page.startswith("# ")
        for heading in ("## Caveats", "## Example", "## Source"):
            assert heading in page, name
        assert "--bibtex" in page


def test_files_differ_if_letter_case_is_ignored(pages: dict[str, str]) -> None:
    assert len({name.lower() for name in pages}) == len(pages)


def test_every_part_model_and_strategy_has_a_section(pages: dict[str, str]) -> None:
    for registry, kind in definitions.KINDS:
        headings = re.findall("^## (.*)$", pages[f"{kind.page}.md"], re.MULTILINE)
        assert headings == [name.replace("_", r"\_") for name in registry]
    assert re.findall("^## (.*)$", pages["user-models.md"], re.MULTILINE) == [*shipped_models()]
    sections = re.findall("^## (.*)$", pages["strategies.md"], re.MULTILINE)
    assert sections == [name.replace("_", r"\_") for name in STRATEGIES]


def test_a_measure_of_a_plug_in_gets_a_page(pages: dict[str, str]) -> None:
    page = pages["measures/firstgain.md"]
    assert page.startswith("# firstGain: first gain\n")
    assert "reverse_ideal  1.0000\nrel_leaves     1.0000\n" not in page
    assert "$ xcg evaluate configs/kazai-lalmas-2006.yaml --measures firstGain\nrun " in page
    assert "this test.\n\nPublished in:\n\n- Own.\n" in page
    assert "## Measures of other packages" in pages["measures/index.md"]


def test_values_are_those_of_the_paper(pages: dict[str, str]) -> None:
    table = (
        r"ideal          1.0000\nfrb            1.0000\nreverse_ideal  0.7500\nrel_leaves     0.6333\n"
    )
    assert re.search(table, pages["measures/maep.md"])


def test_the_table_of_a_quantisation_has_its_scores(pages: dict[str, str]) -> None:
    assert "| e = 2 | 0 | 0.1 | 0.5 | 0.9 |" in pages["quantisations.md"]
    assert "| gain | 0 | 1 | 10 | 100 |" in pages["quantisations.md"]


_TITLED = {"SetP", "SetR", "SetAP", "SetF", "infAP", "Judged", "RBP", "ERR", "SDCG", "INSQ", "INST"}
_TITLED |= {f"NERR{number}" for number in (8, 9, 10, 11)}


def test_every_measure_of_xcg_has_a_family_and_a_sentence() -> None:
    own = {*MEASURES}
    members = [name for names in definitions.FAMILIES.values() for name in names]
    assert sorted(members) == sorted(own)
    unexplained = own - MEANINGS.keys()  # their titles say it all
    assert unexplained <= {
        *definitions.FAMILIES["Further measures of trec_eval"],
        *_TITLED,
        *definitions.FAMILIES["Nuggets"],
    }
    assert {*MEANINGS} <= own
    assert {*FORMULAS} <= own


@pytest.mark.parametrize("field", ["title", "formula", "range", "source", "example"])
def test_a_measure_without_a_declaration_has_no_page(field: str) -> None:
    declared = {name: getattr(PLUG_IN, name) for name in ("title", "formula", "source", "example")}
    incomplete = Definition(name="m", compute=PLUG_IN.compute, **{**declared, field: " "})
    with pytest.raises(ValueError, match=f"the measure m declares no {field}"):
        definitions.check_complete(incomplete)


def test_a_part_without_a_docstring_has_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(tree: object, ideal: str, ideals: object, *, reach: int = 1) -> dict[str, float]:
        return {}

    monkeypatch.setitem(NEAR_MISSES._objects, "nothing", nothing)
    kind = next(kind for registry, kind in definitions.KINDS if registry is NEAR_MISSES)
    with pytest.raises(ValueError, match="the near-miss model nothing has no docstring"):
        definitions.part_page(NEAR_MISSES, kind)
    nothing.__doc__ = "Reward nothing."
    with pytest.raises(ValueError, match="nothing does not describe reach"):
        definitions.part_page(NEAR_MISSES, kind)
