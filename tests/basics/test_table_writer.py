"""Tables as plain text, Markdown, LaTeX and HTML, and records as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest

from xcg.answer import CSV_WITHOUT_FORMULAS, RECORD_FORMATS
from xcg.table_formats import TABLE_FORMATS, Markup, latex_table, markdown_table, text_table
from xcg.tables import Column, Table

HEADING = ["run", "MAep", "comment"]


def test_numbers_are_aligned_to_the_right_and_trailing_blanks_are_stripped() -> None:
    assert text_table(HEADING, [["bm25", "0.5", "good"], ["lm", "12.25 1.", ""]]) == (
        "run       MAep  comment\n"
        "bm25       0.5  good\n"
        "lm    12.25 1.\n"
    )  # fmt: skip


def test_the_first_column_is_never_treated_as_numeric() -> None:
    assert text_table(["topic", "n"], [["1", "1"], ["100", "2"]]) == "topic  n\n1      1\n100    2\n"


def test_wide_and_combining_characters_are_counted_as_terminals_show_them() -> None:
    assert text_table(["名前", "x"], [["a", "b"], ["e\u0301", "b"], ["日本語", "b"]]) == (
        "名前    x\n"
        "a       b\n"
        "e\u0301       b\n"
        "日本語  b\n"
    )  # fmt: skip


def test_cells_are_never_wrapped_and_never_interpreted_as_markup() -> None:
    long = "[bold]" + "x" * 300 + "[/bold] :smile:"
    assert text_table(["run"], [[long]]) == f"run\n{long}\n"


@pytest.mark.parametrize(
    ("format", "expected"), [("table", "a  b\n"), ("markdown", None), ("latex", None)]
)
def test_a_table_without_rows_has_its_heading(format: str, expected: str | None) -> None:
    text = TABLE_FORMATS[format](["a", "b"], [])
    assert expected is None or text == expected
    assert "a" in text
    assert "b" in text


def test_markdown_cells_are_escaped() -> None:
    assert markdown_table(HEADING, [["a|b", "0.5", "c\\d"]]) == (
        "| run  | MAep | comment |\n"
        "| :----|----: | :-------|\n"
        "| a\\|b |  0.5 | c\\\\d    |\n"
    )  # fmt: skip


NAMES = ["a_b&c%d#e$f{g}", "h~i^j\\k|l<m>n", "o--p,,q`r", "é ß ł † α Ω λ ≤ ± −1", "[2cm]", "*"]


def compiled(latex: str, folder: Path) -> str:
    """Return the text that pdflatex prints for a table."""
    for program in ("pdflatex", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    start = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{lmodern,booktabs}"
    document = [start, r"\begin{document}", latex, r"\end{document}"]
    (folder / "table.tex").write_text("\n".join(document))
    for call in (
        "pdflatex -interaction=nonstopmode -halt-on-error table.tex",
        "pdftotext -layout table.pdf",
    ):
        done = subprocess.run(call.split(), cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in (folder / "table.log").read_text()
    return (folder / "table.txt").read_text()


@pytest.mark.slow
def test_latex_prints_names_as_they_are(tmp_path: Path) -> None:
    shown = compiled(latex_table(["run", "x"], [[name, "-0.5"] for name in NAMES]), tmp_path)
    lines = unicodedata.normalize("NFC", shown).splitlines()  # Ω can be the sign of ohm
    rows = [line.rsplit(maxsplit=1) for line in lines if line.endswith("0.5")]
    assert [row[0].strip() for row in rows] == NAMES
    assert {row[1] for row in rows} == {"−0.5"}


def test_latex_names_the_characters_that_pdflatex_has_not() -> None:
    assert latex_table(["run"], [["日本"], ["é"]]).splitlines()[1] == (
        "% XeLaTeX or LuaLaTeX, and a font with 日本"
    )


def test_published_tables_state_what_is_the_same_in_all_rows_and_are_divided() -> None:
    columns = [Column("model", is_key=True), Column("run", is_key=True)]
    columns += [Column(f"measure number {number}", meaning=f"meaning {number}") for number in range(9)]
    rows = [["overlap_off", run, *[number / 2] * 9] for run, number in (("a", 1), ("b", 2))]
    table = Table(columns, rows, ["Means over 3 topics."], title="Scores")
    first, second, third = table.write("latex", 7).split("% \\usepackage{booktabs}\n")[1:]
    for number, part in enumerate((first, second, third), 1):
        assert r"\caption{Scores. model: overlap\_off. Means over 3 topics. measure number" in part
        assert rf"\label{{tab:Scores-overlap-off-7-{number}}}" in part
        assert f"Part {number} of 3." in part
        assert "\na & 0.5000 " in part
    assert "meaning 0" in first
    assert "meaning 0" not in second
    assert table.write("markdown").startswith("Scores. model: overlap_off. Means over 3 topics. ")


def test_a_table_for_a_program_is_divided_only_if_it_is_very_wide() -> None:
    columns = [Column("run"), *(Column(f"measure number {number}") for number in range(30))]
    lines = Table(columns, [["a", *range(30)]]).write("table").splitlines()
    assert max(map(len, lines)) <= 200
    assert [line.split()[0] for line in lines if line] == ["run", "a"] * 3
    assert sum(len(line.split()) - 1 for line in lines if line.startswith("a")) == 30


HOSTILE = "a\n|`b`<i>[x](javascript:0)![y](z)*e*_f_~~g~~&lt;$x$\\\x1b\x9b\u202e\u200b\ud800"
ESCAPED = "a\\n|`b`<i>[x](javascript:0)![y](z)*e*_f_~~g~~&lt;$x$\\\\x1b\\x9b\\u202e\\u200b\\ud800"


def test_markdown_shows_hostile_cells_as_text() -> None:
    # An independent implementation reads the table.
    markdown_it = pytest.importorskip("markdown_it")
    text = markdown_table(["run", HOSTILE], [["snake_case_name", "0.5"], [HOSTILE, HOSTILE]])
    assert "snake_case_name" in text
    tokens = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    cells = [token for token in tokens if token.type == "inline"]
    assert [cell.content for cell in cells].count("run") == 1
    assert len(cells) == 6
    for cell in cells:
        assert {child.type for child in cell.children} <= {"text", "text_special"}
    shown = ["".join(child.content for child in cell.children) for cell in cells]
    assert shown == ["run", ESCAPED, "snake_case_name", "0.5", ESCAPED, ESCAPED]


def test_marks_are_not_escaped() -> None:
    assert markdown_table(["run", "MAep"], [["\ue000", Markup("**0.5**")]]) == (
        "| run     | MAep    |\n| :-------| :-------|\n| \\\\ue000 | **0.5** |\n"
    )


def test_latex_cells_hold_no_commands() -> None:
    text = latex_table(
        ["run", "x"], [[r"\input{/etc/passwd}%" + "\n", "0.5"], ["[2cm]", "1"], ["*", "2"]]
    )
    assert text.splitlines()[7:10] == [
        r"\textbackslash{}input\{/etc/passwd\}\%\textbackslash{}n & 0.5 \\",
        r"{}[2cm] & 1 \\",  # [2cm] would be an argument of the \\ before it
        r"{}* & 2 \\",
    ]


def test_html_shows_control_characters() -> None:
    assert "<td>a\n|`b`&lt;i&gt;[x]" in Table([Column("run")], [[HOSTILE]]).to_html()
    assert r"\x1b\x9b\u202e\u200b\ud800</td>" in Table([Column("run")], [[HOSTILE]]).to_html()


def test_csv_has_one_line_for_each_record() -> None:
    text = RECORD_FORMATS["csv"]([{"run\n": HOSTILE, "value": 0.5}])
    assert text.count("\n") == 2
    assert list(csv.reader(io.StringIO(text))) == [["run\\n", "value"], [ESCAPED, "0.5"]]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("=1+1", "'=1+1"),
        ("+1-1", "'+1-1"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =1", "'  =1"),
        ("\t=1", r"\t=1"),
        ("\r=1", r"\r=1"),
        ("＝1", "'＝1"),
        ('=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'),
        ("a;=1", "a;'=1"),
        ("a=1", "a=1"),
        ("-1", "-1"),
        ("+2.5e-3", "+2.5e-3"),
        ("bm25", "bm25"),
    ],
)
def test_formulas_are_escaped_for_spreadsheets(text: str, escaped: str) -> None:
    written = RECORD_FORMATS[CSV_WITHOUT_FORMULAS]([{text: text, "value": -1.5, "none": None}])
    heading, row = csv.reader(io.StringIO(written))
    assert heading == [escaped, "value", "none"]
    assert row == [escaped, "-1.5", ""]
    assert next(csv.reader(io.StringIO(RECORD_FORMATS["csv"]([{text: text}]))))[0] != f"'{text}"


def test_json_is_visible_and_keeps_texts() -> None:
    texts = [HOSTILE, "".join(map(chr, range(0x3000))), "\U000e0001\U0001f600é"]
    text = RECORD_FORMATS["jsonl"]([{"run": one} for one in texts])
    assert text.replace("\n", "").isprintable()
    assert "é" in text
    assert [json.loads(line)["run"] for line in text.splitlines()] == texts


def test_html_cells_are_escaped() -> None:
    text = Table([Column("<a>"), Column("n")], [["<b>", 0.5], ["c", None]], title="<d>").to_html()
    tags = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)

    Parser().feed(text)
    assert set(tags) == {"table", "caption", "thead", "tr", "th", "tbody", "td"}
    for cell in ("&lt;a&gt;", "&lt;b&gt;", "&lt;d&gt;", ">0.5000<", "></td>"):
        assert cell in text


def test_html_tables_have_at_most_200_rows() -> None:
    text = Table([Column("n")], [[number] for number in range(250)]).to_html()
    assert text.count("<tr>") == 1 + 200 + 1
    assert "and 50 more" in text
    assert "more" not in Table([Column("n")], [[number] for number in range(200)]).to_html()


ROWS = [{"run": "a,b", "value": 1 / 3, "note": None}, {"run": "é", "value": 1e-9, "note": "x"}]


def test_records_keep_full_precision() -> None:
    assert [json.loads(line) for line in RECORD_FORMATS["jsonl"](ROWS).splitlines()] == ROWS
    [first, second] = csv.DictReader(io.StringIO(RECORD_FORMATS["csv"](ROWS)))
    assert first == {"run": "a,b", "value": repr(1 / 3), "note": ""}
    assert second == {"run": "é", "value": "1e-09", "note": "x"}


def test_record_tables_are_rounded_for_people() -> None:
    assert Table.of_records(ROWS).write("table") == "run   value  note\na,b  0.3333\né    0.0000  x\n"
    columns = [Column("value", kind="p", decimals=2)]
    table = Table.of_records(ROWS, columns)
    assert table.write("table") == "run  value  note\na,b   0.33\né    <0.01  x\n"


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_no_records(format: str) -> None:
    assert RECORD_FORMATS[format]([]) == ""


def test_the_cells_of_a_row_are_found_by_name() -> None:
    rows = [{"run": "a", "MAep": 0.5}, {"MAep": 0.25, "run": "b"}, {"run": "c"}]
    assert RECORD_FORMATS["csv"](rows) == "run,MAep\na,0.5\nb,0.25\nc,\n"
    assert Table.of_records(rows).cells() == [["a", "0.5000"], ["b", "0.2500"], ["c", ""]]
    with pytest.raises(ValueError, match="fields not in fieldnames"):
        RECORD_FORMATS["csv"]([{"run": "a"}, {"run": "b", "MAep": 0.25}])


def test_cells_of_dots_and_spaces_are_no_numbers() -> None:
    assert text_table(["run", "text"], [["a", "..."], ["b", " "]]) == "run  text\na    ...\nb\n"
