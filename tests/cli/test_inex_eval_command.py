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


def block(tag: str, *lines: str) -> str:
    """Return the expected output; a space in a line stands for a tab."""
    text = "".join(line.replace(" ", "\t") + "\n" for line in lines)
    return f'<eval run-id="{tag}" file="run">\n{text}</eval>\n'


def points(count: int, *values: tuple[int, str]) -> list[str]:
    """Return the lines of the recall points; each value holds up to a point."""
    lines = []
    for point in range(count):
        value = next(value for last, value in values if point <= last)
        lines.append(f"ircl_prn.{point / (count - 1):.2f} all {value}")
    return lines


def test_focused(xcg_command: Command) -> None:
    """Sizes 7, 4, 3, relevant 0, 4, 3 of 10: precision 4/11 at recall .4, and 7/14 at .7."""
    scores = [
        *("num_ret  {} 3", "num_rel  {} 2", "num_rel_ret {} 2"),
        *("ret_size {} 14", "rel_size {} 10", "rel_ret_size {} 7"),
        *("art_prec {} 0.6666666666666666", "art_rec  {} 1.0", "art_f1  {} 0.8"),
        *("char_prec {} 0.5", "char_rec {} 0.7", "char_f1  {} 0.5833333333333334"),
        *("iP[0.00] {} 0.5", "iP[0.01] {} 0.5", "iP[0.05] {} 0.5", "iP[0.10] {} 0.5"),
    ]
    topic = [line.format("9") for line in scores] + ["AiP  9 0.35148514851485146"]  # 71 · 0.5 / 101
    means = ["num_q  all 1", *(line.format("all") for line in scores), "MAiP  all 0.35148514851485146"]
    curve = points(101, (70, "0.5"), (100, "0.0"))
    assert output(xcg_command, "-f", FOCUSED) == block("tag", *means, *curve)
    assert output(xcg_command, "-q -f", FOCUSED) == block("tag", *topic, *means, *curve)


def test_focused_over_all_topics(xcg_command: Command) -> None:
    """Topics are in string order, 10 before 9; the unanswered one counts 0."""
    found = output(xcg_command, "-f -c -q", FOCUSED).splitlines()
    assert found[1:18] == [
        *("num_ret\t\t10\t0", "num_rel\t\t10\t1", "num_rel_ret\t10\t0"),
        *("ret_size\t10\t0", "rel_size\t10\t10", "rel_ret_size\t10\t0"),
        *("art_prec\t10\t0.0", "art_rec\t\t10\t0.0", "art_f1\t\t10\t0.0"),
        *("char_prec\t10\t0.0", "char_rec\t10\t0.0", "char_f1\t\t10\t0.0"),
        *(f"iP[{x}]\t10\t0.0" for x in ("0.00", "0.01", "0.05", "0.10")),
        "AiP\t\t10\t0.0",
    ]
    assert found[18] == "num_ret\t\t9\t3"
    assert found[35:53] == [
        *("num_q\t\tall\t2", "num_ret\t\tall\t3", "num_rel\t\tall\t3", "num_rel_ret\tall\t2"),
        *("ret_size\tall\t14", "rel_size\tall\t20", "rel_ret_size\tall\t7"),
        *("art_prec\tall\t0.3333333333333333", "art_rec\t\tall\t0.5", "art_f1\t\tall\t0.4"),
        *("char_prec\tall\t0.25", "char_rec\tall\t0.35", "char_f1\t\tall\t0.2916666666666667"),
        *(f"iP[{x}]\tall\t0.25" for x in ("0.00", "0.01", "0.05", "0.10")),
        "MAiP\t\tall\t0.17574257425742573",
    ]
    assert found[53] == "ircl_prn.0.00\tall\t0.25"
    assert len(found) == 1 + 2 * 17 + 18 + 101 + 1


def test_thorough(xcg_command: Command) -> None:
    """Of the second result only 2 characters are new. In e, which is not relevant, text counts twice.

    Sizes 4, 2, 5, 5, relevant 4 of 10: precision 1 at recall .4.
    """
    run = (
        "9 Q0 d 1 1 tag 2 4\n9 Q0 d 2 1 tag 0 6\n"
        "9 Q0 e 3 1 tag 0 5\n9 Q0 e 4 1 tag 0 5\n9 Q0 d 5 1 tag X 0\n"
    )
    assert output(xcg_command, "-t", run) == block(
        "tag",
        *("num_q  all 1", "num_ret  all 2", "num_rel  all 2", "num_rel_ret all 1"),
        *("ret_size all 16", "rel_size all 10", "rel_ret_size all 4"),
        *("art_prec all 0.5", "art_rec  all 0.5", "art_f1  all 0.5"),
        *("char_prec all 0.25", "char_rec all 0.4", "char_f1  all 0.3076923076923077"),
        *("iP[0.00] all 1.0", "iP[0.01] all 1.0", "iP[0.05] all 1.0", "iP[0.10] all 1.0"),
        "MAiP  all 0.40594059405940597",  # 41 / 101
        *points(101, (40, "1.0"), (100, "0.0")),
    )


def in_context(
    counts: list[int], at_ranks: list[tuple[str, str]], average: str, curve: list[str], topic: str = ""
) -> str:
    """Return the expected output for one answered topic; the last rank's values repeat."""
    names = ("num_ret ", "num_rel ", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
    pairs = [
        f"{name}[{rank}]  {{}} {value}"
        for rank in (1, 2, 3, 5, 10, 25, 50)
        for name, value in zip(("gP", "gR"), at_ranks[:rank][-1], strict=True)
    ]
    means = [f"{name} all {count}" for name, count in zip(names, counts, strict=True)]
    lines = ["num_q  all 1", *means, f"MAgP  all {average}", *(pair.format("all") for pair in pairs)]
    if topic:
        of_topic = [*counts[:1], 2, counts[2], counts[3], 10, counts[5]]
        lines = [
            *(f"{name} {topic} {count}" for name, count in zip(names, of_topic, strict=True)),
            *(pair.format(topic) for pair in pairs),
            f"AgP  {topic} {average}",
            *lines,
        ]
    return block("tag", *lines, *curve)


def test_relevant_in_context(xcg_command: Command) -> None:
    """Precision 0, 4/8 and 1 with β = 0. num_rel and rel_size are sums over all topics, 3 and 20."""
    run = "9 Q0 e 1 1 tag 0 7\n9 Q0 d 2 1 tag 10 4\n9 Q0 d 2 1 tag 2 4\n9 Q0 f 3 1 tag 0 6\n"
    expected = in_context(
        [3, 3, 2, 21, 20, 10],
        [("0.0", "0.0"), ("0.25", "0.5"), ("0.5", "1.0")],
        "0.375",  # (0.25 + 0.5) / 2
        points(11, (10, "0.5")),
        topic="9",
    )
    assert output(xcg_command, "-r -beta 0 -q", run) == expected
    default = dict(line.split("\tall\t") for line in output(xcg_command, "-r", run).splitlines()[1:-1])
    f = 1.0625 * 0.5 * 1 / (0.0625 * 0.5 + 1)
    assert default["gP[2]\t"] == str(f / 2)
    over_all = output(xcg_command, "-r -c -beta 0", run)
    assert "\nMAgP\t\tall\t0.1875\ngP[1]\t\tall\t0.0\ngR[1]\t\tall\t0.0\n" in over_all
    assert "\nnum_rel\t\tall\t3\n" in over_all


def test_best_in_context(xcg_command: Command) -> None:
    """The entry points are 2 and 0: distance 100 of n = 200, and 0. Sizes are not counted."""
    run = "9 Q0 e 1 1 tag 0 7\n9 Q0 d 2 1 tag 102 4\n9 Q0 f 3 1 tag 0 6\n"
    assert output(xcg_command, "-b -n 200 -q", run) == in_context(
        [3, 3, 2, 0, 20, 0],
        [("0.0", "0.0"), ("0.25", "0.5"), ("0.5", "1.0")],
        "0.375",
        points(11, (10, "0.5")),
        topic="9",
    )
    assert "\ngP[2]\t\tall\t0.4\n" in output(xcg_command, "-b", run)  # (500 - 100) / 500 / 2


def test_in_context_with_tolerance(xcg_command: Command) -> None:
    """In d, 4 relevant and 4 irrelevant characters are read; in f 6 relevant and 4 irrelevant ones."""
    run = "9 Q0 d 1 1 tag 2 8\n9 Q0 f 2 1 tag 0 6\n"
    assert output(xcg_command, "-i -irr 4 -q", run) == in_context(
        [2, 3, 2, 14, 20, 10],
        [("0.5", "0.5"), ("0.55", "1.0")],
        "0.525",
        points(11, (10, "0.55")),
        topic="9",
    )
    # By default both documents are read to the end: 4 of 20, and 6 of 12 characters.
    assert "\ngP[2]\t\tall\t0.35\n" in output(xcg_command, "-i", run)
    # An unknown offset is not read. Its 18 characters count as returned.
    unknown = output(xcg_command, "-i -irr 4", run + "9 Q0 f 2 1 tag X 6\n")
    assert "\ngP[2]\t\tall\t0.55\n" in unknown
    assert "\nret_size\tall\t32\n" in unknown


def test_unusual_results_and_assessments(xcg_command: Command) -> None:
    """Results: 18 + 5 + 0 characters and 29 of 100 relevant ones. Recall .29 belongs to point 28."""
    qrels = "1 Q0 d 100 500 -1 0:50 29583:0 200:50\n1 Q0 five 0 9\n1 Q0 six 0 9 7\n"
    run = (
        "1 Q0 u x y tag -1 9\n1 Q0 five - NaN tag 0 5\n1 Q0 d 9 1 tag 40 0\n1 Q0 d 1 1 tag 0 29\n"
        "2 Q0 d 1 1 not_assessed X Y\n"
    )
    found = output(xcg_command, "-f", run.replace("\n", "\r\n"), qrels.replace("\n", "\r\n"))
    assert found == output(xcg_command, "-f", run, qrels)
    assert found.startswith('<eval run-id="tag" file="run">\n')
    for line in ("ret_size\tall\t52", "rel_size\tall\t100", "ircl_prn.0.29\tall\t0.0"):
        assert f"\n{line}\n" in found
    assert f"\nircl_prn.0.28\tall\t{29 / 52}\n" in found
    # No entry point; the relevant size counts for gR.
    best = output(xcg_command, "-b", "1 Q0 d 1 1 tag 0 9\n", qrels)
    assert "\ngP[1]\t\tall\t0.0\ngR[1]\t\tall\t1.0\n" in best


def test_recall_above_one_is_passed_over(xcg_command: Command) -> None:
    """The relevant size is 2, but the passage has 4 characters: recall 1, and then 2."""
    qrels, run = "1 Q0 d 2 9 0 0:4\n", "1 Q0 d 1 1 tag 0 2\n1 Q0 d 2 1 tag 2 2\n"
    found = output(xcg_command, "-f", run, qrels)
    assert "\nchar_rec\tall\t2.0\n" in found
    assert "\nMAiP\t\tall\t1.0\n" in found
    assert "\nMAiP\t\tall\t0.0\n" in output(xcg_command, "-f", "1 Q0 d 1 1 tag 0 4\n", qrels)


def test_overlapping_passages_count_twice(xcg_command: Command) -> None:
    """3 of 5 characters are in two passages, so that 8 relevant ones are read."""
    qrels = "1 Q0 d 8 9 0 0:5 2:3\n"
    assert "\nrel_ret_size\tall\t8\n" in output(xcg_command, "-f", "1 Q0 d 1 1 tag 0 5\n", qrels)


@pytest.mark.parametrize(
    ("options", "undefined"),
    [("-f", {"art_rec", "char_rec"}), ("-f -c", {"art_rec", "char_rec"}), ("-r -c", {"MAgP"})],
)
def test_topics_without_relevant_text_have_no_recall(
    xcg_command: Command, options: str, undefined: set[str]
) -> None:
    qrels = QRELS + "12 Q0 d 0 20\n"
    run = FOCUSED if "-c" in options else FOCUSED + "12 Q0 d 1 1 tag 0 5\n"
    lines = [line.split("\t") for line in output(xcg_command, options, run, qrels).splitlines()]
    assert {line[0] for line in lines if line[-1] == "NaN"} == undefined


def test_a_run_without_assessed_topics_has_undefined_means(xcg_command: Command) -> None:
    Path("qrels").write_text(QRELS)
    Path("run").write_text("7 Q0 d 1 1 tag 0 4\n")
    done = xcg_command("inex-eval", "-r", "qrels", "run", cwd=Path())
    assert done.returncode == 0
    assert done.stderr == "xcg: note: run has no results for the topics of qrels\n"
    first, *lines, _ = done.stdout.splitlines()
    assert first == '<eval run-id="" file="run">'
    assert lines[:8] == [
        *("num_q\t\tall\t0", "num_ret\t\tall\t0", "num_rel\t\tall\t3", "num_rel_ret\tall\t0"),
        *("ret_size\tall\t0", "rel_size\tall\t20", "rel_ret_size\tall\t0", "MAgP\t\tall\tNaN"),
    ]
    assert all(line.endswith("\tNaN") for line in lines[7:])


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
    ("task", "run", "message"),
    [
        ("f", "9 Q0 d 1 1 t 0 4\n7 Q0 x 1 1 t 0 1\n9 Q0 d 2 1 t 3 4\n", "run:3: the result overlaps"),
        ("f", "9 Q0 d 1 1 t 0 4\n9 Q0 d 2 1 t 3 0\n", "run:2: the result overlaps"),
        ("r", "9 Q0 d 1 1 t 0 4\n9 Q0 d 2 1 t 3 4\n", "run:2: the result overlaps an earlier result"),
        (
            "i",
            "9 Q0 d 1 1 t 0 4\n9 Q0 e 2 1 t 3 4\n9 Q0 d 2 1 t 9 4\n",
            "run:3: the document 'd' com",
        ),
        (
            "r",
            "9 Q0 d 1 1 t 0 4\n9 Q0 e 2 1 t 3 4\n9 Q0 d 2 1 t 9 4\n",
            "run:3: the document 'd' com",
        ),
        (
            "b",
            "9 Q0 d 1 1 t 0 4\n9 Q0 e 2 1 t 3 4\n9 Q0 d 2 1 t 9 4\n",
            "run:3: the document 'd' com",
        ),
        ("b", "9 Q0 d 1 1 t 0 4\n9 Q0 d 2 1 t 9 4\n", "run:2: a second result from the document 'd'"),
        ("f", "9 Q0 d 1 1 t 0 4\n9 Q0 d 1 1 t 5\n", "run:2: 7 columns; expected eight, topic Q0"),
        ("f", "9 Q0 d 1 1 t\n", "run:1: 6 columns; expected eight"),
        ("f", "9 Q0 d 1 1 t 0 4 9\n", "run:1: 9 columns; expected eight"),
        ("f", "7 Q0 d 1\n", "run:1: 4 columns; expected eight"),
        ("f", "9 Q0 d 1 1 t 0 4\n\n", "run:2: 0 columns; expected eight"),
        (
            "f",
            "9 Q0 d 1 1 t Y 4\n",
            "run:1: illegal offset 'Y': expected a number of char",
        ),
        ("f", "9 Q0 d 1 1 t 2 -4\n", "run:1: illegal length '-4': expected a number of characters"),
    ],
)
def test_runs_that_inex_eval_refuses(xcg_command: Command, task: str, run: str, message: str) -> None:
    """A legal run before the illegal one prints nothing either."""
    Path("qrels").write_text(QRELS)
    Path("legal").write_text("9 Q0 d 1 1 t 0 4\n")
    Path("run").write_text(run)
    done = xcg_command("inex-eval", f"-{task}", "qrels", "legal", "run", cwd=Path())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1


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
    with pytest.raises(XcgError, match="task is 'x': expected one of t, f, r, b, i"):
        InexEvalOptions("x")  # type: ignore[arg-type]
    with pytest.raises(XcgError, match="tolerance is 0: expected 1 or more"):
        InexEvalOptions("i", tolerance=0)
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
        ((), "run:2"),
        (("--strategy", "thorough"), "run, topic 9, strategy thorough, rank 2"),
    ):
        for runs in (("run",), ("run", "run")):
            done = xcg_command("inex-eval", "-f", *options, "qrels", *runs, cwd=Path())
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.startswith(f"xcg: error: {where}: the result overlaps an earlier result")
    done = xcg_command("inex-eval", "-f", "--strategy", "oracle", "qrels", "run", cwd=Path())
    assert done.returncode == 2
    assert "inex_eval has none: expected other strategies" in done.stderr
