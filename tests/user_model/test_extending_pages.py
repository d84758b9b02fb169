"""What the pages on extending xcg say in a sentence about YAML works with the function on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

import xcg
from xcg.user_model.model import checked_model

PAGES = ROOT / "docs" / "howto" / "extending"
SETTING = re.compile(r'[`\n]((?:ideal|quantisation|relevance_value): [^`\n]*"mine:(\w+)"[^`\n]*)')
EXAMPLES = [
    (page.name, setting, function)
    for page in sorted(PAGES.glob("*.md"))
    for setting, function in SETTING.findall(page.read_text(encoding="utf-8"))
    if page.name != "index.md"
]


def test_the_pages_have_such_sentences() -> None:
    assert {page for page, _, _ in EXAMPLES} >= {
        *("ideal-selection.md", "near-miss-model.md", "normalisation.md"),
        *("overlap-model.md", "quantisation.md", "reader.md"),
    }


@pytest.mark.parametrize(("page", "setting", "function"), EXAMPLES)
def test_a_setting_names_the_function_on_the_page(
    page: str, setting: str, function: str, tmp_path: Path
) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    blocks = re.findall(
        r"```(?:python|\{code-block\} python\n:caption: mine.py\n)\n(.*?)```", text, re.S
    )
    code = [block for block in blocks if re.search(rf"(def|class) {function}\b", block)]
    code += re.findall(rf"`(def {function}\(.*?)`", text)
    (tmp_path / "mine.py").write_text(code[0])
    model = checked_model({"name": "m", **yaml.safe_load(setting)}, str, tmp_path)
    of_levels = code[0].startswith(f"def {function}(level")
    grades = {"/a/s[1]": 3 if of_levels else (3, 3), "/a/s[1]/p[1]": 1 if of_levels else (2, 3)}
    results = xcg.evaluate(
        {"1": {"d": grades}},
        {"r": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]"]}},
        {"d": "<a><s><p>some text</p><p>more text</p></s></a>"},
        model,
        "xCG@2",
    )
    assert results.value("r", "xCG@2") > 0
