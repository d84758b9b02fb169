"""Check that the reference has every public name and option, and no private one."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conftest import ROOT

import xcg
import xcg.measures
from xcg.cli.command import Command
from xcg.cli.main import COMMANDS, PURPOSES, main
from xcg.settings.loading import KEYS

REFERENCE = ROOT / "docs" / "reference"
DIRECTIVE = re.compile(r"^ *\.\. (?:auto|py:)(\w+):: ([\w.]+)$((?:\n {3,}:.*)*)", re.MULTILINE)
MEMBERS = re.compile(r":members: (.*)")


def entries() -> list[tuple[str, str, str]]:
    """Return page, directive and name of each entry of the Python API, with its members."""
    found = []
    for page in sorted((REFERENCE / "api").glob("*.md")):
        for directive, written, options in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            name = written if "." in written else f"xcg.integrations.ir_measures.{written}"
            found.append((page.name, directive, name))
            for members in MEMBERS.findall(options):
                found += [
                    (page.name, "member", f"{name}.{member.strip()}") for member in members.split(",")
                ]
    return found


NAMES = {name for _, _, name in entries()}


def resolved(name: str) -> object:
    """Import the object with a dotted name."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            value = (
                inspect.getattr_static(value, part) if inspect.isclass(value) else getattr(value, part)
            )
        return value
    raise AssertionError(name)


def test_every_public_name_has_an_entry() -> None:
    public = {f"xcg.{name}" for name in xcg.__all__}
    measures = ast.parse(Path(xcg.measures.__file__).read_text(encoding="utf-8")).body
    imported = [one for node in measures if isinstance(node, ast.ImportFrom) for one in node.names]
    public |= {f"xcg.measures.{one.asname}" for one in imported if one.asname} - {
        "xcg.measures.MEASURES",
        "xcg.measures.cumulated_gain",
    }
    modules = ["xcg.testing", "xcg.integrations.pandas", "xcg.integrations.ir_measures"]
    for module in modules:
        tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
        defined = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        public |= {f"{module}.{name}" for name in defined if not name.startswith("_")}
    helpers = ("JudgedRow", "recall_base_of_rows", "nest_scores", "value_or_none")
    public -= {f"xcg.integrations.pandas.{name}" for name in helpers}  # of the module for ir_measures
    assert not public - NAMES, sorted(public - NAMES)


def test_the_extensions_that_the_pages_show_use_documented_names() -> None:
    text = (ROOT / "docs" / "howto" / "extending.md").read_text(encoding="utf-8")
    imports = re.findall(r"^from (xcg[\w.]*) import (.*)$", text, re.MULTILINE)
    found = {f"{module}.{name}" for module, names in imports for name in names.split(", ")}
    assert found >= {"xcg.gains.document_reader.DocumentReader", "xcg.registry.Between"}
    public = {name.rpartition(".")[2]: name for name in NAMES if name.count(".") == 1}
    unknown = {name for name in found - NAMES if name.rpartition(".")[2] not in public}
    assert not unknown


def test_no_entry_is_private_or_listed_twice() -> None:
    names = [name for _, _, name in entries()]
    assert not [name for name in names if any(part.startswith("_") for part in name.split("."))]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry[2])
def test_an_entry_exists_and_has_a_description(entry: tuple[str, str, str]) -> None:
    _, directive, name = entry
    if directive in ("type", "data"):
        assert resolved(name) is not None
    else:
        value = resolved(name)
        value = getattr(value, "__func__", value)
        described = isinstance(value, tuple) or inspect.getdoc(value)
        assert described, f"{name} has no docstring"


FUNCTIONS = [name for _, directive, name in entries() if directive == "function"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_describes_its_arguments_and_has_an_example(name: str) -> None:
    function = resolved(name)
    assert callable(function)
    text = inspect.getdoc(function) or ""
    arguments = inspect.signature(function).parameters
    described = re.findall(r"^    (\w+): ", text.partition("Args:\n")[2], re.MULTILINE)
    assert [argument for argument in arguments if argument not in described] == []
    assert re.search(r"^(Return|Yield) |^Returns:", text, re.MULTILINE), f"{name} has no Returns"
    assert doctest.DocTestParser().get_examples(text), f"{name} has no example"


def every_command() -> list[tuple[str, Command]]:
    """Return the commands with their names, also those in groups."""
    found = []
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        parts = command.commands.items() if isinstance(command, click.Group) else [("", command)]
        found += [(f"{name} {part}".strip(), one) for part, one in parts if isinstance(one, Command)]
    return found


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """Return name → text of the generated pages of commands."""
    code = (
        "import json, commands, doctest; assert not doctest.testmod(commands).failed;"
        "examples = (commands.REFERENCE / 'commands.md').read_text('utf-8');"
        "print(json.dumps({name: commands.page(name, examples) for name in commands.COMMANDS}"
        " | {'list.txt': commands.list_of_commands(), 'keys.txt': commands.tables_of_keys()}))"
    )
    pytest.importorskip("sphinx")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, 'docs/extensions'); {code}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    pages: dict[str, str] = json.loads(done.stdout)
    return pages


@pytest.mark.parametrize(("name", "command"), every_command())
def test_a_page_has_all_options_with_their_legal_values_and_defaults(
    name: str, command: Command, generated: dict[str, str]
) -> None:
    page = generated[name.partition(" ")[0]]
    page = page.partition(f"program}} xcg {name}\n")[2].partition("{program}")[0]
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        (entry,) = re.findall(
            rf"option}} (?:-\w, )?{max(option.opts, key=len)}( [^\n]*)?\n(.*?)````", page, re.S
        )
        assert bool(entry[0]) is not option.is_flag
        choices = getattr(option.type, "choices", (option.metavar or "").split("|"))
        if len(choices) > 1:
            assert "Values: " + ", ".join(f"`{choice}`" for choice in choices) in entry[1]
        if isinstance(option.default, (int, float)) and not option.is_flag:
            assert f"Default: `{option.default}`" in entry[1]


def test_pages_show_examples_and_exit_statuses(generated: dict[str, str]) -> None:
    (gate,) = [command for name, command in every_command() if name == "gate"]
    assert f"\n{gate.example}\n" in generated["gate"]
    statuses = re.findall(r"^\| (\d) \|", generated["gate"], re.MULTILINE)
    assert statuses == ["0", "1", "2", "3"]
    assert "| 1 | A run fails. |" in generated["gate"]
    assert "[xcg compare](compare.md)" in generated["evaluate"]
    commands = generated["list.txt"]
    assert commands.count("(commands/") == sum(map(len, PURPOSES.values())) == len(COMMANDS)
    assert commands.count("<commands/") == len(COMMANDS)


def test_the_tables_of_keys_have_every_key_with_default_values_and_option(
    generated: dict[str, str],
) -> None:
    rows = re.findall(r"^\| `(\w+)` \|", generated["keys.txt"], re.MULTILINE)
    assert sorted(rows) == sorted(key.path[-1] for key in KEYS.values())
    row = "| `test` | `t`, `wilcoxon`, `randomisation` | `t` | Use this paired test "
    assert row in generated["keys.txt"].partition("### `compare`")[2]
    assert "Key: [`gate.max_drop`]" in generated["gate"]


def test_the_page_of_environment_variables_has_those_that_the_code_reads() -> None:
    page = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
    found = set()
    for path in sorted(Path(xcg.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"environ(?:ment)?(?:\.get)?[\[(]\"(\w+)\"", text))
        found |= set(re.findall(r"\"(_?XCG_[A-Z_]+)\"", text))
    internal = {"COMP_WORDS", "COMP_CWORD", "MPLBACKEND", "PYTHONSAFEPATH", "VIRTUAL_ENV"}
    assert found - internal >= {"XCG_CACHE", "XCG_NO_PLUGINS", "NO_COLOR"}
    assert not [name for name in found - internal if f"`{name}`" not in page]
