"""xcg inex-eval prints what inex_eval 3.1 prints. The expected values are computed by hand."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.errors import InputError, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.report.inex_eval import InexEvalOptions, inex_eval_files, inex_eval_scores, java_double

QRELS = """\
9 Q0 d 4 20 2 2:4
9 Q0 e 0 9
9 Q0 f 6 12 0 0:6
10 Q0 d 10 20 5 5:10
"""
FOCUSED = """\
9 Q0 e 1 9 early 0 7
9 Q0 d 2 8 tag 2 4
9 Q0 f 3 7 tag 0 3
11 Q0 f 1 1 other 0 3
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def output(xcg_command: Command, options: str, run: str, qrels: str = QRELS) -> str:
    Path("qrels").write_bytes(qrels.encode())
    Path("run").write_bytes(run.encode())
    done = xcg_command("inex-eval", *options.split(), "qrels", "run", cwd=Path())
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_several_runs_and_gzipped_files(xcg_command: Command, tmp_path: Path) -> None:
    Path("qrels").write_text(QRELS)
    Path("run").write_text(FOCUSED)
    Path("b.gz").write_bytes(gzip.compress(FOCUSED.replace("tag", "r&d").encode()))
    done = xcg_command("inex-eval", "-f", "qrels", "./run", "b.gz", "run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third = done.stdout.split("</eval>\n")[:3]
    assert first.startswith('<eval run-id="tag" file="./run">\n')
    assert second.startswith('<eval run-id="r&d" file="b.gz">\n')
    assert {text.partition("\n")[2] for text in (second, third)} == {first.partition("\n")[2]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("qrels run", "none given: expected exactly one task of -t, -f, -r, -b, -i"),
        ("-f -r qrels run", "-f, -r given: expected exactly one task"),
        ("-f qrels", "Missing argument 'RUN...'"),
        ("-i -irr 0 qrels run", "Invalid value for '-irr'"),
        ("-b -n -1 qrels run", "Invalid value for '-n'"),
        ("-r -beta -1 qrels run", "Invalid value for '-beta'"),
        ("-f nothing run", "nothing: cannot read: No such file"),
        ("-f qrels nothing", "nothing: cannot read: No such file"),
        ("-f run run", "run:1: illegal relevant characters 'x'"),
    ],
)
def test_illegal_calls(xcg_command: Command, arguments: str, message: str) -> None:
    Path("qrels").write_text(QRELS)
    Path("run").write_text("9 Q0 d x 1 t 0 4\n")
    done = xcg_command("inex-eval", *arguments.split(), cwd=Path())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_options_are_written_as_for_inex_eval(xcg_command: Command) -> None:
    """-b is no abbreviation of -beta, and -i none of -irr."""
    run = "9 Q0 d 2 1 tag 102 4\n"
    expected = output(xcg_command, "-q -c -beta 1 -irr 9 -n 200 -b", run)
    assert "\ngP[1]\t\tall\t0.25\n" in expected
    assert output(xcg_command, "-b -n 200 -irr 9 -beta 1 -c -q", run) == expected
    help_text = " ".join(xcg_command("inex-eval", "--help").stdout.split())
    for default in ("[default: 300", "[default: 500", "[default: 0.25"):
        assert default in help_text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (1.0, "1.0"),
        (1 / 3, "0.3333333333333333"),
        (0.001, "0.001"),
        (0.000999, "9.99E-4"),
        (1e-4, "1.0E-4"),
        (-2.5e-7, "-2.5E-7"),
        (1.2345678901234567e-5, "1.2345678901234568E-5"),
        (5e-324, "4.9E-324"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (123456789.0, "1.23456789E8"),
        (1e23, "1.0E23"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_numbers_are_printed_as_in_java(number: float, text: str) -> None:
    assert java_double(number) == text


# Python


def test_files_are_evaluated_in_python() -> None:
    Path("qrels").write_text(QRELS)
    Path("run").write_text(FOCUSED)
    (scores,) = inex_eval_files("qrels", ["run"], InexEvalOptions("f", complete=True))
    assert (scores.tag, scores.file, list(scores.topics)) == ("tag", "run", ["10", "9", "all"])
    assert scores.topics["9"]["char_rec"] == 0.7
    assert scores.topics["all"]["num_rel"] == 3


def test_scores_are_those_of_evaluate() -> None:
    """The measures and the report are one pipeline, with documents and without."""
    gold = {"1": {"d": [(0, 4)], "e": []}, "2": {"d": [(4, 6)]}}
    corpus = {"d": "<a><p>1234</p><p>56</p></a>", "e": "<a>789</a>"}
    runs = {"r": {"1": ["d#/a", "e"], "2": ["d#/a/p[2]"]}, "s": {"1": ["e", "d#/a/p[1]"]}}
    inputs = Inputs(gold, runs, corpus)
    focused = inex_eval_scores(inputs, InexEvalOptions("f", complete=True))
    in_context = inex_eval_scores(inputs, InexEvalOptions("r", complete=True))
    measures = {"iP[0.01]": "iP@0.01", "MAiP": "AiP", "gP[2]": "gP@2", "gR[2]": "gR@2", "MAgP": "AgP"}
    results = xcg.evaluate(gold, runs, corpus, "inex-2005", list(measures.values()))
    for first, second in zip(focused, in_context, strict=True):
        for name, measure in measures.items():
            found = {**first.topics["all"], **second.topics["all"]}[name]
            assert found == pytest.approx(results.value(first.tag, measure))


def test_illegal_rankings_and_options_in_python() -> None:
    corpus = {"d": "<a><p>1234</p><p>56</p></a>"}
    inputs = Inputs({"1": {"d": [(0, 4)]}}, {"r": {"1": ["d#/a", "d#/a/p[1]"]}}, corpus)
    with pytest.raises(InputError, match="run r, topic 1, rank 2: the result overlaps an earlier"):
        inex_eval_scores(inputs)
    (scores,) = inex_eval_scores(inputs, InexEvalOptions("t"))
    assert scores.topics["1"]["ret_size"] == 6
    with pytest.raises(XcgError, match="beta is nan: expected 0 or more"):
        InexEvalOptions("r", beta=math.nan)


OVERLAPPING = "9 Q0 d 1 9 tag 2 4\n9 Q0 d 2 8 tag 4 9\n9 Q0 f 3 7 tag 0 3\n"


def test_strategies_rewrite_the_runs(xcg_command: Command) -> None:
    expected = output(xcg_command, "-f", "".join(OVERLAPPING.splitlines(True)[::2]))
    for name in ("top_ranked", "max_score"):
        found = output(xcg_command, f"-f --strategy {name}", OVERLAPPING)
        assert found == expected.replace('run-id="tag"', f'run-id="tag+{name}"')
    both = output(xcg_command, "-t --strategy thorough --strategy top_ranked", OVERLAPPING)
    assert [line for line in both.splitlines() if line.startswith("<eval")] == [
        '<eval run-id="tag+thorough" file="run">',
        '<eval run-id="tag+top_ranked" file="run">',
    ]


def test_an_overlap_after_a_strategy_names_the_rank(xcg_command: Command) -> None:
    Path("qrels").write_text(QRELS)
    Path("run").write_text(OVERLAPPING)
    for options, where in (
        ((), "run, topic 9, rank 2"),
        (("--strategy", "thorough"), "run, topic 9, strategy thorough, rank 2"),
    ):
        for runs in (("run",), ("run", "run")):
            done = xcg_command("inex-eval", "-f", *options, "qrels", *runs, cwd=Path())
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.startswith(f"xcg: error: {where}: the result overlaps an earlier result")
    done = xcg_command("inex-eval", "-f", "--strategy", "oracle", "qrels", "run", cwd=Path())
    assert done.returncode == 2
    assert "inex_eval has none: expected other strategies" in done.stderr
