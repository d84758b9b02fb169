"""The format trec_eval: output by hand, agreement with pytrec_eval, and misuse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import pytrec_eval
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

from xcg.evaluation.evaluate import evaluate as evaluate_inputs
from xcg.evaluation.inputs import Inputs
from xcg.report.trec_eval import trec_eval_inputs, trec_eval_output

QRELS = """\
1 0 a 1
1 0 b 0
1 0 c 2
1 0 d -1
2 0 a 0
2 0 b 1
10 0 a 1
"""
# Topic 1: x, c, b, a, since c and b are tied; two relevant documents at the ranks 2 and 4.
RUN = """\
1 Q0 x 1 9 bm25
1 Q0 b 2 8 bm25
1 Q0 c 3 8 bm25
1 Q0 a 4 7 bm25
2 Q0 a 1 1 bm25
3 Q0 a 1 1 bm25
"""


def official(
    topic: str,
    counts: list[int],
    score: float,
    hits: float,
    first: Sequence[tuple[str, object]] = (),
    **others: str,
) -> str:
    """Return the lines of the official measures for a topic, or for all with the first lines.

    Args:
        topic: The topic.
        counts: num_ret, num_rel and num_rel_ret.
        score: The value of all measures that are not counts or precisions.
        hits: The relevant results, per topic.
        first: The lines before the counts.
        others: Further names and values; gm_map is a line after map.
    """
    rows = [*first, *zip(("num_ret", "num_rel", "num_rel_ret"), counts, strict=True)]
    names = ["map", *(["gm_map"] if "gm_map" in others else []), "Rprec", "bpref", "recip_rank"]
    names += [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]
    rows += [(name, others.get(name, f"{score:.4f}")) for name in names]
    rows += [(f"P_{k}", f"{hits / k:.4f}") for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    return "".join(f"{name:22}\t{topic}\t{value}\n" for name, value in rows)


TOPIC_1 = official("1", [4, 2, 2], 0.5, 2)
TOPIC_2, TOPIC_10 = official("2", [1, 1, 0], 0, 0), official("10", [0, 1, 0], 0, 0)
# gm_map is the third root of 0.5 · 0.00001 · 0.00001, and the square root of 0.5 · 0.00001.
ALL = official("all", [5, 4, 2], 0.5 / 3, 2 / 3, [("runid", "bm25"), ("num_q", 3)], gm_map="0.0004")
ANSWERED = official(
    "all", [5, 3, 2], 0.5 / 2, 2 / 2, [("runid", "bm25"), ("num_q", 2)], gm_map="0.0022"
)

WRITTEN_QRELS = """\
# topic 1 has two relevant documents, topic 2 one
1 0 doc#4_163 1
1 0 doc#5_7 0
#1 0 doc#9_9 1
1 0 plain 2
2 0 a -1
2 0 b#x 1
"""
# Topic 1: plain, doc#4_163, doc#5_7. The last two are tied in single precision, which trec_eval 9 and
# pytrec_eval use; then the order would be by descending id, and AP (1 + 2/3) / 2.
WRITTEN_RUN = """\
# created by a script
1 Q0 plain 1 3 tag and text after the sixth column
1 Q0 doc#5_7 2 2 tag
#1 Q0 doc#9_9 1 9 tag
1 Q0 doc#4_163 3 2.00000000001 tag\tmore

2 Q0 b#x 1 1 tag
2 Q0 a 2 5 tag # see log 8
"""
# Topic 2: a, which counts as unjudged, and b#x. The average precisions are 1 and 0.5.
WRITTEN_ALL = official(
    *("all", [5, 3, 3], 0.75, 1.5, [("runid", "tag"), ("num_q", 2)]),
    **{"gm_map": "0.7071", "Rprec": "0.5000", "bpref": "1.0000"},
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[object, ...]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    paths = "--assessments", tmp_path / "qrels", "--run", tmp_path / "run"
    return "evaluate", *paths, "--format", "trec_eval"


def test_official_measures_by_hand(files: tuple[object, ...], xcg_command: Command) -> None:
    done = xcg_command(*files)
    assert (done.returncode, done.stdout) == (0, ALL)
    assert done.stderr == (
        "xcg: note: run bm25: no assessments, so left out: topic 3\n"
        "xcg: note: run bm25: not answered, so counted 0: topic 10\n"
    )
    assert xcg_command(*files, "--set", "topics.unanswered=skip").stdout == ANSWERED


def test_topics_come_first_in_string_order(files: tuple[object, ...], xcg_command: Command) -> None:
    done = xcg_command(*files, "--per-topic")
    assert done.stdout == TOPIC_1 + TOPIC_10 + TOPIC_2 + ALL
    done = xcg_command(*files, "--per-topic", "--set", "topics.unanswered=skip")
    assert done.stdout == TOPIC_1 + TOPIC_2 + ANSWERED


def test_chosen_measures_have_the_names_and_order_of_trec_eval(
    files: tuple[object, ...], xcg_command: Command
) -> None:
    """As trec_eval -c -m …, which prints runid for official measures only."""
    names = "SetF(beta=2.0) SetF SetAP SetR SetP(relative=True) SetP Success@5 AP@3 nDCG@10 nDCG infAP"
    names += " R@10 R@2 P@10 P@2 IPrec@0.125 RR Bpref Rprec AP NumRelRet NumRel NumRet NumQ"
    done = xcg_command(*files, "--measures", names)
    # Topic 1, a third of it: AP@3 (1/2)/2, nDCG (2/log2(3) + 1/log2(5)) / (2 + 1/log2(3)),
    # infAP at 2: 1/2, x is not in the pool; at 4: 1/4 + 3/4 · 2/3 · 1/2 = 1/2
    ndcg = (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3)) / 3
    values = {
        **{"num_q": 3, "num_ret": 5, "num_rel": 4, "num_rel_ret": 2},
        **{"map": 0.5 / 3, "Rprec": 0.5 / 3, "bpref": 0.5 / 3, "recip_rank": 0.5 / 3},
        **{"iprec_at_recall_0.12": 0.5 / 3, "P_2": 0.5 / 3, "P_10": 0.2 / 3},
        **{"recall_2": 0.5 / 3, "recall_10": 1 / 3, "infAP": 0.5 / 3},
        **{"ndcg": ndcg, "ndcg_cut_10": ndcg, "map_cut_3": 0.25 / 3, "success_5": 1 / 3},
        **{"set_P": 0.5 / 3, "set_relative_P": 1 / 3, "set_recall": 1 / 3, "set_map": 0.5 / 3},
        **{"set_F": 2 * 0.5 / 1.5 / 3, "set_F_2.0": 3 * 0.5 / (1 + 2 * 0.5) / 3},
    }
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert [name.rstrip() for name, _, _ in lines] == list(values)
    for name, topic, value in lines:
        assert (len(name), topic) == (22, "all")
        expected = values[name.rstrip()]
        assert value == (str(expected) if isinstance(expected, int) else f"{expected:.4f}"), name


def test_several_runs_follow_each_other(
    files: tuple[object, ...], tmp_path: Path, xcg_command: Command
) -> None:
    (tmp_path / "other").write_text("1 Q0 a 1 1 lm\n10 Q0 a 1 1 lm\n")
    official = xcg_command(*files, "--run", tmp_path / "other").stdout
    assert official.startswith(ALL + "runid                 \tall\tlm\n")


def test_user_models_do_not_matter(
    files: tuple[object, ...], tmp_path: Path, xcg_command: Command
) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("user_model: [levels, overlap-off]\n")
    assert xcg_command(*files, config).stdout == ALL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(WRITTEN_QRELS)
    (tmp_path / "run").write_text(WRITTEN_RUN)
    return tmp_path


def test_comments_further_text_ids_with_hashes_and_double_precision(
    folder: Path, xcg_command: Command
) -> None:
    files = "--assessments", folder / "qrels", "--run", folder / "run"
    done = xcg_command("evaluate", *files, "--format", "trec_eval")
    assert (done.returncode, done.stdout) == (0, WRITTEN_ALL)
    note = f"xcg: note: {folder / 'run'}: text after the sixth column, which is ignored\n"
    contradiction, ignored = done.stderr.splitlines(keepends=True)
    assert "topics in which ranks and scores contradict each other: 2 times" in contradiction
    assert ignored == note
    for name, text in (("qrels", WRITTEN_QRELS), ("run", WRITTEN_RUN)):
        (folder / name).write_bytes(text.replace("\n", "\r\n").encode())
    windows = xcg_command("evaluate", *files, "--format", "trec_eval", "--set", "lenient=true")
    assert (windows.stderr, windows.stdout) == (done.stderr, WRITTEN_ALL)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("AP nxCG@10", "trec_eval has no name for nxCG@10: expected standard measures such as AP"),
        ("RR@10", "trec_eval has no name for RR@10: expected"),
        ("AP(judged_only=True)", "trec_eval has no name for AP(judged_only=True): expected"),
        ("Judged@10", "trec_eval has no name for Judged@10: expected"),
        ("R", "trec_eval has no name for R: expected"),
        ("AP(rel=2)", "trec_eval has no name for AP(rel=2): expected"),
    ],
)
def test_measures_that_trec_eval_cannot_print(
    files: tuple[object, ...], xcg_command: Command, measures: str, message: str
) -> None:
    done = xcg_command(*files, "--measures", measures)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1


def test_sums_round_as_in_trec_eval() -> None:
    """Seven times 0.2 is 1.4 exactly, and 1.4 / 32 = 0.04375; trec_eval's sum is slightly less."""
    qrels = {str(topic): {"a": 1} for topic in range(32)}
    runs = {"r": {topic: ["a"] if int(topic) < 7 else ["x"] for topic in qrels}}
    inputs = trec_eval_inputs(Inputs(qrels, runs, measures="P@5"))
    assert trec_eval_output(evaluate_inputs(inputs)).split() == ["P_5", "all", "0.0437"]


_LEVELS = st.dictionaries(
    st.sampled_from([f"d{number}" for number in range(12)]), st.integers(-2, 3)
).map(lambda levels: {**levels, "judged": 0})  # pytrec_eval breaks on negative levels alone
_SCORES = st.dictionaries(
    st.sampled_from([*(f"d{number}" for number in range(12)), "x", "y"]),
    st.sampled_from([0.5, 1.0, 1.25, 7.0]),
    min_size=1,
)


@given(
    st.dictionaries(st.sampled_from(["1", "2", "10", "a"]), _LEVELS, min_size=1),
    st.dictionaries(st.sampled_from(["1", "2", "10", "a", "b"]), _SCORES, min_size=1),
)
def test_output_agrees_with_pytrec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    """Ties, unassessed documents, negative levels, unanswered topics; printed to the last digit."""
    if not qrels.keys() & run.keys():
        return
    names = {"map", "Rprec", "bpref", "recip_rank", "num_ret", "num_rel", "num_rel_ret", "P"}
    names |= {f"iprec_at_recall_{point / 10:.2f}" for point in range(11)}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    inputs = trec_eval_inputs(Inputs(qrels, {"r": run}, unanswered="skip", ties="document"))
    lines = trec_eval_output(evaluate_inputs(inputs), per_topic=True).splitlines()
    printed = {(name.rstrip(), topic): value for name, topic, value in (s.split("\t") for s in lines)}
    topics = sorted(theirs)
    relevant = {t: sum(level > 0 for level in qrels[t].values()) for t in topics}
    for name in sorted(theirs[topics[0]]):
        values = [theirs[topic][name] for topic in topics]
        if name.startswith("iprec"):
            point = float(name[-4:])  # trec_eval 10 rounds otherwise than pytrec_eval
            if any(int(point * r + 0.9) != math.floor(point * r + 0.5) for r in relevant.values()):
                continue
        if name.startswith("num_"):
            for topic, value in zip([*topics, "all"], [*values, sum(values)], strict=True):
                assert printed[name, topic] == str(int(value))
            continue
        total = 0.0
        for topic, value in zip(topics, values, strict=True):
            assert printed[name, topic] == f"{value:.4f}", (name, topic)
            total += value
        assert printed[name, "all"] == f"{total / len(values):.4f}", name
    assert printed["num_q", "all"] == str(len(topics))
    assert printed["runid", "all"] == "r"
