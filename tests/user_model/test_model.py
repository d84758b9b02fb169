"""User models: files, mappings, errors, and parts that are users' functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import xcg
from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment
from xcg.user_model.model import DEFAULT, UserModel, resolve_models, shipped_models


def test_sizes_in_assessments_replace_documents() -> None:
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


def test_shipped_models_load_under_the_name_of_their_file() -> None:
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
        ("name: m\nbse: levels", ":2: bse: unknown key: did you mean 'base'?"),
        ("name: m\nquantization: sog", ":2: quantization: unknown key: did you mean 'quantisation'?"),
        ("quantisation: sog", ":1: the key 'name' is missing"),
        (
            "name: m\nquantisation: sgo",
            ":2: quantisation: unknown quantisation 'sgo': did you mean 'sog'?",
        ),
        ("name: m\nquantisation: 3", ":2: quantisation: expected a name"),
        (
            "name: m\nideal: {name: kazai_lalmas, tye: deeper}",
            "no parameter 'tye': did you mean 'tie'?",
        ),
        ("name: m\nideal: {name: kazai_lalmas, tie: deep}", "tie is 'deep': did you mean 'deeper'?"),
        ("name: m\nideal: {name: full, tie: deeper}", "no parameter 'tie': it has no parameters"),
        (
            "name: m\nrelevance_value:\n  alpha: 1.5",
            ":3: relevance_value.alpha: expected a number from 0 to 1, found float 1.5",
        ),
        (
            "name: m\nrelevance_value:\n  alhpa: 1",
            ":3: relevance_value.alhpa: unknown key: did you mean",
        ),
        ("name: m\nrelevance_value: 1", ":2: relevance_value: expected keys with values, found int 1"),
        ("name: m\nquantisation: {table: {'3,3': 2}}", "the score of '3,3' is 2"),
        ("name: m\nquantisation: {table: {'4,3': 1}}", "illegal pair '4,3'"),
        ("name: m\nname: n", ":2: the key 'name' occurs twice"),
        ("name: [m", ": not valid YAML:"),
        ("- a\n- b", ": expected keys with values, found list"),
        ("", ": expected keys with values, found nothing"),
        ("name: m\nquantisation: no.such:thing", "cannot import the quantisation 'no.such:thing'"),
        (
            "name: m\nquantisation: math:sqrt",
            ":2: quantisation: the quantisation 'math:sqrt' is part of Python's standard library",
        ),
        ("name: !!python/object/apply:os.system ['true']", "is not allowed"),
    ],
)
def test_an_error_names_file_line_and_key(model_file: Path, text: str, message: str) -> None:
    model_file.write_text(text)
    with pytest.raises(XcgError) as raised:
        UserModel.load(model_file)
    assert str(raised.value).startswith(str(model_file))
    assert message in str(raised.value)


def test_yaml_that_expands_or_nests_deeply_is_refused(model_file: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    for text in ("\n".join(lines), "name: &a [*a]", "[" * 5000, "name: " + "[" * 100 + "]" * 100):
        model_file.write_text(text)
        with pytest.raises(XcgError, match=str(model_file)):
            UserModel.load(model_file)
    model_file.write_text("#" * (1 << 21))
    with pytest.raises(XcgError, match="larger than 1 MB"):
        UserModel.load(model_file)


def steeper(exhaustivity: float, specificity: float) -> float:
    return exhaustivity * specificity / 9


def test_a_part_is_a_function_named_by_module() -> None:
    model = UserModel.of({"name": "own", "quantisation": "test_model:steeper"})
    results = xcg.evaluate({"1": {"d": {"/a": (3, 2)}}}, {"r": {"1": ["d#/a"]}}, None, model, ["xCG@1"])
    assert results.value("r", "xCG@1") == pytest.approx(6 / 9)


@pytest.mark.parametrize(
    ("part", "function", "message"),
    [
        ("quantisation", lambda e, s: float("nan"), "gives nan for (3,3)"),
        ("quantisation", lambda e, s: 7, "gives 7.0 for (3,3)"),
        ("quantisation", lambda e, s: 1 / 0, "failed on (3,3): ZeroDivisionError"),
        ("ideal", lambda tree, scores: ["/nowhere[1]"], "selected '/nowhere[1]'"),
        ("ideal", lambda tree, scores: [0], "selected 0: expected paths of elements that score"),
        ("ideal", lambda tree, scores: 1 / 0, "failed: ZeroDivisionError"),
        ("ideal", lambda tree, scores: 5, "failed: TypeError"),
    ],
)
def test_an_error_in_a_part_names_user_model_topic_and_document(
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


def test_a_spec_is_a_name_a_file_a_mapping_or_a_model(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\nrelevance_value: {alpha: [0, 1]}")
    model = UserModel.shipped("overlap-off")
    assert resolve_models("overlap-off") == resolve_models(model) == [model]
    names = [found.name for found in resolve_models("mine.yaml", tmp_path)]
    assert names == ["mine[alpha=0]", "mine[alpha=1]"]
    assert [found.name for found in resolve_models({"name": "inline"})] == ["inline"]
    with pytest.raises(XcgError, match="illegal user model 3: expected a name, a file or a mapping"):
        resolve_models(3)


def test_a_model_inherits_the_keys_of_its_base(tmp_path: Path) -> None:
    rule = {"alpha": 0.25, "near_misses": {"name": "distance", "reach": 2}}
    of_gen = {"base": "kazai-lalmas-2006-gen", "relevance_value": rule, "name": "m"}
    gen, model = UserModel.shipped("kazai-lalmas-2006-gen"), UserModel.of(of_gen)
    assert (model.name, model.quantisation, model.effort) == ("m", gen.quantisation, gen.effort)
    assert model.relevance_value.alpha == 0.25
    assert str(model.relevance_value.near_misses) == "distance(reach=2)"
    (tmp_path / "parts.py").write_text("def half(exhaustivity, specificity):\n    return 0.5\n")
    (tmp_path / "base.yaml").write_text(
        "name: base\nquantisation: parts:half\nrelevance_value: {alpha: 0.5, normalisation: related}\n"
    )
    (tmp_path / "inner").mkdir()
    mine = tmp_path / "inner" / "mine.yaml"
    mine.write_text("base: ../base.yaml\nrelevance_value: {alpha: 1}\neffort: {unit: words}\n")
    model = UserModel.load(mine)
    assert (model.name, model.effort.unit) == ("base[alpha=1,unit=words]", "words")
    assert model.relevance_value.alpha == 1
    assert str(model.relevance_value.normalisation) == "related"
    assert model.quantisation.function(1, 1) == 0.5  # found in the folder of the base


def test_lists_of_values_in_a_model_or_its_base_are_several_models(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("name: m\neffort: {unretrieved: [uncredited, max]}\n")
    mapping = {"base": "overlap-off", "relevance_value": {"alpha": [0, 0.5]}}
    names = [model.name for model in resolve_models(mapping)]
    assert names == ["overlap-off[alpha=0]", "overlap-off[alpha=0.5]"]
    (tmp_path / "mine.yaml").write_text("base: base.yaml\nsize: [characters, words]\n")
    found = [(one.effort.unretrieved, one.size) for one in resolve_models("mine.yaml", tmp_path)]
    units = ("characters", "words")
    assert found == [(n, size) for n in ("uncredited", "max") for size in units]


@pytest.mark.parametrize(
    ("base", "content", "message"),
    [
        ("", "base: overlap-of", "m.yaml:1: base: unknown user model 'overlap-of': did you mean"),
        ("name: b\nbase: spans", "base: b.yaml", "m.yaml:1: base: {folder}/b.yaml has a base itself"),
        ("- a", "base: b.yaml", "m.yaml:1: base: {folder}/b.yaml is not a user model"),
        ("name: b\nsize: x", "base: b.yaml", "b.yaml:2: size: illegal value 'x'"),
        ("name: b\neffort:\n  unit: x", "base: b.yaml\neffort: {charge: whole}", "b.yaml:3: effort"),
        ("name: b", "base: b.yaml\neffort:\n  unit: x", "m.yaml:3: effort.unit: illegal value 'x'"),
    ],
)  # fmt: skip
def test_an_error_in_a_base_names_its_file(
    tmp_path: Path, base: str, content: str, message: str
) -> None:
    (tmp_path / "b.yaml").write_text(base)
    (tmp_path / "m.yaml").write_text(content)
    with pytest.raises(XcgError) as raised:
        UserModel.load(tmp_path / "m.yaml")
    assert message.replace("{folder}", str(tmp_path)) in str(raised.value)
    with pytest.raises(XcgError, match=r"user model: base: unknown user model 'overlap-of': did"):
        resolve_models({"base": "overlap-of"})


@pytest.mark.parametrize(
    ("mapping", "names"),
    [
        (
            {"base": "kazai-lalmas-2006", "relevance_value": {"alpha": 0.5}},
            ["kazai-lalmas-2006[alpha=0.5]"],
        ),
        (
            {"base": "overlap-off", "size": "words", "relevance_value": {"alpha": [0, 1]}},
            ["overlap-off[size=words][alpha=0]", "overlap-off[size=words][alpha=1]"],
        ),
        ({"base": "overlap-off", "name": "mine"}, ["mine"]),
        ({"base": "overlap-off"}, ["overlap-off"]),
    ],
)
def test_a_model_without_a_name_states_what_differs_from_its_base(
    mapping: dict[str, object], names: list[str]
) -> None:
    assert [model.name for model in resolve_models(mapping)] == names
