"""Write the report of a campaign as one self-contained HTML page.

The page is assembled from page.html, page.css and the scripts, so that each language has its own files.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import BinaryIO

from xcg.evaluation.inputs import Inputs
from xcg.evaluation.scoring import Progress
from xcg.report.html_data import report_data

_SCRIPTS = (
    "page_elements.js",
    "page_scores.js",
    "page_curves.js",
    "page_explanations.js",
    "page_start.js",
)
_PLACEHOLDER = re.compile(r"\{\{(style|data|script)\}\}")
_UNSAFE = re.compile("[<>&\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")
"""Characters that could end a script element, or that editors and browsers treat specially."""


def write_report(
    inputs: Inputs, stream: BinaryIO, *, explained: int = 10, progress: Progress | None = None
) -> None:
    """Write the report of a campaign as one HTML file.

    Args:
        inputs: The inputs of the evaluation.
        stream: A binary file that receives the page.
        explained: How many topics, the first ones, are explained result by result.
        progress: Called with the number of completed steps and the number of all steps.

    Raises:
        XcgError: As :func:`xcg.evaluate`; nothing is written then.
    """
    data = report_data(inputs, explained=explained, progress=progress)
    parts = {
        "style": _read("page.css").encode(),
        "data": script_json(data),
        "script": "\n".join(map(_read, _SCRIPTS)).encode(),
    }
    # The odd pieces are the names of placeholders.
    for index, piece in enumerate(_PLACEHOLDER.split(_read("page.html"))):
        stream.write(parts[piece] if index % 2 else piece.encode())


def _read(name: str) -> str:
    return files("xcg.report").joinpath(name).read_text(encoding="utf-8")


def script_json(data: object) -> bytes:
    r"""Return JSON that is safe inside a script element, whatever its texts contain.

    >>> script_json({"run": "</script>"})
    b'{"run":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    escaped = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    # A lone surrogate has no UTF-8 form; this error handler writes it as JSON does.
    return escaped.encode("utf-8", "backslashreplace")
