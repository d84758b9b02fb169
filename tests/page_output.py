"""Compare the output of commands with the text that a page shows, where … is any text or any lines."""

from __future__ import annotations

import re


def line_pattern(text: str) -> str:
    """Return a regular expression for a line, in which ``…`` stands for any text."""
    if text == "…":
        return r"(?s:.*)"
    return ".*".join(map(re.escape, re.split(" *… *", text)))


def is_output(shown: str, found: str) -> bool:
    """Return whether an output is the one shown. A line ``…`` stands for any number of lines."""
    pattern = "\n".join(map(line_pattern, _stripped(shown).split("\n")))
    return re.fullmatch(pattern, _stripped(found)) is not None


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
