"""Check the rules of docs/architecture/index.md that ruff and import-linter do not check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import grimp
import networkx
import pytest
from conftest import ROOT

PACKAGE = ROOT / "xcg"
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_LINES = 450
MAX_DEPTH = 2  # a package and a module in it


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def nested_imports(path: Path) -> Iterator[str]:
    """Yield ``file:line: statement`` of each import of xcg inside a function."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.ImportFrom):
                imported = ["xcg" if node.level else str(node.module)]
            elif isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            else:
                continue
            if any(name.split(".")[0] == "xcg" for name in imported):
                yield f"{relative(path)}:{node.lineno}: {ast.unparse(node)}"


def test_functions_do_not_import_xcg() -> None:
    found = sorted({line for path in MODULES for line in nested_imports(path)})
    assert not found, "move these imports to the top of their module:\n" + "\n".join(found)


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    graph = grimp.build_graph("xcg", cache_dir=None)
    imports = networkx.DiGraph(
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    )
    cycles = [
        sorted(group) for group in networkx.strongly_connected_components(imports) if len(group) > 1
    ]
    assert not cycles, "these modules import each other:\n" + "\n".join(map(", ".join, cycles))


def test_modules_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    long = [f"{relative(path)}: {lines} lines" for path, lines in lengths.items() if lines > MAX_LINES]
    assert not long, f"these modules have more than {MAX_LINES} lines:\n" + "\n".join(long)


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
    public = {PACKAGE / name / "__init__.py" for name in ("", "answers", "measures")}
    for path in set(PACKAGE.rglob("__init__.py")) - public:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        assert len(body) == 1, f"{relative(path)}: expected a docstring only"
