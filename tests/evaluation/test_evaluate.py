"""Whole evaluations in Python: means, notes, and where users of other tools get hurt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import xcg
from xcg.errors import InputError, XcgError

ASSESSMENTS = {
    "1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}},
    "2": {"d": {"/a/s[2]": (3, 3)}},
}
GOOD = {"1": ["d#/a/s[1]", "d#/a/s[2]"], "2": ["d#/a/s[2]"]}


def test_means_are_over_the_assessed_topics() -> None:
    results = xcg.evaluate(ASSESSMENTS, {"half": {"1": GOOD["1"]}, "all": GOOD}, measures=["MAep"])
    assert results.value("all", "MAep") == 1.0
    assert results.value("half", "MAep") == 0.5
    assert results.value("half", "MAep", topic="2") == 0.0
    assert results.value("half", "MAep", topic=2) == 0.0  # type: ignore[arg-type]
    assert "note: run half: not answered, so counted 0: topic 2" in results.notes


def test_unanswered_topics_can_be_skipped() -> None:
    runs = {"half": {"1": GOOD["1"], "2": []}, "none": {"9": ["d#/a"]}}
    results = xcg.evaluate(ASSESSMENTS, runs, measures=["MAep"], topics={"unanswered": "skip"})
    assert results.value("half", "MAep") == 1.0
    assert "note: run half: not answered, so left out of its means: topic 2" in results.notes
    assert "note: run none: no assessments, so left out: topic 9" in results.notes
    assert "note: kazai-lalmas-2006: run none has no topic to average over" in results.notes
    with pytest.raises(XcgError, match="no results for 'none'"):
        results.value("none", "MAep")


def test_a_run_without_any_answer_is_a_warning() -> None:
    """Its topics often have other names than those of the assessments."""
    runs = {"other names": {"q1": GOOD["1"], "q2": GOOD["2"]}, "all": GOOD}
    results = xcg.evaluate(ASSESSMENTS, runs, measures=["MAep"])
    assert results.value("other names", "MAep") == 0.0
    assert results.notes == [
        "warning: run other names answers no assessed topic, so each is counted 0: topic 1, 2; its "
        "topics have other names, such as 'q1'",
        "note: run other names: no assessments, so left out: topic q1, q2",
    ]
    skipped = xcg.evaluate(ASSESSMENTS, runs, measures=["MAep"], topics={"unanswered": "skip"})
    assert skipped.notes[0] == (
        "warning: run other names answers no assessed topic, so each is left out of its means: "
        "topic 1, 2; its topics have other names, such as 'q1'"
    )
    both = xcg.evaluate(ASSESSMENTS, runs, measures=["MAep"], strategies=["thorough", "unique"])
    assert [note for note in both.notes if note.startswith("warning")] == results.notes[:1]


def test_topic_ids_may_be_almost_anything() -> None:
    odd = {"9" * 1000: ASSESSMENTS["1"], "x": ASSESSMENTS["1"], "²": ASSESSMENTS["1"]}
    runs = {"r": dict.fromkeys(odd, GOOD["1"])}
    assert xcg.evaluate(odd, runs, measures=["MAep"]).value("r", "MAep") == 1.0
    with pytest.raises(InputError, match="a topic is called 'all'"):
        xcg.evaluate({"all": ASSESSMENTS["1"]}, runs)
    for name in ("", " ", " 1", "1\u00a0"):  # files cannot state them, so they never match
        with pytest.raises(InputError, match=r"the topic '.*' is empty, or has white space at an end"):
            xcg.evaluate({name: ASSESSMENTS["1"]}, runs)


def test_topics_without_an_ideal_element_are_left_out_and_noted() -> None:
    assessments = {**ASSESSMENTS, "3": {"d": {"/a": (1, 1)}}, "4": {}}
    results = xcg.evaluate(assessments, {"r": GOOD}, user_model="kazai-lalmas-2006-strict")
    assert results.topics == ["1", "2"]
    assert "note: kazai-lalmas-2006-strict: no ideal element, so not in the means: topic 3, 4" in (
        results.notes
    )
    runs = {"r": {"3": ["d#/a"]}}
    with pytest.raises(XcgError, match="nothing to average"):
        xcg.evaluate({"3": {"d": {"/a": (1, 1)}}}, runs, user_model="kazai-lalmas-2006-strict")


def test_several_user_models_are_evaluated_together() -> None:
    # 1: /a/s[1] under both; then /a is partly seen: overlap-off gives it its .1, overlap=on nothing.
    runs = {"r": {"1": ["d#/a/s[1]", "d#/a"]}}
    results = xcg.evaluate(
        ASSESSMENTS,
        runs,
        {"d": "<a><s>12345</s><s>12345</s></a>"},
        ["kazai-lalmas-2006", "overlap-off"],
        ["xCG@2"],
    )
    # α = 1: /a is worth what is left unseen of it, s[2]: .5·5/10 = .25, and s[2] has .5 left.
    assert results.value("r", "xCG@2", "1", "kazai-lalmas-2006") == pytest.approx(1.25)
    assert results.value("r", "xCG@2", "1", "overlap-off") == pytest.approx(1.1)
    with pytest.raises(XcgError, match="name the user model"):
        results.value("r", "xCG@2")


def test_runs_with_the_same_name_get_different_names(tmp_path: Path) -> None:
    for folder, path in (("one", "/a/s[1]"), ("two", "/a/s[2]")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.txt").write_text(f"1 Q0 d#{path} 1 1 same\n")
    runs = [tmp_path / "one", tmp_path / "two"]
    results = xcg.evaluate(ASSESSMENTS, runs, measures=["nxCG@1"])
    first, second = f"same [{tmp_path}/one/run.txt]", f"same [{tmp_path}/two/run.txt]"
    assert results.runs == [first, second]
    assert results.value(first, "nxCG@1", "1") == 1.0
    assert results.value(second, "nxCG@1", "1") == 0.5
    assert list(xcg.evaluate(ASSESSMENTS, runs[::-1], measures=["nxCG@1"])) == sorted(
        results, key=lambda row: row.run, reverse=True
    )
    objects = [xcg.Run.of("same", GOOD), xcg.Run.of("same", GOOD)]
    assert len(xcg.evaluate(ASSESSMENTS, objects, measures=["MAep"]).runs) == 2


def test_generators_are_read_once_and_completely() -> None:
    def runs() -> Iterator[xcg.Run]:
        yield xcg.Run.of("a", GOOD)
        yield xcg.Run.of("b", {topic: iter(ranked) for topic, ranked in GOOD.items()})

    measures = (name for name in ("MAep", "nxCG@1"))
    models = (name for name in ("kazai-lalmas-2006", "overlap-off"))
    results = xcg.evaluate(ASSESSMENTS, runs(), user_model=models, measures=measures)
    assert (results.runs, results.measures) == (["a", "b"], ["MAep", "nxCG@1"])
    assert {row.value for row in results if row.user_model == "kazai-lalmas-2006"} == {1.0}


def test_objects_are_not_used_up(root: Path) -> None:
    base = xcg.read_assessments(root / "assessments/kazai-lalmas-2006")
    runs = xcg.load(runs=str(root / "corpora_samples/kazai-lalmas-2006-runs/*.xml"), topics={}).runs
    corpus = xcg.Corpus(root / "corpora_samples/kazai-lalmas-2006")
    first = list(xcg.evaluate(base, runs, corpus))
    assert list(xcg.evaluate(base, runs, corpus)) == first
    assert list(xcg.evaluate(base, runs[::-1], corpus))[-1] != first[-1]
    assert sorted(xcg.evaluate(base, runs[::-1], corpus)) == sorted(first)


def test_an_unknown_size_is_an_error() -> None:
    runs = {"r": {"1": ["d#/a/s[1]", "d#/a"]}}
    with pytest.raises(InputError, match=r"topic 1, d, /a\[1\].*size in characters is not known"):
        xcg.evaluate(ASSESSMENTS, runs)
    sized = {
        "1": {
            "d": {
                "/a": xcg.Assessment(2.0, 1.0, 20),
                "/a/s[1]": xcg.Assessment(3.0, 3.0, 5),
                "/a/s[2]": xcg.Assessment(2.0, 2.0, 10),
            }
        }
    }
    results = xcg.evaluate(sized, runs, measures=["xCG@2"])
    assert results.value("r", "xCG@2") == pytest.approx(1 + 0.5 * 10 / 20)


def test_words_as_sizes() -> None:
    runs = {"r": {"1": ["d#/a/s[1]", "d#/a"]}}
    document = {"d": "<a><s>one</s><s>a b c</s></a>"}
    for size, share in (("characters", 5 / 8), ("words", 3 / 3)):  # "onea b c" holds three words
        model = {"name": "m", "size": size}
        results = xcg.evaluate(ASSESSMENTS, runs, document, model, ["xCG@2"])
        assert results.value("r", "xCG@2", "1") == pytest.approx(1 + 0.5 * share)


CORPUS = {"d": "<a><s>one</s><s>two</s></a>", "e": "<a/>"}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (
            {"r": {"1": ["d#/a/s[3]"]}},
            "run r, topic 1, rank 1, d: no element /a[1]/s[3]: /a[1] has 2 's'",
        ),
        ({"r": {"1": ["e#/a/s[1]"]}}, "run r, topic 1, rank 1, e: no element"),
        ({"r": {"1": ["f#/a"]}}, "rank 1, f: the corpus has no document 'f'"),
        ({"r": {"1": ["f" * 5000 + "#/a"]}}, "the corpus has no document 'fff"),
    ],
)
def test_results_that_do_not_exist_are_errors(
    runs: dict[str, dict[str, list[str]]], message: str
) -> None:
    with pytest.raises(InputError) as raised:
        xcg.evaluate(ASSESSMENTS, runs, CORPUS)
    assert message in str(raised.value)
    better = {"r": {"1": [*runs["r"]["1"], "d#/a/s[1]"]}}
    results = xcg.evaluate(ASSESSMENTS, better, CORPUS, measures=["nxCG@1", "xCG@2"], lenient=True)
    assert results.value("r", "nxCG@1", "1") == 0.0  # it holds its rank
    assert results.value("r", "xCG@2", "1") == 1.0  # and hides nothing
    assert (
        "warning: results with unknown paths: 1 time; the first: run r, topic 1, rank 1"
        in (results.notes[0])
    )


@pytest.mark.parametrize(
    ("assessments", "message"),
    [
        ({"1": {"d": {"/a/p": (1, 1)}}}, "assessments, topic 1, d: no element /a[1]/p[1]"),
        ({"1": {"f": {"/a": (1, 1)}}}, "assessments, topic 1: the corpus has no document 'f'"),
        ({"1": {"d": {"/a": (1, 0)}}}, "illegal assessment (1, 0)"),
        ({"1": {"d": {"/a": "33"}}}, "illegal assessment '33'"),
        ({"1": {"d": {"a": (1, 1)}}}, "'a' is not an element path"),
        ({"1": {"../d": {"/a": (1, 1)}}}, "is not a document name"),
    ],
)
def test_illegal_assessments_are_errors(assessments: object, message: str) -> None:
    with pytest.raises(InputError) as raised:
        xcg.evaluate(assessments, {"r": GOOD}, CORPUS)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_lenient_assessments_are_left_out() -> None:
    assessments = {"1": {"d": {"/a/p": (1, 1), "/a/s[1]": (3, 3)}, "f": {"/a": (3, 3)}}}
    results = xcg.evaluate(assessments, {"r": GOOD}, CORPUS, measures=["MAep"], lenient=True)
    assert results.value("r", "MAep") == 1.0
    assert len([note for note in results.notes if note.startswith("warning")]) == 2


@pytest.mark.parametrize("broken", ["d", "e"])
def test_documents_that_cannot_be_parsed_are_errors_also_if_lenient(broken: str) -> None:
    assessments, run = {"1": {"d": {"/a[1]": (3, 3)}}}, {"r": {"1": ["e#/a[1]"]}}
    corpus = {"d": "<a/>", "e": "<a/>"} | {broken: "<a>"}
    with pytest.raises(InputError, match=f"{broken}:1: not well-formed XML"):
        xcg.evaluate(assessments, run, corpus, measures=["MAep"], lenient=True)


def test_a_chunk_in_a_document_that_cannot_be_parsed_has_no_place_if_lenient(tmp_path: Path) -> None:
    records = [{"topic": "1", "doc": doc, "text": "abc"} for doc in ("e", "d")]
    (tmp_path / "r.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    gold, corpus = {"1": {"d": [(0, 3)]}}, {"d": "<a>abc</a>", "e": "<a>"}
    run = tmp_path / "r.jsonl"
    with pytest.raises(InputError, match="not well-formed XML"):
        xcg.evaluate(gold, run, corpus, measures="SpanRecall@2")
    results = xcg.evaluate(gold, run, corpus, measures="SpanRecall@1 SpanRecall@2", lenient=True)
    assert [results.value("r", f"SpanRecall@{rank}") for rank in (1, 2)] == [0, 1]
    assert "chunks without a place in a document: 1 time" in results.notes[0]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"runs": []}, "no runs"),
        ({"measures": []}, "measures: expected a list like [nxCG@10, MAep], found list []"),
        ({"user_model": []}, "user_model: expected a name, a file, a mapping, or a list of these"),
        ({"runs": {"r": {"1": ["d/article[1]"]}}}, "'d/article[1]' does not name an element"),
        ({"runs": {"r": {"1": [3]}}}, "illegal result 3"),
    ],
)
def test_illegal_arguments_are_errors(keywords: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"assessments": ASSESSMENTS, "runs": {"r": GOOD}, **keywords}
    with pytest.raises(XcgError) as raised:
        xcg.evaluate(**arguments)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_results_become_a_data_frame(root: Path) -> None:
    frame = xcg.evaluate(ASSESSMENTS, {"r": GOOD}, measures=["MAep"]).to_pandas()
    assert list(frame.columns) == ["run", "topic", "measure", "value"]
    assert frame.value.tolist() == [1.0, 1.0]


def passages(*spans: tuple[int, int, float]) -> xcg.RecallBase:
    from xcg.judgements.recall_base import Span

    base = xcg.RecallBase()
    for span in spans:
        base.add_span("1", "d", Span(*span), "test")
    return base


SHARES = {"name": "shares", "quantisation": "inex2006_gen"}


def test_passages_become_assessments_through_the_document() -> None:
    # 01234 56789: a passage over the border of two sections, ending in the middle of the second.
    document = {"d": "<a><s>01234</s><s>56789</s></a>"}
    runs = {"r": {"1": ["d#/a/s[2]", "d#/a/s[1]", "d#/a"]}}
    results = xcg.evaluate(passages((2, 7, 2)), runs, document, SHARES, ["xCG@1", "nxCG@2"])
    assert results.value("r", "xCG@1") == 0.4  # 56 of 56789
    # Sections .6 and .4, article .5: the best on the paths are s[1] and the article, of which the
    # shorter path stays; so what is in it can earn .5 in all.
    assert results.value("r", "nxCG@2") == 1.0


def test_passages_need_the_corpus_and_must_fit() -> None:
    runs = {"r": {"1": ["d#/a"]}}
    with pytest.raises(InputError, match="expected a corpus"):
        xcg.evaluate(passages((2, 7, 2)), runs, None, SHARES)
    with pytest.raises(InputError, match="the document's text has 5 characters"):
        xcg.evaluate(passages((2, 7, 2)), runs, {"d": "<a>01234</a>"}, SHARES)
    lenient = xcg.evaluate(
        passages((2, 7, 2), (0, 4, 1)), runs, {"d": "<a>01234</a>"}, SHARES, ["xCG@1"], lenient=True
    )
    assert lenient.value("r", "xCG@1") == 0.8
    with pytest.raises(XcgError, match="choose one for the scale"):
        xcg.evaluate(passages((0, 4, 1)), runs, {"d": "<a>01234</a>"}, "overlap-off")
    # without a choice the model is one for shares: exhaustivity 1 of 2, .8 of the text
    chosen = xcg.evaluate(passages((0, 4, 1)), runs, {"d": "<a>01234</a>"}, measures="xCG@1")
    assert chosen.value("r", "xCG@1") == 0.4
    assert chosen.user_models == ["inex-2005"]


def test_passages_become_the_smallest_elements_around_them(tmp_path: Path) -> None:
    run = tmp_path / "r.txt"
    # Characters 1–3 lie in s[1] (one), 2–4 in both sections and so in a.
    run.write_text("1 Q0 d 1 9 r 1 2\n1 Q0 d 2 8 r 2 2\n1 Q0 e 3 7 r 0 1\n")
    corpus = {**CORPUS, "e": "<a>x</a>"}
    model = {"name": "around", "spans": "smallest_element"}
    as_passages = xcg.evaluate(ASSESSMENTS, run, corpus, model, ["xCG@1", "xCG@2", "MAep"])
    elements = {"r": {"1": ["d#/a/s[1]", "d#/a", "e#/a"]}}
    as_elements = xcg.evaluate(ASSESSMENTS, elements, corpus, model, ["xCG@1", "xCG@2", "MAep"])
    assert list(as_passages) == list(as_elements)
    with pytest.raises(
        InputError, match=r"r\.txt, topic 1, rank 1: the result is a passage, and the user model"
    ):
        xcg.evaluate(ASSESSMENTS, run, corpus)
    with pytest.raises(InputError, match="expected a corpus"):
        xcg.evaluate(ASSESSMENTS, run, None, model)
    run.write_text("1 Q0 d 1 9 r 5 99\n")
    with pytest.raises(InputError, match="no characters 5–104: the document's text has 6"):
        xcg.evaluate(ASSESSMENTS, run, corpus, model)


def test_ranks_depend_on_printed_values() -> None:
    rows = [("a", 10.5), ("b", 9.25), ("c", 10.50001), ("d", 2.0)]
    from xcg.evaluation.results import Result, Results

    results = Results(Result(run, "all", "xCG@50", v, m) for m in ("m", "n") for run, v in rows)
    cells = [line.split()[2:4] for line in results.to_text().splitlines()[1:]]
    assert cells == [["10.5000", "1."], ["9.2500", "3."], ["10.5000", "1."], ["2.0000", "4."]]
