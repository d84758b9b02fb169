"""What the page on extending xcg says in a sentence about YAML works with the function on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

import xcg
from xcg.user_model.model import checked_models

PAGE = (ROOT / "docs" / "howto" / "extending.md").read_text(encoding="utf-8")
SETTING = re.compile(
    r'[`\n]((?:ideal|quantisation|relevance_value): [^`\n]*"(mine|scores|selections):(\w+)"[^`\n]*)'
)
SETTINGS = SETTING.findall(PAGE)


def test_the_page_has_such_sentences() -> None:
    keys = [setting.partition(":")[0] for setting, _, _ in SETTINGS]
    assert [keys.count(key) for key in ("quantisation", "ideal", "relevance_value")] == [2, 1, 4]


@pytest.mark.parametrize(("setting", "module", "function"), SETTINGS)
def test_a_setting_names_the_function_on_the_page(
    setting: str, module: str, function: str, tmp_path: Path
) -> None:
    blocks = re.findall(
        r"```(?:python|\{code-block\} python\n:caption: \w+.py\n)\n(.*?)```", PAGE, re.S
    )
    code = [block for block in blocks if re.search(rf"(def|class) {function}\b", block)]
    code += re.findall(rf"`(def {function}\(.*?)`", PAGE)
    (tmp_path / f"{module}.py").write_text(code[0])
    [model] = checked_models({"name": "m", **yaml.safe_load(setting)}, str, tmp_path)
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
