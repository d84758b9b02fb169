"""Names of measures: what is legal, what errors state, and which names were changed."""

from __future__ import annotations

import ir_measures
import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import XcgError
from xcg.measures import MEASURES, Measure


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("nxCG@10", "nxCG@10"),
        (" nxCG @ 010 ", "nxCG@10"),
        ("ep@.1", "ep@0.1"),
        ("ep@1.0", "ep@1"),
        ("ep(interpolation=linear)@0.1", "ep(interpolation=linear)@0.1"),
        ("MAep(unretrieved='max')", "MAep(unretrieved=max)"),
        ("MAep(unretrieved=max, interpolation=linear)", "MAep(interpolation=linear,unretrieved=max)"),
        ("MAep()", "MAep"),
        ("MAnxCG@1000000", "MAnxCG@1000000"),
    ],
)
def test_a_printed_name_parses_to_the_same_measure(written: str, printed: str) -> None:
    measure = MEASURES.parse(written)
    assert str(measure) == printed
    assert MEASURES.parse(printed) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nxGC@10", "unknown measure 'nxGC': did you mean 'nxCG'?"),
        ("MAeep", "unknown measure 'MAeep': did you mean 'MAep'?"),
        ("nxCG", "nxCG lacks its cutoff: expected a rank from 1, like nxCG@10"),
        ("nxCG@1.5", "nxCG@1.5: expected a rank"),
        ("nxCG@1000000000", "nxCG@1000000000: the highest rank is 999,999,999"),
        (
            "P@" + "9" * 5000,
            "9999999999' is not a measure: expected one like nxCG@10",
        ),
        ("ep@" + "9" * 900 + "x", "expected a recall point"),
        (
            "nxCG" + " " * 1000 + "x",
            "at most 1,000 characters",
        ),
        ("nxDCG(base=inf)@3", "nxDCG: illegal base 'inf': expected a number above 1"),
        ("xAP(threshold=1e999)", "xAP: illegal threshold '1e999': expected a number from 0"),
        ("xDCG(base=1_0)@3", "xDCG: illegal base '1_0': expected a number above 1"),
        ("AP(rel=\u0662)", "AP: illegal rel '\u0662': expected a whole number from 1"),
        ("RBP(p=.8_0)", "RBP: illegal p '.8_0': expected"),
        ("nDCG@1_0", "nDCG@1_0: expected a rank from 1"),
        ("nDCG@\u0663", "nDCG@\u0663: expected a rank from 1"),
        ("ep@0", "ep@0: expected a recall point above 0 and at most 1"),
        ("MAep@10", "MAep takes no cutoff"),
        ("MAep(unretreived=max)", "no parameter 'unretreived': did you mean 'unretrieved'?"),
        ("MAep(unretrieved=maximum)", "illegal unretrieved 'maximum'"),
        ("MAep(unretrieved=max,unretrieved=max)", "is given twice"),
        ("R(x=1)", "R has no parameter 'x': it takes none"),
        ("", "is not a measure"),
    ],
)
def test_an_illegal_name_is_an_error_that_states_what_is_legal(text: str, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        MEASURES.parse(text)
    assert message in str(raised.value)


@given(st.text(max_size=30))
def test_any_text_is_a_measure_or_an_xcg_error(text: str) -> None:
    try:
        assert isinstance(MEASURES.parse(text), Measure)
        assert all(isinstance(measure, Measure) for measure in MEASURES.parse_all(text))
    except XcgError:
        pass


def test_a_list_keeps_its_order_and_drops_repetitions() -> None:
    names = map(str, MEASURES.parse_all("MAep, nxCG@10\n MAep ep(interpolation=linear)@0.1"))
    assert list(names) == ["MAep", "nxCG@10", "ep(interpolation=linear)@0.1"]
    with pytest.raises(XcgError, match="no measures"):
        MEASURES.parse_all(" ")


def test_standard_names_mean_the_standard_measures_only() -> None:
    for name in ("nDCG@10", "nDCG", "AP", "AP(rel=2)", "MAP@5", "R@10", "P@3", "NDCG"):
        assert MEASURES.parse(name).definition.needs == "levels"
    for name in ("R", "nxDCG@10", "nxDCG", "xAP", "xDCG(base=2)@3"):
        assert MEASURES.parse(name).definition.needs == "gains"


def test_every_name_of_ir_measures_is_known(xcg_command: Command) -> None:
    """Each is listed and explained, but for those of which a message names the command."""
    left = {"Accuracy", "BPM", "Compat", "alpha_DCG", "nERR_IA", "nNRBP"}
    listed = xcg_command("list", "measures").stdout
    for written, measure in ir_measures.measures.registry.items():
        if type(measure).__module__.startswith("xcg"):
            continue  # xcg's own measures, if another test has imported the adapter
        name = written.replace("α", "alpha")
        if name in left:
            with pytest.raises(XcgError, match=f"ir_measures QRELS RUN {name}"):
                MEASURES.parse(name)
            continue
        assert MEASURES.knows(name), name
        assert name in listed, name
        (found, *_) = MEASURES.definitions(name)
        assert found.title in listed


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hit_rate", "did you mean 'Success@5'?"),
        ("HitRate@3", "did you mean 'Success@5'?"),
        ("recall@5", "did you mean 'R@5'?"),
        ("context_recall", "did you mean 'SpanRecall(budget=tokens)@1000'?"),
        ("context_precision", "did you mean 'AP'?"),
        ("NonLLMContextPrecisionWithReference", "did you mean 'AP'?"),
        ("context_relevancy", "did you mean 'SpanPrecision(budget=tokens)@1000'?"),
        ("IoU", "did you mean 'SpanIoU@5'?"),
        ("F1@5", "did you mean 'SpanF@5'?"),
        ("ndcg@10", "did you mean 'nDCG@5'?"),
        ("faithfulness", "it judges the answer of a language model"),
    ],
)
def test_names_of_other_tools_are_answered_with_a_measure_and_its_difference(
    name: str, hint: str
) -> None:
    with pytest.raises(XcgError) as raised:
        MEASURES.parse(name)
    message = str(raised.value)
    assert hint in message
    if "'?" in hint:
        assert MEASURES.parse(hint.split("'")[1])
        assert len(message.partition("'? ")[2]) > 20


def test_both_meanings_of_r_are_explained(xcg_command: Command) -> None:
    text = xcg_command("list", "measures", "R").stdout
    assert "R: Sakai's R-measure on element gains" in text
    assert "R@10: recall at a rank" in text
    assert xcg_command("list", "measures", "R@5").stdout.startswith("R@10: recall at a rank")
    assert xcg_command("list", "measures", "μAP").stdout.startswith("muAP: μAP, average precision")


def test_two_measures_cannot_have_one_name() -> None:
    definition = MEASURES.definition("nxCG")
    assert MEASURES.add(definition.name, definition) is definition
    with pytest.raises(ValueError, match="the measure 'nxCG' is already registered"):
        MEASURES.add("nxCG", MEASURES.definition("xCG"))


def test_no_alias_is_the_name_of_another_measure() -> None:
    assert list(MEASURES)  # imports all definitions
    aliases = [(alias, name) for name, found in MEASURES._objects.items() for alias in found.aliases]
    others = [(alias, name) for alias, name in aliases if alias in MEASURES._objects and alias != name]
    assert not others
