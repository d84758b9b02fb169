"""User models and configurations: what is legal, and what every mistake is answered with."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml

import xcg
from xcg.errors import XcgError
from xcg.evaluation.config import load_configuration
from xcg.judgements.recall_base import Assessment
from xcg.user_model.model import DEFAULT, UserModel, shipped_models
from xcg.user_model.quantisation import (
    QUANTISATIONS,
    gen,
    inex2002_gen,
    inex2002_strict,
    quantise,
    sog,
    strict,
)


def test_the_tables_of_the_paper() -> None:
    by_hand = {  # (e, s): strict, gen, sog
        (0, 0): (0, 0, 0),
        (1, 1): (0, 0.25, 0.1),
        (1, 2): (0, 0.25, 0.25),
        (1, 3): (0, 0.5, 0.75),
        (2, 1): (0, 0.5, 0.1),
        (2, 2): (0, 0.5, 0.5),
        (2, 3): (0, 0.75, 0.9),
        (3, 1): (0, 0.75, 0.25),
        (3, 2): (0, 0.75, 0.75),
        (3, 3): (1, 1, 1),
    }
    for (e, s), scores in by_hand.items():
        assert (strict(e, s), gen(e, s), sog(e, s)) == scores


def test_the_tables_of_2002() -> None:
    scores = {"3E": 1, "2E": 0.75, "3L": 0.75, "1E": 0.5, "2L": 0.5, "2S": 0.5, "1S": 0.25, "1L": 0.25}
    for relevance, coverage in itertools.product("123", "ELS"):
        pair = relevance + coverage
        assert inex2002_gen(float(relevance), coverage) == scores.get(pair, 0)
        assert inex2002_strict(float(relevance), coverage) == (pair == "3E")
    assert inex2002_gen(0, "N") == 0


def test_a_table_is_for_its_scale() -> None:
    grades = {
        "four-point": Assessment(2.0, 1.0),
        "coverage": Assessment(3.0, "E", scale="coverage"),
        "share": Assessment(2.0, 1.0, 40, "share"),
    }
    for name in QUANTISATIONS:
        part = QUANTISATIONS.part(name)
        own = part.function.scale  # type: ignore[attr-defined]
        for scale, assessment in grades.items():
            if scale == own:
                assert 0 <= quantise(part, assessment) <= 1
            else:
                with pytest.raises(XcgError, match="choose one for the scale of these assessments"):
                    quantise(part, assessment)


def test_the_formulas_of_2005_and_2006() -> None:
    by_hand = {  # (e, s): strict, gen, genlifted of 2005; strict, gen of 2006
        (2, 1.0): (1, 1, 1, 1, 1),
        (2, 0.5): (0, 0.5, 0.5, 0, 0.5),
        (1, 1.0): (0, 0.5, 2 / 3, 1, 1),
        (1, 0.3): (0, 0.15, 0.2, 0, 0.3),
        (0, 0.6): (0, 0, 0.2, 0, 0.6),
    }
    names = ["inex2005_strict", "inex2005_gen", "inex2005_genlifted", "inex2006_strict", "inex2006_gen"]
    for (e, s), scores in by_hand.items():
        found = [quantise(QUANTISATIONS.part(n), Assessment(float(e), s, 9, "share")) for n in names]
        assert found == pytest.approx(list(scores))


def test_sizes_in_assessments_stand_in_for_documents() -> None:
    # INEX 2005: the section of 100 after its paragraph of 60 keeps .4 · 40/100 of its other paragraph.
    grades = {
        "/s": Assessment(2.0, 0.7, 100, "share"),
        "/s/p[1]": Assessment(2.0, 1.0, 60, "share"),
        "/s/p[2]": Assessment(2.0, 0.4, 40, "share"),
    }
    model = {
        "name": "2005",
        "quantisation": "inex2005_gen",
        "ideal": "full",
        "relevance_value": {"normalisation": "none"},
    }
    runs = {"r": {"1": ["d#/s/p[1]", "d#/s"]}}
    results = xcg.evaluate({"1": {"d": grades}}, runs, None, model, ["xCG@1", "xCG@2"])
    assert results.value("r", "xCG@1") == 1.0
    assert results.value("r", "xCG@2") == pytest.approx(1 + 0.4 * 40 / 100)


def test_shipped_models_are_files_that_load_under_their_name() -> None:
    assert set(shipped_models()) >= {
        "kazai-lalmas-2006",
        "kazai-lalmas-2006-strict",
        "kazai-lalmas-2006-gen",
        "overlap-off",
    }
    for name in shipped_models():
        assert UserModel.shipped(name).name == name
    assert UserModel.of({"name": DEFAULT}) == UserModel.shipped(DEFAULT)


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    return tmp_path / "model.yaml"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: m\nquantization: sog", ":2: quantization: unknown key: did you mean 'quantisation'?"),
        ("quantisation: sog", ":1: the key 'name' is missing"),
        (
            "name: m\nquantisation: sgo",
            ":2: quantisation: unknown quantisation 'sgo': did you mean 'sog'?",
        ),
        ("name: m\nquantisation: 3", ":2: quantisation: expected a name"),
        ("name: m\nideal: kazai", ":2: ideal: unknown ideal 'kazai': did you mean 'kazai_lalmas'?"),
        (
            "name: m\nideal: {name: kazai_lalmas, tye: deeper}",
            "no parameter 'tye': did you mean 'tie'?",
        ),
        ("name: m\nideal: {name: kazai_lalmas, tie: deep}", "tie is 'deep': did you mean 'deeper'?"),
        ("name: m\nideal: {name: full, tie: deeper}", "no parameter 'tie': it has no parameters"),
        ("name: m\nrelevance_value:\n  alpha: 1.5", ":3: relevance_value.alpha: illegal value 1.5"),
        ("name: m\nrelevance_value:\n  alpha: .nan", ":3: relevance_value.alpha: illegal value nan"),
        ("name: m\nrelevance_value:\n  alpha: yes", ":3: relevance_value.alpha: illegal value True"),
        ("name: m\nrelevance_value:\n  alpha: high", ":3: relevance_value.alpha: illegal value 'high'"),
        (
            "name: m\nrelevance_value:\n  alhpa: 1",
            ":3: relevance_value.alhpa: unknown key: did you mean",
        ),
        ("name: m\nrelevance_value: 1", ":2: relevance_value: expected a dictionary"),
        ("name: m\nrelevance_value: {normalisation: tree}", "did you mean 'subtree'?"),
        ("name: m\nrelevance_value: {near_misses: exakt}", "did you mean 'exact'?"),
        ("name: m\nsize: letters", ":2: size: illegal value 'letters'"),
        ("name: m\neffort: {interpolation: liner}", "did you mean 'linear'?"),
        ("name: m\nquantisation: {table: {'3,3': 2}}", "the score of '3,3' is 2"),
        ("name: m\nquantisation: {table: {'4,3': 1}}", "illegal pair '4,3'"),
        ("name: m\nquantisation: {table: {'x': 1}}", "illegal pair 'x'"),
        ("name: m\nquantisation: {table: {'3,3': one}}", "expected a number"),
        ("name: m\nquantisation: {table: {}}", "expected {table:"),
        ("name: m\nname: n", ":2: the key 'name' occurs twice"),
        ("name: [m", ": not valid YAML:"),
        ("- a\n- b", ": expected keys with values, found list"),
        ("", ": expected keys with values, found nothing"),
        ("name: m\nquantisation: no.such:thing", "cannot import the quantisation 'no.such:thing'"),
        ("name: m\nquantisation: math:pi", "is not a function"),
        ("name: !!python/object/apply:os.system ['true']", "is not allowed"),
    ],
)
def test_every_mistake_names_file_line_and_key(model_file: Path, text: str, message: str) -> None:
    model_file.write_text(text)
    with pytest.raises(XcgError) as raised:
        UserModel.load(model_file)
    assert str(raised.value).startswith(str(model_file))
    assert message in str(raised.value)


def test_yaml_that_multiplies_or_nests_is_refused(model_file: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    for text in ("\n".join(lines), "name: &a [*a]", "[" * 5000, "name: " + "[" * 100 + "]" * 100):
        model_file.write_text(text)
        with pytest.raises(XcgError, match=str(model_file)):
            UserModel.load(model_file)
    model_file.write_text("#" * (1 << 21))
    with pytest.raises(XcgError, match="larger than 1 MB"):
        UserModel.load(model_file)


def test_a_table_of_the_users_own() -> None:
    model = UserModel.of({"name": "mine", "quantisation": {"table": {"3,3": 1, "2,3": 0.8}}})
    results = xcg.evaluate(
        {"1": {"d": {"/a": (2, 1), "/a/b": (2, 3)}}},
        {"r": {"1": ["d#/a", "d#/a/b"]}},
        user_model=model,
        measures=["xCG@1", "nxCG@2"],
    )
    assert results.value("r", "xCG@1") == 0  # (2,1) is not in the table
    assert results.value("r", "nxCG@2") == 0  # and after it the ideal /a/b is fully seen


def steeper(exhaustivity: float, specificity: float) -> float:
    return exhaustivity * specificity / 9


def test_functions_of_the_users_own_by_name() -> None:
    model = UserModel.of({"name": "own", "quantisation": "test_user_models:steeper"})
    results = xcg.evaluate({"1": {"d": {"/a": (3, 2)}}}, {"r": {"1": ["d#/a"]}}, None, model, ["xCG@1"])
    assert results.value("r", "xCG@1") == pytest.approx(6 / 9)


@pytest.mark.parametrize(
    ("part", "function", "message"),
    [
        ("quantisation", lambda e, s: float("nan"), "gives nan for (3,3)"),
        ("quantisation", lambda e, s: 7, "gives 7.0 for (3,3)"),
        ("quantisation", lambda e, s: 1 / 0, "failed on (3,3): ZeroDivisionError"),
        ("ideal", lambda tree, scores: ["/nowhere[1]"], "selected '/nowhere[1]'"),
        ("ideal", lambda tree, scores: 1 / 0, "failed: ZeroDivisionError"),
        ("ideal", lambda tree, scores: 5, "failed: TypeError"),
    ],
)
def test_a_failing_part_is_named_with_topic_and_document(
    part: str, function: object, message: str
) -> None:
    with pytest.raises(XcgError) as raised:
        xcg.evaluate(
            {"1": {"d": {"/a": (3, 3)}}},
            {"r": {"1": ["d#/a"]}},
            user_model={"name": "own", part: function},
        )
    assert "user model own, topic 1, d: " in str(raised.value)
    assert message in str(raised.value)


def configure(folder: Path, **changes: object) -> Path:
    content: dict[str, object] = {"assessments": "a", "runs": ["r"], "measures": ["MAep"]}
    content.update(changes)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine")
    path = configure(
        tmp_path, corpus="c", user_model=["overlap-off", "mine.yaml", {"name": "inline"}], ties="rank"
    )
    configuration = load_configuration(path)
    assert configuration.corpus == tmp_path / "c"
    assert configuration.assessments == [tmp_path / "a"]
    assert [model.name for model in configuration.user_models] == ["overlap-off", "mine", "inline"]
    assert configuration.ties == "rank"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpse": "c"}, "corpse: unknown key: did you mean 'corpus'?"),
        ({"measures": ["MAepp"]}, "measures[0]: unknown measure 'MAepp': did you mean 'MAep'?"),
        ({"measures": [3]}, "measures[0]: expected text"),
        ({"measures": []}, "measures: expected a list"),
        ({"topics": {"unanswered": "none"}}, "topics.unanswered: illegal value 'none'"),
        ({"topics": {"missing": "zero"}}, "topics.missing: unknown key"),
        ({"user_model": "kazai-lalmas-2005"}, "user_model: unknown user model"),
        ({"user_model": {"name": "m", "size": "x"}}, "user_model.size: illegal value 'x'"),
        ({"user_model": [{"name": "m", "sise": "x"}]}, "user_model[0].sise: unknown key"),
        ({"user_model": "none.yaml"}, "none.yaml: cannot read"),
        ({"runs": 7}, "runs: expected text"),
        ({"ties": "random"}, "ties: illegal value 'random'"),
    ],
)
def test_mistakes_in_configurations(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    path = configure(tmp_path, **changes)
    with pytest.raises(XcgError) as raised:
        load_configuration(path)
    assert message in str(raised.value)
    assert str(tmp_path) in str(raised.value)
