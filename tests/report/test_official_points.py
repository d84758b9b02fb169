"""Each point of the comparison with the official evaluators has a value computed by hand."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Command

ONE_DOCUMENT = "1 Q0 d 10 100 0 0:10\n"


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

    def refuses(self, options: str, qrels: str, results: str) -> str:
        """Return the message; fail if the files are accepted."""
        return refusal(self.run(options, qrels, results))


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


# 1. Call and files


def test_exactly_one_task_is_required(inex_eval: Evaluator) -> None:
    assert inex_eval("-f", ONE_DOCUMENT, "1 d 0 10")["MAiP"] == "1.0"
    inex_eval.refuses("", ONE_DOCUMENT, "1 d 0 10")
    inex_eval.refuses("-f -t", ONE_DOCUMENT, "1 d 0 10")


def test_every_run_has_its_own_block(inex_eval: Evaluator) -> None:
    output = inex_eval.run("-f", ONE_DOCUMENT, "1 d 0 10", "1 d 0 20").stdout
    first, second = output.split("</eval>\n")[:2]
    assert first.splitlines()[0] == '<eval run-id="tag0" file="run0">'
    assert second.splitlines()[0] == '<eval run-id="tag1" file="run1">'
    assert values(first)["char_prec"] == "1.0"
    assert values(second)["char_prec"] == "0.5"


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


@pytest.mark.parametrize("line", ["1 Q0 d 10 100\n", "1 Q0 d 10 100 0\n"])
def test_five_or_six_fields_have_no_passages(inex_eval: Evaluator, line: str) -> None:
    found = inex_eval("-f", line, "1 d 0 20")
    assert (found["num_rel_ret"], found["rel_size"], found["rel_ret_size"]) == ("1", "10", "0")


def test_an_entry_point_without_passages_is_not_read(inex_eval: Evaluator) -> None:
    assert inex_eval("-b", "1 Q0 d 10 100 5\n", "1 d 5 10")["gP[1]"] == "0.0"
    assert inex_eval("-b", "1 Q0 d 10 100 5 0:10\n", "1 d 5 10")["gP[1]"] == "1.0"


def test_the_relevant_size_of_the_line_counts(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 40 100 0 0:10\n"
    found = inex_eval("-f", qrels, "1 d 0 20")
    assert (found["rel_size"], found["rel_ret_size"], found["char_rec"]) == ("40", "10", "0.25")
    found = inex_eval("-r -beta 1", qrels, "1 d 0 20")  # precision 1/2, recall 1/4
    assert float(found["gP[1]"]) == pytest.approx(1 / 3)


def test_a_document_is_relevant_if_its_relevant_size_is_above_0(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", ONE_DOCUMENT + "1 Q0 e 0 50\n", "1 d 0 10, 1 e 0 50")
    assert (found["num_ret"], found["num_rel"], found["num_rel_ret"]) == ("2", "1", "1")


def test_passages_of_length_0_hold_no_text(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", "1 Q0 d 10 100 0 0:10 15:0\n", "1 d 0 20")
    assert (found["rel_size"], found["rel_ret_size"], found["char_prec"]) == ("10", "10", "0.5")


def test_the_text_of_overlapping_passages_counts_twice(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", "1 Q0 d 15 100 0 0:10 5:5\n", "1 d 5 5")
    assert (found["ret_size"], found["rel_ret_size"], found["char_prec"]) == ("5", "10", "2.0")


def test_entry_point_minus_1_means_none(inex_eval: Evaluator) -> None:
    assert inex_eval("-b", "1 Q0 d 10 100 -1 0:10\n", "1 d 0 10")["gP[1]"] == "0.0"
    assert inex_eval("-b", "1 Q0 d 10 100 0 0:10\n", "1 d 0 10")["gP[1]"] == "1.0"


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


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_a_result_without_offset_has_18_characters(inex_eval: Evaluator, offset: str) -> None:
    found = inex_eval("-f", ONE_DOCUMENT, f"1 d {offset} 5, 1 d 0 10")
    assert (found["ret_size"], found["rel_ret_size"]) == ("28", "10")
    assert float(found["MAiP"]) == pytest.approx(10 / 28)


def test_results_of_length_0_are_legal(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", ONE_DOCUMENT, "1 d 10 0, 1 d 0 10")
    assert (found["num_ret"], found["ret_size"], found["MAiP"]) == ("1", "10", "1.0")
    assert inex_eval("-b -n 10", ONE_DOCUMENT, "1 d 3 0")["gP[1]"] == "0.7"


def test_topics_without_assessments_are_skipped(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", ONE_DOCUMENT, "9 d 0 10, 1 d 0 10")
    assert (found["num_q"], found["num_ret"], found["MAiP"]) == ("1", "1", "1.0")


def test_defaults_are_beta_a_quarter_n_500_and_irr_300(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 100 1000 0 0:100\n"
    found = inex_eval("-r", qrels, "1 d 0 200")  # precision 1/2, recall 1
    assert float(found["gP[1]"]) == pytest.approx(1.0625 * 0.5 / (0.0625 * 0.5 + 1))
    assert inex_eval("-b", qrels, "1 d 250 10")["gP[1]"] == "0.5"
    assert inex_eval("-i", qrels, "1 d 0 50")["gP[1]"] == "0.25"  # 100 relevant, 300 irrelevant


# 2. Focused and thorough


def test_precision_is_kept_at_the_recall_of_each_result(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 80 100 0 0:80\n1 Q0 e 0 50\n1 Q0 f 120 500 0 0:60 300:60\n"
    found = inex_eval("-f -q", qrels, "1 d 0 100, 1 e 0 50, 1 f 0 100", topic="1")
    # precision .8, .533, .56 at recall .4, .4, .7
    assert (found["iP[0.00]"], found["iP[0.10]"], found["char_prec"]) == ("0.8", "0.8", "0.56")
    assert float(found["AiP"]) == pytest.approx((41 * 0.8 + 30 * 0.56) / 101)


def test_recall_points_are_floored_in_floating_point(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", "1 Q0 d 100 100 0 0:100\n", "1 d 0 29")
    assert (found["ircl_prn.0.28"], found["ircl_prn.0.29"]) == ("1.0", "0.0")
    assert float(found["MAiP"]) == pytest.approx(29 / 101)


def test_a_recall_point_takes_the_maximum_of_all_higher_points(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 100 200 0 0:10 20:90\n"
    found = inex_eval("-f", qrels, "1 d 0 20, 1 d 20 80")  # precision .5 at recall .1, .9 at .9
    assert (found["ircl_prn.0.00"], found["ircl_prn.0.90"], found["ircl_prn.0.91"]) == (
        "0.9",
        "0.9",
        "0.0",
    )
    assert float(found["MAiP"]) == pytest.approx(91 * 0.9 / 101)


def test_recall_above_1_is_skipped(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", "1 Q0 d 10 100 0 0:20\n", "1 d 0 5, 1 d 5 15")  # recall .5, then 2
    assert float(found["MAiP"]) == pytest.approx(51 / 101)
    assert found["char_rec"] == "2.0"


def test_interpolated_precision_is_printed_at_four_levels(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", "1 Q0 d 100 100 0 0:100\n", "1 d 0 1, 1 e 0 9, 1 d 1 4")
    printed = {name: value for name, value in found.items() if name.startswith("iP")}
    # precision 1 at recall .01, 5/14 at recall .05
    assert list(printed) == ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]"]
    assert list(map(float, printed.values())) == pytest.approx([1, 1, 5 / 14, 0])


def test_overlap_ends_the_focused_task(inex_eval: Evaluator) -> None:
    message = inex_eval.refuses("-f", ONE_DOCUMENT, "1 d 0 20, 1 e 0 20, 1 d 19 5")
    assert "run0:3" in message
    inex_eval("-f", ONE_DOCUMENT, "1 d 0 20, 1 e 0 20, 1 d 20 5")


@pytest.mark.parametrize("task", ["-r", "-i"])
def test_overlap_is_refused_in_context_too(inex_eval: Evaluator, task: str) -> None:
    assert "run0:2" in inex_eval.refuses(task, ONE_DOCUMENT, "1 d 0 20, 1 d 19 5")


def test_an_empty_result_overlaps_only_inside_another(inex_eval: Evaluator) -> None:
    inex_eval.refuses("-f", ONE_DOCUMENT, "1 d 0 20, 1 d 5 0")
    inex_eval.refuses("-f", ONE_DOCUMENT, "1 d 5 0, 1 d 0 20")
    for results in ("1 d 0 20, 1 d 0 0", "1 d 0 20, 1 d 20 0", "1 d 5 0, 1 d 5 0"):
        inex_eval("-f", ONE_DOCUMENT, results)


def test_results_without_offset_never_overlap(inex_eval: Evaluator) -> None:
    assert inex_eval("-f", ONE_DOCUMENT, "1 d X 5, 1 d 0 20, 1 d X 5")["ret_size"] == "56"


def test_thorough_counts_unknown_text_only_in_irrelevant_documents(inex_eval: Evaluator) -> None:
    assert inex_eval("-t", ONE_DOCUMENT, "1 d X 5, 1 d 0 20")["ret_size"] == "20"
    assert inex_eval("-t", ONE_DOCUMENT, "1 e X 5, 1 e X 5, 1 d 0 20")["ret_size"] == "56"


def test_overlap_in_unassessed_topics_is_not_an_error(inex_eval: Evaluator) -> None:
    assert inex_eval("-f", ONE_DOCUMENT, "9 d 0 10, 9 d 0 10, 1 d 0 10")["num_ret"] == "1"


def test_f1_is_0_without_relevant_results(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", ONE_DOCUMENT, "1 e 0 10")
    assert (found["art_f1"], found["char_f1"]) == ("0.0", "0.0")


def test_precision_of_empty_results_is_0(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", ONE_DOCUMENT, "1 d 0 0")
    assert (found["char_prec"], found["MAiP"], found["art_prec"]) == ("0.0", "0.0", "1.0")


def test_passages_of_relevant_size_0_hold_nothing_relevant_except_in_i(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 0 50 0 0:10\n" + "1 Q0 e 10 50 0 0:10\n"
    found = inex_eval("-f", qrels, "1 d 0 20, 1 e 0 10")
    assert (found["num_rel"], found["rel_ret_size"]) == ("1", "10")
    assert inex_eval("-r", qrels, "1 d 0 10, 1 e 0 10")["gP[1]"] == "0.0"
    assert inex_eval("-i", qrels, "1 d 0 10, 1 e 0 10")["gP[1]"] == "0.2"


def test_a_document_in_two_lines_adds_up(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 10 100 0 0:10\n1 Q0 d 5 100 30 30:5\n"
    found = inex_eval("-f", qrels, "1 d 0 50")
    names = ("num_rel", "num_rel_ret", "rel_size", "rel_ret_size")
    assert [found[name] for name in names] == ["1", "1", "15", "15"]
    assert inex_eval("-b", qrels, "1 d 30 5")["gP[1]"] == "1.0"


def test_thorough_counts_repeated_text_once_in_relevant_documents(inex_eval: Evaluator) -> None:
    found = inex_eval("-t", ONE_DOCUMENT, "1 d 0 20, 1 d 0 20, 1 d 5 25")
    assert (found["ret_size"], found["rel_ret_size"]) == ("30", "10")
    assert float(found["char_prec"]) == pytest.approx(1 / 3)


def test_thorough_counts_repeated_text_again_in_other_documents(inex_eval: Evaluator) -> None:
    qrels = ONE_DOCUMENT + "1 Q0 e 0 50\n"
    found = inex_eval("-t", qrels, "1 e 0 20, 1 e 0 20, 1 unjudged 0 10, 1 unjudged 5 5, 1 d 0 10")
    assert (found["ret_size"], found["rel_ret_size"]) == ("65", "10")
    assert float(found["MAiP"]) == pytest.approx(10 / 65)


def test_article_scores_count_different_documents(inex_eval: Evaluator) -> None:
    qrels = ONE_DOCUMENT + "1 Q0 e 0 50\n1 Q0 f 30 50 0 0:30\n"
    found = inex_eval("-f", qrels, "1 d 0 5, 1 d 5 15, 1 e 0 5, 1 unjudged 0 15")
    assert (found["num_ret"], found["num_rel"], found["num_rel_ret"]) == ("3", "2", "1")
    articles = [float(found[name]) for name in ("art_prec", "art_rec", "art_f1")]
    assert articles == pytest.approx([1 / 3, 1 / 2, 2 / 5])
    characters = [float(found[name]) for name in ("char_prec", "char_rec", "char_f1")]
    assert characters == pytest.approx([10 / 40, 10 / 40, 1 / 4])


# 3. In context


def test_ranks_count_documents(inex_eval: Evaluator) -> None:
    for task in ("-r", "-i"):
        found = inex_eval(task, ONE_DOCUMENT, "1 e 0 5, 1 e 20 5, 1 d 0 2, 1 d 2 98")
        assert (found["num_ret"], found["gP[1]"]) == ("2", "0.0")
        assert float(found["gP[2]"]) > 0
        assert found["gP[50]"] == found["gP[2]"]


@pytest.mark.parametrize("task", ["-r", "-b", "-i"])
def test_a_document_that_comes_back_is_refused(inex_eval: Evaluator, task: str) -> None:
    message = inex_eval.refuses(task, ONE_DOCUMENT, "1 d 0 5, 1 e 0 5, 1 d 5 5")
    assert "run0:3" in message
    for other in ("-f", "-t"):
        inex_eval(other, ONE_DOCUMENT, "1 d 0 5, 1 e 0 5, 1 d 5 5")


def test_best_in_context_refuses_a_second_result(inex_eval: Evaluator) -> None:
    message = inex_eval.refuses("-b", ONE_DOCUMENT, "1 d 0 5, 1 d 5 5")
    assert "run0:2" in message
    inex_eval("-r", ONE_DOCUMENT, "1 d 0 5, 1 d 5 5")


def test_relevant_in_context_is_f_beta_of_the_document(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 200 1000 0 0:80 500:120\n"
    for beta, expected in ((1, 0.64 / 1.2), (0.25, 1.0625 * 0.32 / 0.45)):  # precision .8, recall .4
        found = inex_eval(f"-r -beta {beta}", qrels, "1 d 0 100")
        assert float(found["gP[1]"]) == pytest.approx(expected)


def test_best_in_context_is_the_nearness_to_the_entry_point(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 10 2000 600 600:10\n1 Q0 e 0 50 10 0:0\n"
    for options, offset, expected in (
        ("-b", 600, "1.0"),
        ("-b", 300, "0.4"),
        ("-b", 900, "0.4"),
        ("-b", 100, "0.0"),
        ("-b", 99, "0.0"),
        ("-b -n 1000", 900, "0.7"),
    ):
        assert inex_eval(options, qrels, f"1 d {offset} 10")["gP[1]"] == expected
    assert inex_eval("-b", qrels, "1 e 10 10")["gP[1]"] == "0.0"
    assert inex_eval("-b", qrels, "1 unjudged 10 10")["gP[1]"] == "0.0"


def test_the_tolerance_reader_reads_results_then_the_rest(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 15 100 0 0:10 20:5\n"
    # 10 relevant at 0, 10 irrelevant at 40, 10 irrelevant at 10, 5 relevant at 20, 1 irrelevant.
    found = inex_eval("-i -irr 21", qrels, "1 d 40 10, 1 d 0 10")
    assert float(found["gP[1]"]) == pytest.approx(15 / 36)


def test_the_tolerance_reader_reads_the_text_before_the_first_result(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 20 100 0 0:10 50:10\n"
    # 5 relevant at 50, 5 irrelevant at 70, 10 relevant at 0, 15 irrelevant at 10
    found = inex_eval("-i -irr 20", qrels, "1 d 50 5, 1 d 70 5")
    assert float(found["gP[1]"]) == pytest.approx(15 / 35)


def test_the_tolerance_reader_reads_text_in_two_passages_once(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 20 100 0 0:15 10:5\n"
    assert inex_eval("-i", qrels, "1 d 0 20")["gP[1]"] == "0.15"


def test_the_tolerance_reader_does_not_read_results_without_offset(inex_eval: Evaluator) -> None:
    found = inex_eval("-i -irr 10", ONE_DOCUMENT, "1 d X 5")  # 10 relevant, 10 irrelevant
    assert (found["gP[1]"], found["ret_size"]) == ("0.5", "18")


def test_the_tolerance_reader_stops_after_irr_characters(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 15 100 0 0:10 20:5\n"
    found = inex_eval("-i -irr 20", qrels, "1 d 40 10, 1 d 0 10")
    assert float(found["gP[1]"]) == pytest.approx(10 / 30)
    found = inex_eval("-i -irr 3", qrels, "1 d 0 100")  # stops inside a stretch
    assert float(found["gP[1]"]) == pytest.approx(10 / 13)


def test_the_tolerance_reader_gains_nothing_without_assessment(inex_eval: Evaluator) -> None:
    found = inex_eval("-i", ONE_DOCUMENT, "1 unjudged 0 10, 1 d 0 100")
    assert found["gP[1]"] == "0.0"
    assert float(found["gP[2]"]) == pytest.approx((10 / 100) / 2)


def test_values_at_the_last_document_are_repeated(inex_eval: Evaluator) -> None:
    qrels = ONE_DOCUMENT + "1 Q0 e 10 100 0 0:10\n"
    found = inex_eval("-r", qrels, "1 d 0 10, 1 unjudged 0 10")
    ranks = (1, 2, 3, 5, 10, 25, 50)
    assert [found[f"gP[{k}]"] for k in ranks] == ["1.0", *["0.5"] * 6]
    assert [found[f"gR[{k}]"] for k in ranks] == ["0.5"] * 7


FOUR_RELEVANT = "".join(f"1 Q0 {name} 10 100 20 20:10\n" for name in "abcd")


def test_average_generalised_precision_is_over_relevant_documents(inex_eval: Evaluator) -> None:
    found = inex_eval("-b -n 10", FOUR_RELEVANT, "1 a 22 1, 1 other 0 1, 1 b 25 1")  # .8, 0, .5
    assert float(found["MAgP"]) == pytest.approx((0.8 + 1.3 / 3) / 4)
    assert (found["gR[1]"], found["gR[2]"], found["gR[3]"]) == ("0.25", "0.25", "0.5")


def test_eleven_points_of_generalised_precision(inex_eval: Evaluator) -> None:
    found = inex_eval("-b -n 10", FOUR_RELEVANT, "1 a 22 1, 1 other 0 1, 1 b 25 1")
    points = [float(value) for name, value in found.items() if name.startswith("ircl_prn")]
    assert points == pytest.approx([0.8] * 3 + [1.3 / 3] * 3 + [0] * 5)
    labels = [name for name in found if name.startswith("ircl_prn")]
    assert (labels[0], labels[1], labels[-1]) == ("ircl_prn.0.00", "ircl_prn.0.10", "ircl_prn.1.00")


# 4. Means and output

TWO_TOPICS = ONE_DOCUMENT + "2 Q0 d 30 100 0 0:30\n"
NOTHING_RELEVANT = "3 Q0 d 0 100\n"


def test_means_are_over_answered_topics_or_all(inex_eval: Evaluator) -> None:
    found = inex_eval("-f", TWO_TOPICS, "1 d 0 10")
    assert (found["num_q"], found["rel_size"], found["MAiP"]) == ("1", "10", "1.0")
    found = inex_eval("-f -c", TWO_TOPICS, "1 d 0 10")
    assert (found["num_q"], found["rel_size"], found["MAiP"]) == ("2", "40", "0.5")
    assert (found["art_prec"], found["art_rec"], found["char_f1"]) == ("0.5", "0.5", "0.5")
    assert inex_eval("-r", TWO_TOPICS, "1 d 0 10")["MAgP"] == "1.0"
    assert inex_eval("-r -c", TWO_TOPICS, "1 d 0 10")["MAgP"] == "0.5"


def test_a_topic_without_relevant_text_makes_some_means_nan(inex_eval: Evaluator) -> None:
    found = inex_eval("-f -c", TWO_TOPICS + NOTHING_RELEVANT, "1 d 0 10")
    assert {name for name, value in found.items() if value == "NaN"} == {"art_rec", "char_rec"}
    assert float(found["MAiP"]) == pytest.approx(1 / 3)
    found = inex_eval("-r -c", TWO_TOPICS + NOTHING_RELEVANT, "1 d 0 10")
    assert {name for name, value in found.items() if value == "NaN"} == {"MAgP"}
    assert float(found["gP[1]"]) == pytest.approx(1 / 3)


def test_an_answered_topic_without_relevant_text_makes_gr_nan(inex_eval: Evaluator) -> None:
    qrels = TWO_TOPICS + NOTHING_RELEVANT
    assert inex_eval("-r", qrels, "1 d 0 10, 3 d 0 10")["gR[1]"] == "NaN"
    assert float(inex_eval("-r -c", qrels, "1 d 0 10")["gR[1]"]) == pytest.approx(1 / 3)


def test_counts_in_context_are_over_all_topics(inex_eval: Evaluator) -> None:
    names = ("num_q", "num_rel", "rel_size")
    for task in ("-r", "-r -c"):
        found = inex_eval(task, TWO_TOPICS, "1 d 0 20")
        assert [found[name] for name in names[1:]] == ["2", "40"]
    assert [inex_eval("-f", TWO_TOPICS, "1 d 0 20")[name] for name in names] == ["1", "1", "10"]


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


def test_sums_are_added_from_left_to_right(inex_eval: Evaluator) -> None:
    qrels = "".join(f"{topic} Q0 d {topic} 100 0 0:{topic}\n" for topic in (1, 2, 3))
    found = inex_eval("-f", qrels, "1 d 0 10, 2 d 0 10, 3 d 0 10")  # precision .1, .2, .3
    assert found["char_prec"] == "0.20000000000000004"  # the exact sum gives 0.2


def test_lines_of_topics_may_alternate(inex_eval: Evaluator) -> None:
    results = "1 d 0 10, 2 d 0 30, 1 e 0 10, 2 e 0 10"
    for task in ("-f", "-t", "-r", "-b", "-i"):
        found = inex_eval(task, TWO_TOPICS, results)
        assert (found["num_q"], found["num_ret"], found["num_rel_ret"]) == ("2", "4", "2")
    assert inex_eval("-r", TWO_TOPICS, results)["gP[2]"] == "0.5"


def test_one_refused_run_refuses_all(inex_eval: Evaluator) -> None:
    message = refusal(inex_eval.run("-f", ONE_DOCUMENT, "1 d 0 10", "1 d 0 10, 1 d 5 10"))
    assert "run1:2" in message


def test_recall_above_1_prints_no_line_of_its_own(inex_eval: Evaluator) -> None:
    output = inex_eval.run("-f", "1 Q0 d 10 100 0 0:20\n", "1 d 0 20").stdout
    assert output.startswith("<eval ")


@pytest.mark.parametrize(("offset", "length"), [("-2", "10"), ("0", "-3"), ("x", "10"), ("0", "x")])
def test_illegal_offsets_and_lengths_are_refused(
    inex_eval: Evaluator, offset: str, length: str
) -> None:
    assert "run0:1" in inex_eval.refuses("-f", ONE_DOCUMENT, f"1 d {offset} {length}")


@pytest.mark.parametrize("options", ["-i -irr 0", "-b -n 0", "-r -beta -1"])
def test_options_below_their_least_value_are_refused(inex_eval: Evaluator, options: str) -> None:
    inex_eval.refuses(options, ONE_DOCUMENT, "1 d 0 10")


def test_counts_are_sums_over_topics(inex_eval: Evaluator) -> None:
    for task in ("-f", "-r"):
        found = inex_eval(task, TWO_TOPICS, "1 d 0 20, 2 d 0 20, 2 e 0 5")
        names = ("num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
        assert [found[name] for name in names] == ["2", "3", "2", "2", "45", "40", "30"]


def test_numbers_are_printed_as_java_prints_them(inex_eval: Evaluator) -> None:
    qrels = "1 Q0 d 1 100000 0 0:1\n"
    for length, expected in ((10000, "1.0E-4"), (1000, "0.001"), (3, "0.3333333333333333"), (1, "1.0")):
        assert inex_eval("-f", qrels, f"1 d 0 {length}")["char_prec"] == expected


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


def test_lines_of_the_in_context_tasks(inex_eval: Evaluator) -> None:
    output = inex_eval.run("-b -q", ONE_DOCUMENT, "1 d 250 20").stdout
    counts = """\
num_ret\t\t1\t1
num_rel\t\t1\t1
num_rel_ret\t1\t1
ret_size\t1\t0
rel_size\t1\t10
rel_ret_size\t1\t0
"""
    ranks = (1, 2, 3, 5, 10, 25, 50)
    pairs = "".join(f"gP[{k}]\t\t1\t0.5\ngR[{k}]\t\t1\t1.0\n" for k in ranks)
    topic = counts + pairs + "AgP\t\t1\t0.5\n"
    mean = (counts + "MAgP\t\t1\t0.5\n" + pairs).replace("\t1\t", "\tall\t")
    points = "".join(f"ircl_prn.{point / 10:.2f}\tall\t0.5\n" for point in range(11))
    block = f'<eval run-id="tag0" file="run0">\n{topic}num_q\t\tall\t1\n{mean}{points}</eval>\n'
    assert output == block


def test_topics_come_first_in_string_order(inex_eval: Evaluator) -> None:
    qrels = "9 Q0 d 10 100 0 0:10\n10 Q0 d 10 100 0 0:10\n"
    output = inex_eval.run("-f -q", qrels, "9 d 0 10, 10 d 0 10").stdout
    topics = [re.split(r"\t+", line)[1] for line in output.splitlines() if "\t" in line]
    assert list(dict.fromkeys(topics)) == ["10", "9", "all"]
    quiet = inex_eval.run("-f", qrels, "9 d 0 10, 10 d 0 10").stdout
    assert (
        "".join(line for line in output.splitlines(True) if not re.search(r"\t(9|10)\t", line)) == quiet
    )


# 5. trec_eval

TrecEval = Callable[..., dict[str, str]]


@pytest.fixture
def trec_eval(xcg_command: Command, tmp_path: Path) -> TrecEval:
    """Return the values that ``xcg evaluate --format trec_eval`` prints, by name and topic."""

    def evaluate(qrels: str, run: str, *options: str) -> dict[str, str]:
        (tmp_path / "qrels").write_text(qrels)
        (tmp_path / "run").write_text(run)
        files = ("--assessments", tmp_path / "qrels", "--run", tmp_path / "run")
        done = xcg_command("evaluate", *files, "--format", "trec_eval", *options)
        assert done.returncode == 0, done.stderr
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        return {f"{name.rstrip()} {topic}": value for name, topic, value in rows}

    return evaluate


def test_scores_are_compared_in_double_precision(trec_eval: TrecEval) -> None:
    run = "1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n"
    assert trec_eval("1 0 a 1\n1 0 b 0\n", run)["recip_rank all"] == "1.0000"


def test_ties_are_ordered_by_document_id_descending(trec_eval: TrecEval) -> None:
    run = "1 Q0 a 1 1.0 t\n1 Q0 b 2 1.0 t\n"
    assert trec_eval("1 0 a 1\n1 0 b 0\n", run)["recip_rank all"] == "0.5000"


def test_lines_that_begin_with_a_number_sign_are_comments(trec_eval: TrecEval) -> None:
    found = trec_eval("# topics of 2009\n1 0 a 1\n", "# BM25\n#1 Q0 b 1 2.0 t\n1 Q0 a 1 1.0 t\n")
    assert (found["num_ret all"], found["recip_rank all"]) == ("1", "1.0000")


def test_text_after_the_sixth_column_is_ignored(trec_eval: TrecEval) -> None:
    found = trec_eval("1 0 a 1\n", "1 Q0 b 1 2.0 t\n1 Q0 a 1 1.0 t a remark on this line\n")
    assert found["recip_rank all"] == "0.5000"


def test_document_ids_may_contain_a_number_sign(trec_eval: TrecEval) -> None:
    run = "1 Q0 doc#4_164 1 2.0 t\n1 Q0 doc#4_163 2 1.0 t\n"
    assert trec_eval("1 0 doc#4_163 1\n", run)["map all"] == "0.5000"


def test_a_run_named_minus_is_standard_input(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    command = [sys.executable, "-m", "xcg", "evaluate", "--format", "trec_eval"]
    command += ["--assessments", str(tmp_path / "qrels"), "--run", "-"]
    done = subprocess.run(
        command, cwd=ROOT, input="1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n", capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "recip_rank            \tall\t0.5000\n" in done.stdout


TREC_QRELS = "1 0 a 1\n1 0 b 1\n2 0 a 1\n3 0 c 1\n"
TREC_RUN = "1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n2 Q0 a 1 2 t\n"


def test_trec_eval_counts_are_sums_over_topics(trec_eval: TrecEval) -> None:
    names = ("num_q", "num_ret", "num_rel", "num_rel_ret")
    found = trec_eval(TREC_QRELS, TREC_RUN)
    assert [found[f"{name} all"] for name in names] == ["3", "3", "4", "2"]
    found = trec_eval(TREC_QRELS, TREC_RUN, "--unanswered", "skip")
    assert [found[f"{name} all"] for name in names] == ["2", "3", "3", "2"]


def test_trec_eval_means_are_over_all_topics_or_the_answered_ones(trec_eval: TrecEval) -> None:
    # average precision .5 and 1; topic 3 is not answered
    assert trec_eval(TREC_QRELS, TREC_RUN)["map all"] == "0.5000"
    assert trec_eval(TREC_QRELS, TREC_RUN, "--unanswered", "skip")["map all"] == "0.7500"


def test_trec_eval_prints_topics_if_asked(trec_eval: TrecEval) -> None:
    found = trec_eval(TREC_QRELS, TREC_RUN, "--per-topic", "--unanswered", "skip")
    assert (found["map 1"], found["map 2"], found["map all"]) == ("0.5000", "1.0000", "0.7500")
    assert {name.split()[1] for name in trec_eval(TREC_QRELS, TREC_RUN)} == {"all"}


def test_trec_eval_lines_are_padded_to_22_characters(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(TREC_QRELS)
    (tmp_path / "run").write_text(TREC_RUN)
    files = ("--assessments", tmp_path / "qrels", "--run", tmp_path / "run")
    output = xcg_command(
        "evaluate", *files, "--format", "trec_eval", "--measures", "AP NumRet P@5"
    ).stdout
    assert output == (
        "num_ret               \tall\t3\nmap                   \tall\t0.5000\n"
        "P_5                   \tall\t0.1333\n"
    )
