"""Functions that configurations name: in installed packages, and in files next to the configuration."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import xcg
from xcg.errors import XcgError
from xcg.plugins import NO_PLUGINS, load_function, without_plugins
from xcg.registry import FunctionRegistry, Part
from xcg.user_model.model import UserModel, resolve_models

STARTS = "def starts(text):\n    return [0]\n"
REFUSED = "is a plug-in: plug-ins are refused by --no-plugins or XCG_NO_PLUGINS"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder for installed packages that is on the Python path."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def install(packages: Path, name: str, code: str, **metadata: str) -> None:
    (packages / f"{name}.py").write_text(code)
    info = packages / f"{name}_dist-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-dist\nVersion: 1.0\n")
    (info / "RECORD").write_text(f"{name}.py,,\n{info.name}/METADATA,,\n")
    for file, text in metadata.items():
        (info / file.replace("__", ".")).write_text(text)


def model_with(folder: Path, tokenizer: str) -> Path:
    """Write a user model with a tokenizer, and return its file."""
    path = folder / "model.yaml"
    path.write_text(f"name: m\neffort: {{unit: tokens, tokenizer: {json.dumps(tokenizer)}}}\n")
    return path


def load(folder: Path, tokenizer: str) -> Part[Any]:
    return UserModel.load(model_with(folder, tokenizer)).effort.tokenizer


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("builtins:exec", "Python's standard library"),
        ("os:system", "Python's standard library"),
        ("posix:system", "Python's standard library"),
        ("os.path:basename", "Python's standard library"),
        ("subprocess:getoutput", "Python's standard library"),
        ("_frozen_importlib:__import__", "Python's standard library"),
        ("__hello__:main", "Python's standard library"),
        ("test.support:run_in_subinterp", "Python's standard library"),
        ("antigravity:fly", "Python's standard library"),
        ("yaml:unsafe_load", "pyyaml"),
        ("joblib:load", "joblib"),
        ("numpy:load", "numpy"),
        ("pandas:eval", "pandas"),
        ("pip._internal.utils.misc:rmtree", "pip"),
        ("xcg.cli.main:main", "xcg"),
    ],
)
@pytest.mark.parametrize("in_file", [True, False])
def test_functions_of_general_libraries_are_refused_and_not_imported(
    tmp_path: Path, name: str, owner: str, in_file: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xcg.plugins._imported", lambda *what: pytest.fail(f"imported {what}"))
    mapping = {"name": "m", "effort": {"tokenizer": name}}
    with pytest.raises(XcgError) as raised:
        resolve_models(model_with(tmp_path, name) if in_file else mapping)
    assert f": effort.tokenizer: the tokenizer {name!r} is part of {owner}" in str(raised.value)
    assert "expected a function that an installed package or a file next to the" in str(raised.value)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize(
    "code",
    [
        "from os import system as starts",
        "from subprocess import getoutput as starts",
        "starts = exec",
        "starts = [].append",
        "from yaml import unsafe_load as starts",
        "import functools, os\nstarts = functools.partial(os.system)",
        "import functools, os\nstarts = functools.cache(os.system)",
    ],
)
def test_a_function_that_a_module_only_imports_is_refused(
    tmp_path: Path, packages: Path, code: str
) -> None:
    install(packages, "re_exporter", code)
    (tmp_path / "neighbour.py").write_text(code)
    for module in ("re_exporter", "neighbour"):
        with pytest.raises(XcgError, match=f"the tokenizer '{module}:starts' is part of"):
            load(tmp_path, f"{module}:starts")


@pytest.mark.parametrize("code", ["starts = 1", "import os as starts"])
def test_an_object_that_is_no_function_is_refused(tmp_path: Path, code: str) -> None:
    (tmp_path / "neighbour.py").write_text(code)
    with pytest.raises(XcgError, match="the tokenizer 'neighbour:starts' is not a function"):
        load(tmp_path, "neighbour:starts")


@pytest.mark.parametrize(
    "name",
    [":", "a:", ":f", "a:b:c", "a.:f", ".a:f", "a b:f", "../a:f", "a:f()", "a/b:f", "a\0:f", "a:b.c"],
)
def test_a_name_that_is_no_module_and_function_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(XcgError, match=r"cannot import .*: expected package\.module:function"):
        load_function(name, "tokenizer", tmp_path)


@pytest.mark.parametrize("name", ["x" * 5000 + ":f", "x." * 20_000 + "x:f", "nowhere:f"])
def test_a_missing_module_is_one_message(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        XcgError, match="is next to the configuration, and no installed package has one"
    ):
        load_function(name, "tokenizer", tmp_path)
    with pytest.raises(XcgError, match="cannot import the tokenizer"):
        load_function(name, "tokenizer")


def test_an_installed_package_defines_functions(tmp_path: Path, packages: Path) -> None:
    install(packages, "installed_starts", STARTS)
    part = load(tmp_path, "installed_starts:starts")
    assert part.function is sys.modules["installed_starts"].starts
    assert pickle.loads(pickle.dumps(part)) == part


def test_an_installed_package_can_be_editable(tmp_path: Path, packages: Path) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    (project / "editable_starts.py").write_text(STARTS)
    sys.path.append(str(project))
    try:
        with pytest.raises(XcgError, match="no installed package has one"):
            load(tmp_path, "editable_starts:starts")
        source = {"dir_info": {"editable": True}, "url": project.as_uri()}
        install(packages, "unrelated", "", direct_url__json=json.dumps(source))
        assert load(tmp_path, "editable_starts:starts").function("text") == [0]
    finally:
        sys.path.remove(str(project))
        sys.modules.pop("editable_starts", None)


def test_a_configuration_cannot_name_other_modules_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``python -m xcg`` searches the working directory, but only programs can name its modules."""
    folder = tmp_path / "working directory"
    folder.mkdir()
    (folder / "loose_module.py").write_text(STARTS)
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(XcgError, match="no module loose_module is next to the configuration"):
        load(tmp_path, "loose_module:starts")
    assert "loose_module" not in sys.modules
    (model,) = resolve_models({"name": "m", "effort": {"tokenizer": "loose_module:starts"}})
    assert model.effort.tokenizer.function("text") == [0]
    del sys.modules["loose_module"]


def test_files_and_packages_next_to_a_configuration_define_functions(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("")
    (tmp_path / "own" / "tokens.py").write_text("from . import helper\nfrom .helper import starts\n")
    (tmp_path / "own" / "helper.py").write_text(STARTS)
    (tmp_path / "single.py").write_text("from .own.tokens import starts as imported\n" + STARTS)
    path = list(sys.path)
    for name in ("own.tokens:starts", "single:starts", "single:imported"):
        part = load(tmp_path, name)
        assert (str(part), part.function("text")) == (name, [0])
        assert copy.deepcopy(part) == part
    assert sys.path == path
    assert not {"own", "single"} & set(sys.modules)


def test_a_folder_of_documents_is_not_a_package(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "document.py").write_text("raise SystemExit('run')")
    with pytest.raises(XcgError, match="no module corpus is next to the configuration"):
        load(tmp_path, "corpus.document:f")


def test_files_next_to_a_configuration_replace_no_other_modules(tmp_path: Path) -> None:
    import numpy

    shadow = "raise SystemExit('a file next to the configuration was imported')\n"
    for name in ("json", "numpy", "colorsys", "xcg", "helper"):
        (tmp_path / f"{name}.py").write_text(shadow)
    code = "import colorsys, json, numpy, xcg\nversion = numpy.__version__\nxcg.XcgError\n"
    (tmp_path / "statistics.py").write_text(code + STARTS)
    part = load(tmp_path, "statistics:starts")  # not that of the standard library
    assert part.function.__globals__["version"] == numpy.__version__
    (tmp_path / "statistics2.py").write_text("import helper\n")
    with pytest.raises(XcgError, match=r"No module named 'helper'; .* by 'from \. import name'"):
        load(tmp_path, "statistics2:starts")


def test_files_of_the_same_name_in_two_folders_are_two_modules(tmp_path: Path) -> None:
    parts = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "mine.py").write_text(f"def starts(text):\n    return [{number}]\n")
        parts.append(load(folder, "mine:starts"))
    assert [part.function("") for part in parts] == [[1], [2]]
    assert [pickle.loads(pickle.dumps(part)).function("") for part in parts] == [[1], [2]]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def starts(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("from .nothing import starts", "ModuleNotFoundError: No module named 'nothing'"),
        ("", "AttributeError: module 'mine' has no attribute 'starts'"),
    ],
)
def test_an_error_in_a_file_is_one_message(tmp_path: Path, code: str, message: str) -> None:
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(XcgError) as raised:
        load(tmp_path, "mine:starts")
    where = f"{tmp_path / 'model.yaml'}:2: effort.tokenizer"
    expected = f"{where}: cannot import the tokenizer 'mine:starts': {message}"
    assert str(raised.value).startswith(expected)


def test_the_file_that_names_a_function_decides_the_folder(tmp_path: Path) -> None:
    for folder, number in ((tmp_path, 1), (tmp_path / "models", 2)):
        folder.mkdir(exist_ok=True)
        (folder / "mine.py").write_text(f"def starts(text):\n    return [{number}]\n")
    model_with(tmp_path / "models", "mine:starts")
    (tmp_path / "config.yaml").write_text(
        "user_model:\n- {name: inline, effort: {tokenizer: 'mine:starts'}}\n- models/model.yaml\n"
    )
    models = xcg.load(tmp_path / "config.yaml").inputs.user_models
    assert [model.effort.tokenizer.function("") for model in models] == [[1], [2]]


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """Return a folder with two runs and a user model whose functions have parameters."""
    (tmp_path / "mine.py").write_text(
        "from .constants import MOST\n"
        "def half(exhaustivity, specificity, *, share=1.0):\n"
        "    return share * exhaustivity * specificity / MOST\n"
    )
    (tmp_path / "constants.py").write_text("MOST = 9\n")
    (tmp_path / "model.yaml").write_text("name: m\nquantisation: {name: 'mine:half', share: 0.5}\n")
    record = {"topic": "1", "doc": "d", "path": "/a", "exhaustivity": 3, "specificity": 3}
    (tmp_path / "gold.jsonl").write_text(json.dumps(record))
    for run in "rs":
        (tmp_path / f"{run}.jsonl").write_text(json.dumps({"topic": "1", "doc": "d", "path": "/a"}))
    return tmp_path


FILES = (("assessments", "gold"), ("run", "r"), ("run", "s"))


def evaluate(xcg: Command, campaign: Path, *options: str, cwd: Path) -> tuple[int, str, str]:
    files = [f"--{kind}={campaign / file}.jsonl" for kind, file in FILES]
    others = (f"--user-model={campaign / 'model.yaml'}", "--measures=xCG@1", "--format=csv")
    done = xcg(*filter(None, options[:1]), "evaluate", *files, *others, *options[1:], cwd=cwd)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_command_uses_a_file_next_to_the_user_model(
    xcg_command: Command, campaign: Path, workers: str
) -> None:
    pytest.importorskip("joblib")
    done = evaluate(xcg_command, campaign, "", "--workers", workers, cwd=campaign.parent)
    assert done[0] == 0, done
    assert done[1].count(",0.5") == 2


@pytest.mark.parametrize("by", ["option", "environment"])
def test_no_plugins_refuses_functions_with_one_message(
    xcg_command: Command, campaign: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by == "environment":
        monkeypatch.setenv(NO_PLUGINS, "1")
    options = ["--no-plugins"] if by == "option" else []
    status, output, error = evaluate(xcg_command, campaign, *options, cwd=campaign)
    assert (status, output) == (2, "")
    where = f"{campaign / 'model.yaml'}:2: quantisation"
    assert error == f"xcg: error: {where}: the quantisation 'mine:half' {REFUSED}\n"
    if by != "environment":  # the option applies to one call only
        assert evaluate(xcg_command, campaign, cwd=campaign)[0] == 0


def test_no_plugins_refuses_what_installed_packages_add(packages: Path) -> None:
    install(
        packages,
        "adds_starts",
        STARTS,
        entry_points__txt="[xcg.tokenizer]\nmy_starts = adds_starts:starts\n",
    )
    registry: FunctionRegistry[Any] = FunctionRegistry("tokenizer", "xcg.tokenizer")
    assert registry.part("my_starts").function("text") == [0]
    with without_plugins():
        assert "my_starts" not in registry
        assert list(registry) == []
        with pytest.raises(
            XcgError, match=f"the tokenizer 'my_starts' of an installed package {REFUSED}"
        ):
            registry.part("my_starts")
        with pytest.raises(XcgError, match="unknown tokenizer 'my_start'"):
            registry.part("my_start")
    assert "my_starts" in registry


def test_no_plugins_keeps_what_xcg_itself_adds_and_functions_of_a_program() -> None:
    from xcg.runs.chunk_adapters import ADAPTERS

    def score(exhaustivity: float, specificity: float) -> float:
        return 0.25

    with without_plugins():
        assert {"haystack", "langchain", "llama_index"} <= set(ADAPTERS)
        gold, runs = {"1": {"d": {"/a": (3, 2)}}}, {"r": {"1": ["d#/a"]}}
        model = {"name": "own", "quantisation": score}
        assert xcg.evaluate(gold, runs, None, model, ["xCG@1"]).value("r", "xCG@1") == 0.25


def test_study_laws_finds_a_function_in_the_working_directory(
    xcg_command: Command, tmp_path: Path
) -> None:
    (tmp_path / "laws_of_mine.py").write_text("def zero(topic):\n    return 0\n")
    options = ("--set", "study.laws.examples=5", "--set", "study.laws.law=boundedness")
    arguments = ("study", "laws", "--measure", "laws_of_mine:zero", *options)
    done = xcg_command("--no-plugins", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"xcg: error: the measure 'laws_of_mine:zero' {REFUSED}\n",
    )
    assert xcg_command(*arguments, cwd=tmp_path).returncode == 0
