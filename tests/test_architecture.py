"""Check the rules of docs/architecture.md that ruff and import-linter do not check."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "xcg"
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_DEPTH = 2  # a package and a module in it


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_packages_are_not_nested() -> None:
    deep = [relative(path) for path in MODULES if len(path.relative_to(PACKAGE).parts) > MAX_DEPTH]
    assert not deep, "expected xcg/PACKAGE/MODULE.py:\n" + "\n".join(deep)


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_begins_with_one_sentence(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    summary, _, rest = docstring.partition("\n")
    assert summary.endswith("."), f"{relative(path)}: the first line must be one sentence: {summary!r}"
    assert ". " not in summary, f"{relative(path)}: one sentence on the first line: {summary!r}"
    assert not rest.partition("\n")[0], f"{relative(path)}: expected a blank line after the first"


def test_packages_hold_only_a_docstring() -> None:
    public = {PACKAGE / "__init__.py", PACKAGE / "measures" / "__init__.py"}
    for path in set(PACKAGE.rglob("__init__.py")) - public:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        assert len(body) == 1, f"{relative(path)}: expected a docstring only"
