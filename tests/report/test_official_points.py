"""Each point of the comparison with the official evaluators has a value computed by hand."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import Command


class Evaluator:
    """Runs ``xcg inex-eval`` on short texts."""

    def __init__(self, command: Command, folder: Path) -> None:
        self.command, self.folder = command, folder

    def run(
        self, options: str, qrels: str, *runs: str, newline: str = "\n"
    ) -> subprocess.CompletedProcess[str]:
        """Run the command; a result is written as ``topic document offset length``."""
        (self.folder / "qrels").write_text(qrels, newline=newline)
        for number, results in enumerate(runs):
            lines = []
            for result in results.split(", "):
                topic, document, offset, length = result.split()
                lines.append(f"{topic} Q0 {document} 1 1 tag{number} {offset} {length}\n")
            (self.folder / f"run{number}").write_text("".join(lines), newline=newline)
        names = [f"run{number}" for number in range(len(runs))]
        return self.command("inex-eval", *options.split(), "qrels", *names, cwd=self.folder)

    def raw(self, options: str, qrels: str, run: str) -> subprocess.CompletedProcess[str]:
        """Run the command on the text of a run file."""
        (self.folder / "qrels").write_text(qrels)
        (self.folder / "run0").write_text(run)
        return self.command("inex-eval", *options.split(), "qrels", "run0", cwd=self.folder)

    def __call__(self, options: str, qrels: str, results: str, topic: str = "all") -> dict[str, str]:
        """Return the printed values of a topic or the mean."""
        done = self.run(options, qrels, results)
        assert done.returncode == 0, done.stderr
        assert all(line.startswith("xcg: note: ") for line in done.stderr.splitlines())
        return values(done.stdout, topic)


def values(output: str, topic: str = "all") -> dict[str, str]:
    """Return the values of the topic by name."""
    rows = [re.split(r"\t+", line) for line in output.splitlines() if "\t" in line]
    return {name: value for name, where, value in rows if where == topic}


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """Return the message of a command that refused its files."""
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.fixture
def inex_eval(xcg_command: Command, tmp_path: Path) -> Evaluator:
    return Evaluator(xcg_command, tmp_path)


ONE_DOCUMENT = "1 Q0 d 10 100 0 0:10\n"
TWO_DOCUMENTS = ONE_DOCUMENT + "1 Q0 e 0 50\n"
TWO_TOPICS = ONE_DOCUMENT + "2 Q0 d 30 100 0 0:30\n"
NOTHING_RELEVANT = TWO_TOPICS + "3 Q0 d 0 100\n"
PART = "1 Q0 d 40 100 0 0:10\n"
SPLIT = "1 Q0 d 15 100 0 0:10 20:5\n"
TWICE = "1 Q0 d 10 100 0 0:10\n1 Q0 d 5 100 30 30:5\n"
UNMARKED = "1 Q0 d 0 50 0 0:10\n1 Q0 e 10 50 0 0:10\n"
ENTRY = "1 Q0 d 10 2000 600 600:10\n1 Q0 e 0 50 10 0:0\n"
FOUR_RELEVANT = "".join(f"1 Q0 {name} 10 100 20 20:10\n" for name in "abcd")
THREE_TOPICS = "".join(f"{topic} Q0 d {topic} 100 0 0:{topic}\n" for topic in (1, 2, 3))
ALTERNATING = "1 d 0 10, 2 d 0 30, 1 e 0 10, 2 e 0 10"

Point = tuple[str, str, str, dict[str, str | float]]
"""Options, qrels, results, and the printed values: texts are exact, numbers are rounded."""

POINTS: dict[str, list[Point]] = {
    # 1. Call and files
    "five fields have no passages": [
        ("-f", "1 Q0 d 10 100\n", "1 d 0 20", {"num_rel_ret": "1", "rel_size": "10"}),
        ("-f", "1 Q0 d 10 100 0\n", "1 d 0 20", {"num_rel_ret": "1", "rel_ret_size": "0"}),
    ],
    "an entry point without passages is not read": [
        ("-b", "1 Q0 d 10 100 5\n", "1 d 5 10", {"gP[1]": "0.0"}),
        ("-b", "1 Q0 d 10 100 5 0:10\n", "1 d 5 10", {"gP[1]": "1.0"}),
    ],
    "the relevant size of the line counts": [  # precision 1/2, recall 1/4
        ("-f", PART, "1 d 0 20", {"rel_size": "40", "rel_ret_size": "10", "char_rec": "0.25"}),
        ("-r -beta 1", PART, "1 d 0 20", {"gP[1]": 1 / 3}),
    ],
    "a document is relevant if its relevant size is above 0": [
        (
            "-f",
            TWO_DOCUMENTS,
            "1 d 0 10, 1 e 0 50",
            {"num_ret": "2", "num_rel": "1", "num_rel_ret": "1"},
        )
    ],
    "passages of length 0 hold no text": [
        ("-f", "1 Q0 d 10 100 0 0:10 15:0\n", "1 d 0 20", {"rel_ret_size": "10", "char_prec": "0.5"})
    ],
    "the text of overlapping passages counts twice": [
        ("-f", "1 Q0 d 15 100 0 0:10 5:5\n", "1 d 5 5", {"rel_ret_size": "10", "char_prec": "2.0"})
    ],
    "entry point -1 means none": [
        ("-b", "1 Q0 d 10 100 -1 0:10\n", "1 d 0 10", {"gP[1]": "0.0"}),
        ("-b", ONE_DOCUMENT, "1 d 0 10", {"gP[1]": "1.0"}),
    ],
    "a result without offset has 18 characters": [
        ("-f", ONE_DOCUMENT, f"1 d {offset} 5, 1 d 0 10", {"ret_size": "28", "MAiP": 10 / 28})
        for offset in ("X", "-1")
    ],
    "results of length 0 are legal": [
        ("-f", ONE_DOCUMENT, "1 d 10 0, 1 d 0 10", {"num_ret": "1", "ret_size": "10", "MAiP": "1.0"}),
        ("-b -n 10", ONE_DOCUMENT, "1 d 3 0", {"gP[1]": "0.7"}),
    ],
    "topics without assessments are skipped": [
        ("-f", ONE_DOCUMENT, "9 d 0 10, 1 d 0 10", {"num_q": "1", "num_ret": "1", "MAiP": "1.0"})
    ],
    "defaults are beta 1/4, n 500 and irr 300": [  # precision 1/2, recall 1; 100 relevant, 300 not
        ("-r", "1 Q0 d 100 1000 0 0:100\n", "1 d 0 200", {"gP[1]": 1.0625 * 0.5 / (0.0625 * 0.5 + 1)}),
        ("-b", "1 Q0 d 100 1000 0 0:100\n", "1 d 250 10", {"gP[1]": "0.5"}),
        ("-i", "1 Q0 d 100 1000 0 0:100\n", "1 d 0 50", {"gP[1]": "0.25"}),
    ],
    # 2. Focused and thorough
    "precision is kept at the recall of each result": [  # .8, .533, .56 at recall .4, .4, .7
        (
            "-f",
            "1 Q0 d 80 100 0 0:80\n1 Q0 e 0 50\n1 Q0 f 120 500 0 0:60 300:60\n",
            "1 d 0 100, 1 e 0 50, 1 f 0 100",
            {"iP[0.00]": "0.8", "iP[0.10]": "0.8", "char_prec": "0.56", "MAiP": 49.6 / 101},
        )
    ],
    "recall points are floored in floating point": [
        (
            *("-f", "1 Q0 d 100 100 0 0:100\n", "1 d 0 29"),
            {"ircl_prn.0.28": "1.0", "ircl_prn.0.29": "0.0", "MAiP": 29 / 101},
        )
    ],
    "a recall point takes the maximum of all higher points": [  # .5 at recall .1, .9 at .9
        (
            *("-f", "1 Q0 d 100 200 0 0:10 20:90\n", "1 d 0 20, 1 d 20 80"),
            {"ircl_prn.0.90": "0.9", "ircl_prn.0.91": "0.0", "MAiP": 91 * 0.9 / 101},
        )
    ],
    "recall above 1 is skipped": [  # recall .5, then 2
        ("-f", "1 Q0 d 10 100 0 0:20\n", "1 d 0 5, 1 d 5 15", {"MAiP": 51 / 101, "char_rec": "2.0"})
    ],
    "interpolated precision is printed at four levels": [  # 1 at recall .01, 5/14 at recall .05
        (
            *("-f", "1 Q0 d 100 100 0 0:100\n", "1 d 0 1, 1 e 0 9, 1 d 1 4"),
            {"iP[0.00]": 1.0, "iP[0.01]": 1.0, "iP[0.05]": 5 / 14, "iP[0.10]": 0.0},
        )
    ],
    "results that only touch do not overlap": [
        ("-f", ONE_DOCUMENT, results, {"num_q": "1"})
        for results in (
            "1 d 0 20, 1 d 20 5",
            "1 d 0 20, 1 d 0 0",
            "1 d 0 20, 1 d 20 0",
            "1 d 5 0, 1 d 5 0",
        )
    ],
    "results without offset never overlap": [
        ("-f", ONE_DOCUMENT, "1 d X 5, 1 d 0 20, 1 d X 5", {"ret_size": "56"})
    ],
    "thorough counts unknown text only in irrelevant documents": [
        ("-t", ONE_DOCUMENT, "1 d X 5, 1 d 0 20", {"ret_size": "20"}),
        ("-t", ONE_DOCUMENT, "1 e X 5, 1 e X 5, 1 d 0 20", {"ret_size": "56"}),
    ],
    "overlap in unassessed topics is no error": [
        ("-f", ONE_DOCUMENT, "9 d 0 10, 9 d 0 10, 1 d 0 10", {"num_ret": "1"})
    ],
    "F1 is 0 without relevant results": [
        ("-f", ONE_DOCUMENT, "1 e 0 10", {"art_f1": "0.0", "char_f1": "0.0"})
    ],
    "precision of empty results is 0": [
        ("-f", ONE_DOCUMENT, "1 d 0 0", {"char_prec": "0.0", "MAiP": "0.0", "art_prec": "1.0"})
    ],
    "passages of relevant size 0 hold nothing relevant except in -i": [
        ("-f", UNMARKED, "1 d 0 20, 1 e 0 10", {"num_rel": "1", "rel_ret_size": "10"}),
        ("-r", UNMARKED, "1 d 0 10, 1 e 0 10", {"gP[1]": "0.0"}),
        ("-i", UNMARKED, "1 d 0 10, 1 e 0 10", {"gP[1]": "0.2"}),
    ],
    "a document in two lines adds up": [
        ("-f", TWICE, "1 d 0 50", {"num_rel": "1", "rel_size": "15", "rel_ret_size": "15"}),
        ("-b", TWICE, "1 d 30 5", {"gP[1]": "1.0"}),
    ],
    "thorough counts repeated text once in relevant documents": [
        (
            *("-t", ONE_DOCUMENT, "1 d 0 20, 1 d 0 20, 1 d 5 25"),
            {"ret_size": "30", "rel_ret_size": "10", "char_prec": 1 / 3},
        )
    ],
    "thorough counts repeated text again in other documents": [
        (
            *("-t", TWO_DOCUMENTS, "1 e 0 20, 1 e 0 20, 1 unjudged 0 10, 1 unjudged 5 5, 1 d 0 10"),
            {"ret_size": "65", "rel_ret_size": "10", "MAiP": 10 / 65},
        )
    ],
    "article scores count different documents": [
        (
            "-f",
            TWO_DOCUMENTS + "1 Q0 f 30 50 0 0:30\n",
            "1 d 0 5, 1 d 5 15, 1 e 0 5, 1 unjudged 0 15",
            {
                **{"num_ret": "3", "num_rel": "2", "num_rel_ret": "1"},
                **{"art_prec": 1 / 3, "art_rec": 1 / 2, "art_f1": 2 / 5},
                **{"char_prec": 1 / 4, "char_rec": 1 / 4, "char_f1": 1 / 4},
            },
        )
    ],
    # 3. In context
    "ranks count documents": [
        (task, ONE_DOCUMENT, "1 e 0 5, 1 e 20 5, 1 d 0 2, 1 d 2 98", {"num_ret": "2", "gP[1]": "0.0"})
        for task in ("-r", "-i")
    ],
    "relevant in context is F-beta of the document": [  # precision .8, recall .4
        (f"-r -beta {beta}", "1 Q0 d 200 1000 0 0:80 500:120\n", "1 d 0 100", {"gP[1]": expected})
        for beta, expected in ((1, 0.64 / 1.2), (0.25, 1.0625 * 0.32 / 0.45))
    ],
    "best in context is the nearness to the entry point": [
        *(
            ("-b", ENTRY, f"1 d {offset} 10", {"gP[1]": expected})
            for offset, expected in (
                (600, "1.0"),
                (300, "0.4"),
                (900, "0.4"),
                (100, "0.0"),
                (99, "0.0"),
            )
        ),
        ("-b -n 1000", ENTRY, "1 d 900 10", {"gP[1]": "0.7"}),
        ("-b", ENTRY, "1 e 10 10", {"gP[1]": "0.0"}),
        ("-b", ENTRY, "1 unjudged 10 10", {"gP[1]": "0.0"}),
    ],
    # 10 relevant at 0, 10 irrelevant at 40, 10 irrelevant at 10, 5 relevant at 20, 1 irrelevant.
    "the tolerance reader reads results, then the rest": [
        ("-i -irr 21", SPLIT, "1 d 40 10, 1 d 0 10", {"gP[1]": 15 / 36})
    ],
    # 5 relevant at 50, 5 irrelevant at 70, 10 relevant at 0, 15 irrelevant at 10
    "the tolerance reader reads the text before the first result": [
        ("-i -irr 20", "1 Q0 d 20 100 0 0:10 50:10\n", "1 d 50 5, 1 d 70 5", {"gP[1]": 15 / 35})
    ],
    "the tolerance reader reads text in two passages once": [
        ("-i", "1 Q0 d 20 100 0 0:15 10:5\n", "1 d 0 20", {"gP[1]": "0.15"})
    ],
    "the tolerance reader does not read results without offset": [  # 10 relevant, 10 irrelevant
        ("-i -irr 10", ONE_DOCUMENT, "1 d X 5", {"gP[1]": "0.5", "ret_size": "18"})
    ],
    "the tolerance reader stops after irr characters": [
        ("-i -irr 20", SPLIT, "1 d 40 10, 1 d 0 10", {"gP[1]": 10 / 30}),
        ("-i -irr 3", SPLIT, "1 d 0 100", {"gP[1]": 10 / 13}),
    ],
    "the tolerance reader gains nothing without assessment": [
        ("-i", ONE_DOCUMENT, "1 unjudged 0 10, 1 d 0 100", {"gP[1]": "0.0", "gP[2]": 0.1 / 2})
    ],
    "values at the last document are repeated": [
        (
            *("-r", ONE_DOCUMENT + "1 Q0 e 10 100 0 0:10\n", "1 d 0 10, 1 unjudged 0 10"),
            {"gP[1]": "1.0", **{f"gP[{k}]": "0.5" for k in (2, 3, 5, 10, 25, 50)}, "gR[50]": "0.5"},
        )
    ],
    "generalised precision is averaged over relevant documents": [  # .8, 0, .5
        (
            *("-b -n 10", FOUR_RELEVANT, "1 a 22 1, 1 other 0 1, 1 b 25 1"),
            {"MAgP": (0.8 + 1.3 / 3) / 4, "gR[1]": "0.25", "gR[2]": "0.25", "gR[3]": "0.5"}
            | {f"ircl_prn.0.{tenth}0": [0.8, 1.3 / 3, 0.0][min(tenth // 3, 2)] for tenth in range(10)}
            | {"ircl_prn.1.00": 0.0},
        )
    ],
    # 4. Means and output
    "means are over answered topics or all": [
        ("-f", TWO_TOPICS, "1 d 0 10", {"num_q": "1", "rel_size": "10", "MAiP": "1.0"}),
        ("-f -c", TWO_TOPICS, "1 d 0 10", {"num_q": "2", "rel_size": "40", "MAiP": "0.5"}),
        ("-f -c", TWO_TOPICS, "1 d 0 10", {"art_prec": "0.5", "art_rec": "0.5", "char_f1": "0.5"}),
        ("-r", TWO_TOPICS, "1 d 0 10", {"MAgP": "1.0"}),
        ("-r -c", TWO_TOPICS, "1 d 0 10", {"MAgP": "0.5"}),
    ],
    "a topic without relevant text makes some means NaN": [
        (
            *("-f -c", NOTHING_RELEVANT, "1 d 0 10"),
            {"art_rec": "NaN", "char_rec": "NaN", "MAiP": 1 / 3, "art_prec": 1 / 3},
        ),
        ("-r -c", NOTHING_RELEVANT, "1 d 0 10", {"MAgP": "NaN", "gP[1]": 1 / 3, "gR[1]": 1 / 3}),
        ("-r", NOTHING_RELEVANT, "1 d 0 10, 3 d 0 10", {"gR[1]": "NaN"}),
    ],
    "counts in context are over all topics": [
        ("-r", TWO_TOPICS, "1 d 0 20", {"num_rel": "2", "rel_size": "40"}),
        ("-r -c", TWO_TOPICS, "1 d 0 20", {"num_rel": "2", "rel_size": "40"}),
        ("-f", TWO_TOPICS, "1 d 0 20", {"num_q": "1", "num_rel": "1", "rel_size": "10"}),
    ],
    "sums are added from left to right": [  # precision .1, .2, .3; the exact sum gives 0.2
        ("-f", THREE_TOPICS, "1 d 0 10, 2 d 0 10, 3 d 0 10", {"char_prec": "0.20000000000000004"})
    ],
    "lines of topics may alternate": [
        *(
            (task, TWO_TOPICS, ALTERNATING, {"num_q": "2", "num_ret": "4", "num_rel_ret": "2"})
            for task in ("-f", "-t", "-r", "-b", "-i")
        ),
        ("-r", TWO_TOPICS, ALTERNATING, {"gP[2]": "0.5"}),
    ],
    "counts are sums over topics": [
        (
            *(task, TWO_TOPICS, "1 d 0 20, 2 d 0 20, 2 e 0 5"),
            {"num_q": "2", "num_ret": "3", "num_rel": "2", "num_rel_ret": "2", "ret_size": "45"}
            | {"rel_size": "40", "rel_ret_size": "30"},
        )
        for task in ("-f", "-r")
    ],
    "numbers are printed as Java prints them": [
        ("-f", "1 Q0 d 1 100000 0 0:1\n", f"1 d 0 {length}", {"char_prec": expected})
        for length, expected in (
            *((10000, "1.0E-4"), (1000, "0.001"), (3, "0.3333333333333333"), (1, "1.0")),
        )
    ],
}

REFUSED = {
    "no task": ("", "1 d 0 10", ""),
    "two tasks": ("-f -t", "1 d 0 10", ""),
    "overlap": ("-f", "1 d 0 20, 1 e 0 20, 1 d 19 5", "run0, topic 1, rank 3"),
    "overlap in -r": ("-r", "1 d 0 20, 1 d 19 5", "run0, topic 1, rank 2"),
    "overlap in -i": ("-i", "1 d 0 20, 1 d 19 5", "run0, topic 1, rank 2"),
    "an empty result inside another": ("-f", "1 d 0 20, 1 d 5 0", "run0, topic 1, rank 2"),
    "an empty result before another around it": ("-f", "1 d 5 0, 1 d 0 20", "run0, topic 1, rank 2"),
    **{
        f"a document that comes back in {task}": (
            task,
            "1 d 0 5, 1 e 0 5, 1 d 5 5",
            "run0, topic 1, rank 3",
        )
        for task in ("-r", "-b", "-i")
    },
    "a second result in -b": ("-b", "1 d 0 5, 1 d 5 5", "run0, topic 1, rank 2"),
    **{
        f"offset {offset} and length {length}": ("-f", f"1 d {offset} {length}", "run0:1")
        for offset, length in (("-2", "10"), ("0", "-3"), ("x", "10"), ("0", "x"))
    },
    **{options: (options, "1 d 0 10", "") for options in ("-i -irr 0", "-b -n 0", "-r -beta -1")},
}
"""Problem → options, results, and the position in the message."""


@pytest.mark.parametrize("point", POINTS)
def test_a_point_has_the_values_computed_by_hand(inex_eval: Evaluator, point: str) -> None:
    for options, qrels, results, expected in POINTS[point]:
        found = inex_eval(options, qrels, results)
        for name, value in expected.items():
            if isinstance(value, str):
                assert found[name] == value, (options, results, name)
            else:
                assert float(found[name]) == pytest.approx(value), (options, results, name)


@pytest.mark.parametrize("problem", REFUSED)
def test_a_run_is_refused_with_its_line(inex_eval: Evaluator, problem: str) -> None:
    options, results, where = REFUSED[problem]
    assert where in refusal(inex_eval.run(options, ONE_DOCUMENT, results))
    if "comes back" in problem:
        inex_eval("-f", ONE_DOCUMENT, results)
        inex_eval("-t", ONE_DOCUMENT, results)


def test_only_some_means_are_nan(inex_eval: Evaluator) -> None:
    for task, names in (("-f", {"art_rec", "char_rec"}), ("-r", {"MAgP"})):
        found = inex_eval(f"{task} -c", NOTHING_RELEVANT, "1 d 0 10")
        assert {name for name, value in found.items() if value == "NaN"} == names


def test_fields_are_separated_by_white_space(inex_eval: Evaluator) -> None:
    done = inex_eval.raw("-f", "1\tQ0  d 10\t100 0 0:10\n", "1\tQ0   d 1 1\ttag 0  20\n")
    assert values(done.stdout)["char_prec"] == "0.5"


def test_lines_may_end_in_carriage_returns(inex_eval: Evaluator) -> None:
    qrels, results = "1 Q0 d 10 100 3 0:10\n2 Q0 e 0 9\n", "1 d 0 20, 2 e 0 9"
    for task in ("-f", "-b"):
        unix = inex_eval.run(f"{task} -q", qrels, results)
        windows = inex_eval.run(f"{task} -q", qrels, results, newline="\r\n")
        assert windows.stdout == unix.stdout
        assert unix.returncode == 0


@pytest.mark.parametrize("line", ["1 Q0 d 1 1 tag 0", "1 Q0 d 1 1 tag 0 10 x"])
def test_run_lines_have_exactly_eight_fields(inex_eval: Evaluator, line: str) -> None:
    good = "1 Q0 d 1 1 tag 20 10\n"
    message = refusal(inex_eval.raw("-f", ONE_DOCUMENT, f"{good}{line}\n"))
    assert "run0:2" in message


def test_the_order_is_that_of_the_file(inex_eval: Evaluator) -> None:
    run = "1 Q0 e 9 0.1 tag 0 10\n1 Q0 d 1 5.0 tag 0 10\n"
    found = values(inex_eval.raw("-r", ONE_DOCUMENT, run).stdout)
    assert (found["gP[1]"], found["gP[2]"]) == ("0.0", "0.5")


def test_rank_and_score_are_never_read(inex_eval: Evaluator) -> None:
    done = inex_eval.raw("-f", ONE_DOCUMENT, "1 Q0 d first high tag 0 20\n")
    assert values(done.stdout)["char_prec"] == "0.5"


def test_a_run_without_assessed_topics_has_no_means(inex_eval: Evaluator) -> None:
    done = inex_eval.run("-f", ONE_DOCUMENT, "9 d 0 10")
    assert done.stdout.startswith('<eval run-id="" file="run0">\n')
    found = values(done.stdout)
    assert (found["num_q"], found["rel_size"], found["MAiP"]) == ("0", "0", "NaN")


def test_the_run_id_is_the_last_tag(inex_eval: Evaluator) -> None:
    run = "1 Q0 d 1 1 first 0 10\n1 Q0 e 1 1 second 0 10\n9 Q0 d 1 1 third 0 10\n"
    assert inex_eval.raw("-f", ONE_DOCUMENT, run).stdout.startswith(
        '<eval run-id="second" file="run0">\n'
    )


def test_unanswered_topics_are_printed_if_means_are_over_all(inex_eval: Evaluator) -> None:
    assert inex_eval("-f -q -c", TWO_TOPICS, "1 d 0 10", topic="2")["AiP"] == "0.0"
    assert inex_eval("-f -q", TWO_TOPICS, "1 d 0 10", topic="2") == {}


def test_lines_of_the_focused_task(inex_eval: Evaluator) -> None:
    output = inex_eval.run("-f -q", ONE_DOCUMENT, "1 d 0 20").stdout
    topic = """\
num_ret\t\t1\t1
num_rel\t\t1\t1
num_rel_ret\t1\t1
ret_size\t1\t20
rel_size\t1\t10
rel_ret_size\t1\t10
art_prec\t1\t1.0
art_rec\t\t1\t1.0
art_f1\t\t1\t1.0
char_prec\t1\t0.5
char_rec\t1\t1.0
char_f1\t\t1\t0.6666666666666666
iP[0.00]\t1\t0.5
iP[0.01]\t1\t0.5
iP[0.05]\t1\t0.5
iP[0.10]\t1\t0.5
AiP\t\t1\t0.5
"""
    mean = topic.replace("\t1\t", "\tall\t").replace("AiP", "MAiP")
    points = "".join(f"ircl_prn.{point / 100:.2f}\tall\t0.5\n" for point in range(101))
    block = f'<eval run-id="tag0" file="run0">\n{topic}num_q\t\tall\t1\n{mean}{points}</eval>\n'
    assert output == block
