"""Write cells as tables in plain text, Markdown and LaTeX.

Names come from input files, which may be hostile. Here they are escaped, in each format in its own way:
no name can add a row or markup, or reach a terminal as control characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from xcg.errors import printable

Row = Sequence[str]

TEXT_WIDTH = 40
"""Characters above which the texts of a column are wrapped on paper."""
_LATEX_ESCAPES = {"±": r"$\pm$", "−": "$-$", "≤": r"$\le$", "≥": r"$\ge$", "→": r"$\to$"}
_LATEX_ESCAPES.update({mark: "\\" + mark for mark in "&%$#_{}"})
_TEXT_COMMANDS = {
    **{"\\": "backslash", "^": "asciicircum", "~": "asciitilde", "`": "asciigrave"},
    **{"<": "less", ">": "greater", "|": "bar"},
}
_LATEX_ESCAPES.update({mark: rf"\text{name}{{}}" for mark, name in _TEXT_COMMANDS.items()})
for _letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ":
    _name = unicodedata.name(_letter).split()[-1].lower().replace("lamda", "lambda")
    _LATEX_ESCAPES[_letter] = rf"$\{_name if _letter.islower() else _name.capitalize()}$"
_NOT_IN_PDFLATEX = re.compile(r"[^\x00-\u017f‐-”†-…]")
_NEGATIVE = re.compile(r"(?<![\w.)])-(?=[0-9.])")
_MARKDOWN_ESCAPES = {"&": "&amp;", "<": "&lt;", **{mark: "\\" + mark for mark in "\\|`*_[]~^$"}}
_MARKDOWN_SPECIAL = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|[&<\\|`*\[\]~^$]")
"""Characters with a meaning in Markdown, HTML or TeX. An underscore inside of a word has none."""


class Markup(str):
    """A table cell that is Markdown or LaTeX already."""


class Marked(str):
    r"""A number with marks for publications; as a text, it has none.

    >>> cell = Marked("0.5", is_best=True, raised="ab", addition=" ±0.1")
    >>> print(cell, "|", markdown_text(cell), "|", latex_text(cell))
    0.5 ±0.1 | **0.5**<sup>ab</sup> ±0.1 | \textbf{0.5}\textsuperscript{ab} $\pm$0.1
    """

    number: str
    is_best: bool
    raised: str
    addition: str

    def __new__(
        cls, number: str, is_best: bool = False, raised: str = "", addition: str = ""
    ) -> Marked:
        """Make a cell of a number, the text above its line, and the text after it."""
        cell = super().__new__(cls, number + addition)
        cell.number, cell.is_best, cell.raised, cell.addition = number, is_best, raised, addition
        return cell


def text_table(heading: Row, rows: Iterable[Row], numeric: Sequence[bool] | None = None) -> str:
    """Write a table of any width, without rules; numbers are aligned to the right.

    Columns are separated by two spaces. Cells are never wrapped or interpreted as markup, and
    their characters that are not visible are escaped. :mod:`xcg.terminal_tables` fits tables to
    terminals.

    Args:
        heading: The headings.
        rows: The texts of the cells.
        numeric: Which columns are aligned to the right; by default, those of numbers.

    >>> print(text_table(["run", "MAep"], [["bm25", "0.5"], ["lm", "0.25"]]), end="")
    run   MAep
    bm25   0.5
    lm    0.25
    """
    body = [list(map(printable, row)) for row in (heading, *rows)]
    return "".join("  ".join(row).rstrip() + "\n" for row in _aligned(body, numeric)) or "\n"


def _aligned(body: Sequence[Row], numeric: Sequence[bool] | None) -> list[tuple[str, ...]]:
    """Return rows whose cells fill their columns."""
    columns = []
    for cells, is_number in zip(zip(*body, strict=True), numeric or numeric_columns(body), strict=True):
        lengths = list(map(cell_length, cells))
        blanks = [" " * (max(lengths) - length) for length in lengths]
        pairs = zip(cells, blanks, strict=True)
        columns.append([blank + cell if is_number else cell + blank for cell, blank in pairs])
    return list(zip(*columns, strict=True))


def markdown_table(
    heading: Row,
    rows: Iterable[Row],
    numeric: Sequence[bool] | None = None,
    caption: str = "",
    label: str = "",
) -> str:
    r"""Write a Markdown table; characters with a meaning in Markdown or HTML are escaped in cells.

    The caption is a paragraph above the table. Markdown has no labels.

    >>> print(markdown_table(["run", "MAep"], [["a|b", "0.5"]]), end="")
    | run  | MAep |
    | :----|----: |
    | a\|b |  0.5 |
    """
    body = [list(map(markdown_text, row)) for row in (heading, *rows)]
    numeric = numeric or numeric_columns(body)
    first, *others = [[f" {cell} " for cell in row] for row in _aligned(body, numeric)]
    widths = [cell_length(cell) - 2 for cell in first]
    rule = [
        f"{'-' * width}: " if is_number else f" :{'-' * width}"
        for width, is_number in zip(widths, numeric, strict=True)
    ]
    title = f"{markdown_text(caption)}\n\n" if caption else ""
    return title + "".join(f"|{'|'.join(row)}|\n" for row in (first, rule, *others))


def markdown_text(text: str) -> Markup:
    r"""Return a text as Markdown in one line; :class:`Markup` stays as it is.

    >>> markdown_text("a_b *c* _d")
    'a_b \\*c\\* \\_d'
    """
    if isinstance(text, Markup):
        return text
    if isinstance(text, Marked):
        bold, raised = "**" * text.is_best, f"<sup>{text.raised}</sup>" if text.raised else ""
        return Markup(f"{bold}{text.number}{bold}{raised}{text.addition}")
    return Markup(_MARKDOWN_SPECIAL.sub(lambda found: _MARKDOWN_ESCAPES[found[0]], printable(text)))


def latex_table(
    heading: Row,
    rows: Iterable[Row],
    numeric: Sequence[bool] | None = None,
    caption: str = "",
    label: str = "",
) -> str:
    r"""Write a LaTeX ``table`` with the rules of booktabs; special characters in cells are escaped.

    >>> print(latex_table(["run", "MAep"], [["a_b", "-0.5"]], None, "Means.", "MAep 1"), end="")
    % \usepackage{booktabs}
    \begin{table}
    \centering
    \caption{Means.}
    \label{tab:MAep-1}
    \begin{tabular}{lr}
    \toprule
    run & MAep \\
    \midrule
    a\_b & $-$0.5 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    texts = [heading, *rows]
    numeric = numeric or numeric_columns(texts)
    body = [list(map(latex_text, row, numeric)) for row in texts]
    longest = [max(map(cell_length, cells)) > TEXT_WIDTH for cells in zip(*texts, strict=True)]
    alignment = "".join(
        "r" if is_numeric else r"p{.4\textwidth}" if is_long else "l"
        for is_numeric, is_long in zip(numeric, longest, strict=True)
    )
    # LaTeX would read [ or * at the start of a row as an argument of the \\ before it.
    first, *others = ("{}" * row[0].startswith(("[", "*")) + " & ".join(row) + r" \\" for row in body)
    unknown = "".join(dict.fromkeys(_NOT_IN_PDFLATEX.findall("".join([*first, *others]))))
    lines = [r"% \usepackage{booktabs}"]
    if unknown:
        lines.append(f"% XeLaTeX or LuaLaTeX, and a font with {unknown}")
    lines += [r"\begin{table}", r"\centering"]
    if caption:
        name = re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-")
        lines += [rf"\caption{{{latex_text(caption)}}}", rf"\label{{tab:{name}}}"]
    lines += [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", first, r"\midrule", *others]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def latex_text(text: str, is_number: bool = False) -> Markup:
    r"""Return a text as LaTeX; :class:`Markup` stays as it is.

    >>> print(latex_text("a_b--c^d"))
    a\_b-{}-c\textasciicircum{}d
    """
    if isinstance(text, Markup):
        return text
    if isinstance(text, Marked):
        number, addition = latex_text(text.number, True), latex_text(text.addition)
        raised = rf"\textsuperscript{{{latex_text(text.raised)}}}" if text.raised else ""
        return Markup((rf"\textbf{{{number}}}" if text.is_best else number) + raised + addition)
    written = "".join(_LATEX_ESCAPES.get(character, character) for character in printable(text))
    if is_number:
        written = _NEGATIVE.sub("$-$", written)
    return Markup(re.sub(r"([-,'])(?=\1)", r"\1{}", written))  # LaTeX would join -- to a dash


def cell_length(text: str) -> int:
    """Return the number of columns in which a terminal shows a text."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def numeric_columns(body: Sequence[Row]) -> list[bool]:
    """Return which columns hold numbers; the first row is the heading, the first column has names."""
    columns = zip(*body, strict=True)
    return [index > 0 and _is_numeric(column[1:]) for index, column in enumerate(columns)]


def _is_numeric(cells: Sequence[str]) -> bool:
    """Return whether every non-empty cell begins with a number, and at least one is not empty."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_is_number((cell.rstrip(".").split() or [""])[0]) for cell in filled)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


TABLE_FORMATS: dict[str, Callable[..., str]] = {
    "table": text_table,
    "markdown": markdown_table,
    "latex": latex_table,
}
"""Name → function that writes a table of text cells."""
