"""Check the public names of xcg, and the installed package."""

from __future__ import annotations

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from installation import Installation

import xcg

NAMES = sorted(xcg.__all__)
RETURNED_BY = {"Answer": xcg.Campaign.compare, "Comparison": xcg.Campaign.compare}
"""Classes that users do not create: the examples are in the functions that return them."""

USER_SCRIPT = """
import xcg
from xcg.measures import MEASURES, Measure
from xcg.testing import assert_retrieval

gold = {"1": {"bees": [(0, 11)]}}
runs: xcg.Run = xcg.Run.of("bm25", {"1": ["bees"]})
results: xcg.Results = xcg.evaluate(gold, runs, {"bees": "Bees dance."}, measures="nxCG@1 MAep")
value: float = results.value("bm25", "MAep")
measure: Measure = MEASURES.parse("MAep")
print(value, results.value("bm25", measure))
assert_retrieval(gold, [runs], {"bees": "Bees dance."}, fail_under={"MAep": 0.5})
base: xcg.RecallBase = xcg.RecallBase.of(gold)
corpus: xcg.Corpus = xcg.Corpus.of({"bees": "Bees dance."})
tree: xcg.ElementTree = corpus.tree("bees")
try:
    xcg.read_run("missing.xml")
except xcg.InputError as error:
    print(error)
"""


def test_the_stub_lists_exactly_the_public_names() -> None:
    stub = ast.parse((ROOT / "xcg" / "__init__.pyi").read_text(encoding="utf-8"))
    listed = [
        alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert sorted(map(str, listed)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_a_docstring_with_an_example(name: str) -> None:
    value = getattr(xcg, name)
    described = value if inspect.isclass(value) or inspect.isfunction(value) else type(value)
    assert described.__doc__, f"{name} has no docstring"
    if inspect.isclass(described) and issubclass(described, Exception):
        return
    described = RETURNED_BY.get(name, described)
    tests = doctest.DocTestFinder(exclude_empty=True).find(described, described.__name__)
    assert any(test.examples for test in tests), f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    assert not sum(runner.run(test).failed for test in tests)


def test_import_xcg_imports_no_slow_package() -> None:
    code = "import sys, xcg; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {"numpy", "lxml", "yaml", "rich", "networkx", "scipy", "pandas"} & set(
        done.stdout.split()
    )


@pytest.mark.slow
def test_a_script_type_checks_and_runs_against_the_installed_package(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    assert (installation.packages / "xcg" / "py.typed").exists()
    script = tmp_path / "script.py"
    script.write_text(USER_SCRIPT)
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "mypy")),
            *("--config-file", "", "--python-executable", str(installation.python), str(script)),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    values, message = installation.run(script).splitlines()
    assert values == "0.5 0.5"  # the document is above the ideal paragraph, which it does not retrieve
    assert message.startswith("missing.xml")
    wrong = script.with_name("wrong.py")
    wrong.write_text("import xcg\nxcg.load(7)\n")
    checked = subprocess.run(
        [*checked.args[:-1], str(wrong)], cwd=tmp_path, capture_output=True, text=True
    )
    assert 'incompatible type "int"' in checked.stdout
