"""The HTML report: its scores, its safety against hostile texts, and the page in a browser."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from conftest import ROOT, Command

import xcg
from xcg.errors import XcgError
from xcg.evaluation.curves import curves
from xcg.evaluation.explain import explain
from xcg.evaluation.inputs import Inputs
from xcg.measures import MEASURES
from xcg.report import explanations as explanation_tables
from xcg.report import html_page, html_statistics
from xcg.report.html_page import report_data, script_json, write_report
from xcg.user_model.model import UserModel

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
HOSTILE = "</script><script>alert(1)</script><!--\"'&amp;\u2028\x07\u202e\ud800"

HOSTILE_RUNS = (
    "<b>plain</b> \"'&amp;",
    "</script><script>document.title='x'</script><!--",
    "\u202e\u200b\u2028\x9b\ufeffhidden",
)


class Page(HTMLParser):
    """The scripts and the tags of a page."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._inside = ""
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    @property
    def data(self) -> Any:
        assert len(self.scripts) == 2
        return json.loads(self.scripts[0])


def page_bytes(inputs: Inputs, **options: Any) -> bytes:
    stream = io.BytesIO()
    write_report(inputs, stream, **options)
    return stream.getvalue()


@pytest.fixture(scope="module")
def sample() -> Inputs:
    return xcg.load(ROOT / "configs/quickstart.yaml").inputs


@pytest.fixture(scope="module")
def content(sample: Inputs) -> bytes:
    return page_bytes(sample)


@pytest.fixture(scope="module")
def data(content: bytes) -> Any:
    return Page(content.decode()).data


@pytest.fixture
def hostile(tmp_path: Path) -> Inputs:
    """Two runs, two topics and a document with texts that could break a page."""
    text = "&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt; \"'&amp; ]]&gt; words"
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "d.xml").write_text(f"<a><s>{text}</s><s>two <b>bold</b> {text * 20}</s><s>three</s></a>")
    lines = [
        {"topic": topic, "doc": "d", "path": path, "exhaustivity": e, "specificity": s}
        for topic in ("</script>", "2")
        for path, e, s in (("/a", 2, 1), ("/a/s[1]", 3, 3), ("/a/s[2]/b[1]", 1, 2))
    ]
    assessed = tmp_path / "assessments.jsonl"
    assessed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs = tmp_path / "runs"
    runs.mkdir()
    for number, run in enumerate(HOSTILE_RUNS):
        topics = "".join(
            f"<topic topic-id={quoteattr(topic)}>"
            + "".join(
                f"<result><file>d</file><path>{path}</path><rank>{rank}</rank></result>"
                for rank, path in enumerate(("/a/s[1]", "/a", "/a/s[3]"), 1)
            )
            + "</topic>"
            for topic in ("</script>", "2")
        )
        (runs / f"{number}.xml").write_text(
            f'<inex-submission participant-id="0" run-id={quoteattr(run)} task="CO" query="automatic">'
            f"<description/><collections/>{topics}</inex-submission>"
        )
    return Inputs([assessed], [runs], folder, [UserModel.of({"name": "<i>m</i>"})])


@pytest.mark.slow
def test_the_scores_are_those_of_the_evaluation(sample: Inputs, data: Any) -> None:
    results = xcg.evaluate(
        sample.assessments, sample.runs, sample.corpus, sample.user_model, sample.measures
    )
    compared = 0
    for m, model in enumerate(data["models"]):
        for k, measure in enumerate(data["measures"]):
            for r, run in enumerate(data["runs"]):
                expected = {
                    row.topic: row.value
                    for row in results
                    if (row.user_model, row.measure, row.run) == (model["name"], measure, run)
                }
                row = zip(["all", *data["topics"]], data["scores"][m][k][r], strict=True)
                shown = {topic: value for topic, value in row if value is not None}
                assert shown == expected
                compared += len(shown)
    assert compared == len(results)
    assert (data["runs"], data["measures"]) == (results.runs, results.measures)
    assert set(results.notes) <= set(data["notes"])


def test_the_intervals_of_means_are_those_of_scipy(data: Any) -> None:
    stats = pytest.importorskip("scipy.stats")
    compared = 0
    for widths, scores in zip(data["intervals"], data["scores"], strict=True):
        for measure_widths, measure_scores in zip(widths, scores, strict=True):
            for width, (mean, *values) in zip(measure_widths, measure_scores, strict=True):
                known = [value for value in values if value is not None]
                if len(set(known)) == 1:
                    assert width is None
                    continue
                low, high = stats.t.interval(0.95, len(known) - 1, mean, stats.sem(known))
                assert width == pytest.approx((high - low) / 2, rel=1e-6)
                compared += 1
    assert compared > 70


def test_all_pairs_of_runs_are_compared(sample: Inputs, data: Any) -> None:
    pytest.importorskip("scipy")
    from xcg.statistics.significance import compare_runs

    results = xcg.evaluate(
        sample.assessments, sample.runs, sample.corpus, sample.user_model, sample.measures
    )
    assert len(data["comparisons"]) == len(results.measures) * len(results.user_models)
    for entry in data["comparisons"]:
        found = compare_runs(results, entry["measure"], entry["model"])
        assert len(entry["lines"]) == len(found) == 28
        for line, one in zip(entry["lines"], found, strict=True):
            assert (data["runs"][line[0]], data["runs"][line[1]]) == (one.run, one.baseline)
            expected = (one.difference, one.low, one.high, one.p_adjusted, one.topics)
            assert line[2:] == pytest.approx(expected, rel=1e-6)


def test_runs_with_many_zeros_are_noted() -> None:
    gold = {str(topic): {"d": 1} for topic in range(6)}
    runs = {"good": {topic: ["d"] for topic in gold}, "poor": {topic: ["e"] for topic in gold}}
    notes = report_data(Inputs(gold, runs, measures="RR"))["notes"]
    assert [note for note in notes if "0 for 100 % of the topics of poor, and for 0 % of good" in note]


@pytest.mark.parametrize(("epoch", "date"), [("0", "1970-01-01"), ("1700000000", "2023-11-14")])
def test_the_page_states_title_date_and_version(
    search_lengths: Inputs, monkeypatch: pytest.MonkeyPatch, epoch: str, date: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    made = page_bytes(search_lengths, title="Tom & Jerry </title><script>")
    assert made == page_bytes(search_lengths, title="Tom & Jerry </title><script>")
    page = made.decode()
    title = "Tom &amp; Jerry &lt;/title&gt;&lt;script&gt;"
    assert f"<title>{title}</title>" in page
    assert f"<h1>{title}</h1>" in page
    data = Page(page).data
    assert (data["title"], data["date"]) == ("Tom & Jerry </title><script>", date)
    assert data["version"] == xcg.__version__
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(XcgError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        page_bytes(search_lengths)


def test_the_means_are_readable_without_javascript(hostile: Inputs, search_lengths: Inputs) -> None:
    page = page_bytes(search_lengths).decode()
    static = page.partition("<noscript>")[2].partition("</noscript>")[0]
    rows = re.findall(r"<tr><td>(\w+)</td><td[^>]*>([0-9.]+)</td>", static)
    assert rows == [("poor", "3.0000"), ("good", "1.0000"), ("fair", "2.0000")]
    assert "<b>plain" not in page_bytes(hostile).decode().partition("</noscript>")[0]


def test_titles_of_other_topics_are_noted(tmp_path: Path, search_lengths: Inputs) -> None:
    (tmp_path / "topics.xml").write_text('<topic id="7"><title>seven</title></topic>')
    data = report_data(replace(search_lengths, topic_files=[tmp_path / "topics.xml"]))
    assert data["topic_titles"] == [None, None]
    note = "the topic files have no assessed topic: they have 7, the assessments 1"
    assert note in data["notes"]


def test_the_page_states_which_runs_and_topics_are_explained(
    data: Any, sample: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data["explanations"]["rule"] == [
        "All runs are explained; with more than 12 runs, only the best 3 would be.",
        "The first 10 of 15 topics are explained, in the order of the assessments; "
        "report.explained sets the number.",
    ]
    monkeypatch.setattr(explanation_tables, "MAX_RUNS", 7)
    rule = report_data(sample, explained=1)["explanations"]["rule"]
    assert rule[0] == (
        "The best 3 of 8 runs are explained, by MAep under kazai-lalmas-2006, "
        "because there are more than 7."
    )


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_browser_shows_the_levels_as_percentages(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d 2\n1 0 e 1\n1 0 f 0\n1 0 g 1\n")
    (tmp_path / "run").write_text("1 Q0 e 1 9 r\n")
    file = tmp_path / "report.html"
    file.write_bytes(page_bytes(Inputs([tmp_path / "qrels"], [tmp_path / "run"])))
    page = browse(file.as_uri(), tmp_path / "profile").stdout
    table = page.partition('id="levels"')[2].partition('id="notes"')[0]
    assert "Assessed documents and elements, all topics: 4." in table
    cells = re.findall(r'<(?:td class="number"|th scope="row")>(?:<bdi>)?([^<]*)<', table)
    assert cells == [
        *("level 0", "1", "25.0 %", "–"),
        *("level 1", "2", "50.0 %", "66.7 %"),
        *("level 2", "1", "25.0 %", "33.3 %"),
    ]


def test_the_curves_are_those_of_curves(sample: Inputs, data: Any) -> None:
    for curve, name in zip(data["curves"], ("nxCG", "ep"), strict=True):
        assert curve["measure"] == name
        found = curves(sample, name, 60)
        for one in found:
            model = [m["name"] for m in data["models"]].index(one.user_model)
            run = data["runs"].index(one.run)
            if one.topic == "all":
                shown = curve["mean"][model][run]
            else:
                shown = curve["topics"][model][run][data["topics"].index(one.topic)]
            at = {round(float(x), 4): float(y) for x, y in zip(one.x, one.y, strict=True)}
            assert shown == pytest.approx([at[x] for x in curve["x"][: len(shown)]], abs=5.1e-5)


def test_the_gains_are_those_of_explain(sample: Inputs, data: Any) -> None:
    explanations = data["explanations"]
    words = explanations["words"]
    assert [topic["topic"] for topic in explanations["topics"]] == data["topics"][:10]
    compared = 0
    for topic in explanations["topics"][:4]:
        for model, name in zip(topic["models"], explanations["models"], strict=True):
            if "missing" in model:
                continue
            found = explain(replace(sample, user_model=name), topic["topic"])
            for ranking, one in zip(model["runs"], found, strict=True):
                assert one.run in explanations["runs"]
                assert model["ideal_gain"] == one.ideal_gain
                assert ranking["length"] == ranking["shown"] == len(one.results)
                judged = [result for result in one.results if result.file in one.trees]
                assert sum(result.gain for result in judged) == sum(r.gain for r in one.results)
                for shown, result in zip(ranking["results"], judged, strict=True):
                    rank, place, node, path, seen, through, gain, why, _ = shown
                    document = topic["documents"][place]
                    assert (rank, document["file"]) == (result.rank, result.file)
                    assert (words[path], gain, words[why]) == (result.path, result.gain, result.why)
                    assert (seen, through) == (result.seen, result.through)
                    assert path_of(document["nodes"], node) == result.path
                    label = dict(document["labels"]).get(node, "")
                    assert label == result.assessment
                    compared += 1
                missed = {
                    (document["file"], path_of(document["nodes"], node))
                    for place, node in ranking["missed"]
                    for document in [topic["documents"][place]]
                }
                assert missed == {(element.file, element.path) for element in one.missed}
    assert compared > 1000


def path_of(nodes: list[list[Any]], node: int) -> str:
    parent, step, _ = nodes[node]
    return (path_of(nodes, parent) if parent >= 0 else "") + "/" + step


def test_the_file_is_small_and_self_contained(content: bytes) -> None:
    assert len(content) < 5_000_000
    page = content.decode()
    loading = {"src", "href", "srcset", "action", "data", "poster", "background"}
    for tag, attributes in Page(page).tags:
        assert tag not in ("img", "iframe", "link", "object", "embed", "base")
        for attribute in loading & set(attributes):
            assert (attributes[attribute] or "").startswith("#")
        assert not any(attribute.startswith("on") for attribute in attributes)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML|import\(|eval\(", page)
    for source in Path(html_page.__file__).parent.glob("page*"):
        assert "http://" not in source.read_text(), source
        assert "https://" not in source.read_text(), source


def test_the_markup_is_accessible(content: bytes) -> None:
    tags = Page(content.decode()).tags
    assert ("html", {"lang": "en"}) in tags
    assert any(attributes.get("name") == "viewport" for _, attributes in tags)
    levels = [int(tag[1]) for tag, _ in tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in itertools.pairwise(levels))
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(set(ids)) == len(ids)


def test_hostile_texts_remain_data(hostile: Inputs) -> None:
    page = Page(page_bytes(hostile).decode())
    data = page.data
    assert data["runs"] == list(HOSTILE_RUNS)
    assert sorted(data["topics"]) == ["2", "</script>"]
    assert data["models"][0]["name"] == "<i>m</i>"
    documents = [topic["documents"] for topic in data["explanations"]["topics"]]
    texts = [text for _, _, text in documents[0][0]["nodes"]]
    assert "</script><img src=x onerror=alert(2)> \"'& ]]> words" in texts
    assert any(text.endswith(" …") for text in texts)


@pytest.mark.parametrize("text", [HOSTILE, "".join(map(chr, range(0x2100))), "\ufeff\ufffe\U0001f600"])
def test_script_json_is_safe_and_loads_unchanged(text: str) -> None:
    made = script_json({text: [text]})
    assert not re.search(rb"[<>&\x00-\x1f\x7f]", made)
    assert json.loads(made) == {text: [text]}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_script_json_refuses_numbers_that_json_lacks(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json(value)


def test_one_run_and_one_topic(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d 2\n1 0 e 1\n")
    (tmp_path / "run").write_text("1 Q0 e 1 9 r\n1 Q0 d 2 8 r\n")
    data = report_data(Inputs([tmp_path / "qrels"], [tmp_path / "run"]))
    assert [model["name"] for model in data["models"]] == ["levels"]
    assert data["best"] == []
    (tmp_path / "run2").write_text("1 Q0 d 1 9 s\n")
    for line in report_data(Inputs([tmp_path / "qrels"], [tmp_path / "run", tmp_path / "run2"]))[
        "best"
    ]:
        assert line["untested"] == "runs share fewer than two topics"
    (topic,) = data["explanations"]["topics"]
    assert topic["documents"][0]["nodes"] == [(-1, "document[1]", "")]
    (ranking,) = topic["models"][0]["runs"]
    assert [result[6] for result in ranking["results"]] == [1.0, 2.0]
    assert (
        report_data(Inputs([tmp_path / "qrels"], [tmp_path / "run"]), explained=0)["explanations"][
            "topics"
        ]
        == []
    )


@pytest.mark.slow
def test_the_size_of_the_file_is_limited(sample: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, limits in {
        html_page: {"MAX_SCORES": 500, "MAX_CURVE_POINTS": 20_000},
        html_statistics: {"MAX_COMPARISONS": 60},
        explanation_tables: {
            "MAX_RUNS": 4,
            "MAX_MODELS": 2,
            "MAX_RESULTS": 5,
            "MAX_TOTAL_TEXT": 5000,
        },
    }.items():
        for name, value in limits.items():
            monkeypatch.setattr(module, name, value)
    steps: list[tuple[int, int]] = []
    data = report_data(sample, explained=3, progress=lambda done, of: steps.append((done, of)))
    assert steps[-1][0] == steps[-1][1]
    assert sorted(steps) == steps
    explanations = data["explanations"]
    assert (len(explanations["runs"]), len(explanations["models"]), len(explanations["topics"])) == (
        3,
        2,
        3,
    )
    for topic in explanations["topics"]:
        for model in topic["models"]:
            for ranking in model.get("runs", ()):
                assert ranking["shown"] <= 5
                assert all(result[0] <= 5 for result in ranking["results"])
    assert not any(node[2] for node in explanations["topics"][-1]["documents"][-1]["nodes"])
    assert len(data["scores"][0][0][0]) == 1 + len(data["topics"])
    assert len(data["scores"][-1][0][0]) == 1
    assert len(data["curves"][0]["topics"]) < len(data["models"])
    assert [len(entry.get("lines", ())) for entry in data["comparisons"]] == [28, 28] + [0] * 8
    text = " ".join([*data["limits"], *explanations["rule"]])
    for words in ("3 of 15 topics", "2 of 5 user models", "5 results", "best 3 of 8 runs", "the text"):
        assert words in text


def test_measures_without_gains(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    (tmp_path / "qrels").write_text("1 0 d 2\n2 0 e 0\n")
    (tmp_path / "run").write_text("1 Q0 e 1 9 r\n1 Q0 d 2 8 r\n2 Q0 e 1 9 r\n")
    measures = MEASURES.parse_all(["nDCG@10"])
    data = report_data(Inputs([tmp_path / "qrels"], [tmp_path / "run"], measures=measures))
    assert data["topics"] == ["1", "2"]
    assert data["curves"][0]["topics"][0][0][1] is None
    assert "no ideal element" in data["explanations"]["topics"][1]["models"][0]["missing"]


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with pytest.raises(XcgError):
        write_report(Inputs([tmp_path / "none"], [tmp_path / "none"]), stream)
    assert stream.getvalue() == b""


@pytest.fixture
def search_lengths(tmp_path: Path) -> Inputs:
    """Runs with the only relevant document of each topic at ranks 1, 2 and 3.

    ASL (mean rank of the relevant results, lower is better) is 1, 2 and 3 by hand.
    """
    (tmp_path / "qrels").write_text("1 0 d 1\n2 0 d 1\n")
    files = []
    for run, rank in (("poor", 3), ("good", 1), ("fair", 2)):
        documents = [f"n{number}" for number in range(2)]
        documents.insert(rank - 1, "d")
        files.append(tmp_path / run)
        files[-1].write_text(
            "".join(
                f"{topic} Q0 {document} {place} {9 - place} {run}\n"
                for topic in "12"
                for place, document in enumerate(documents, 1)
            )
        )
    measures = MEASURES.parse_all(["ASL", "xCG@1"])
    return Inputs([tmp_path / "qrels"], files, measures=measures)


def test_lower_scores_are_better_where_the_measure_says_so(
    search_lengths: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = report_data(search_lengths)
    assert data["lower_is_better"] == [True, False]
    assert [run[0] for run in data["scores"][0][0]] == [3, 1, 2]
    asl, xcg_line = data["best"]
    assert (asl["run"], asl["mean"], asl["second"], asl["difference"]) == ("good", 1, "fair", -1)
    assert (xcg_line["run"], xcg_line["mean"]) == ("good", 1)
    monkeypatch.setattr(explanation_tables, "MAX_RUNS", 2)
    monkeypatch.setattr(explanation_tables, "BEST_RUNS", 2)
    assert report_data(search_lengths)["explanations"]["runs"] == ["good", "fair"]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_browser_shows_the_lowest_score_as_best(search_lengths: Inputs, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(page_bytes(search_lengths))
    page = browse_with_self_test(file, tmp_path / "profile").stdout
    assert '<output id="selftest">selftest ok</output>' in page
    means = page.partition('id="tables"')[2].partition("</section>")[0]
    runs = re.findall(r'<th scope="row"><bdi>(\w+)</bdi>', means)
    assert runs == ["good", "fair", "poor"]
    assert re.findall(r"<strong>([0-9.]+)<span", means) == ["1.0000", "1.0000"]
    topics = page.partition('id="topic-table"')[2].partition("</section>")[0]
    shades = dict(re.findall(r"--shade-strength: ([0-9.]+);?\"[^>]*>(?:<strong>)?([0-9.]+)", topics))
    assert shades == {"0.667": "1.000", "0.333": "2.000", "0.000": "3.000"}
    # All differences are equal, so each p is 2 / 2² = 0.5, and 1 after Holm's correction for 3 pairs.
    matrix = page.partition('id="comparison-matrix"')[2].partition('id="comparison-table"')[0]
    assert re.findall(r"\d\. <bdi>(\w+)</bdi>", matrix) == ["good", "fair", "poor"]
    table = page.partition('id="comparison-table"')[2].partition("</section>")[0]
    differences = re.findall(r'<td class="number">([+−][0-9.]+)</td>', table)
    assert differences == ["+1.0000", "+2.0000"]


@pytest.fixture(params=["sample", "hostile", "one"])
def page_file(request: pytest.FixtureRequest, content: bytes, hostile: Inputs, tmp_path: Path) -> Path:
    file = tmp_path / "report.html"
    if request.param == "sample":
        file.write_bytes(content)
    elif request.param == "hostile":
        file.write_bytes(page_bytes(hostile))
    else:
        (tmp_path / "qrels").write_text("1 0 d 2\n1 0 e 1\n")
        (tmp_path / "run").write_text("1 Q0 e 1 9 r\n1 Q0 d 2 8 r\n")
        file.write_bytes(page_bytes(Inputs([tmp_path / "qrels"], [tmp_path / "run"])))
    return file


def browse(address: str, profile: Path) -> subprocess.CompletedProcess[str]:
    """Return what a browser displays, as HTML."""
    return subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            f"--user-data-dir={profile}",
            "--virtual-time-budget=10000",
            "--dump-dom",
            address,
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )


def browse_with_self_test(file: Path, profile: Path) -> subprocess.CompletedProcess[str]:
    """Return what a browser displays after every control of the page was used."""
    script = Path(__file__).with_name("page_self_test.js").read_bytes()
    page = file.read_bytes().replace(b"</body>", b"<script>" + script + b"</script>\n</body>")
    tested = file.with_name("self_test.html")
    tested.write_bytes(page)
    return browse(tested.as_uri(), profile)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_page_passes_its_self_test_in_a_browser(page_file: Path, tmp_path: Path) -> None:
    done = browse_with_self_test(page_file, tmp_path / "profile")
    found = re.search(r'<output id="selftest">([^<]*)</output>', done.stdout)
    assert found is not None, done.stderr
    assert found[1] == "selftest ok"
    assert "CONSOLE" not in done.stderr
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title is not None
    assert title[1].startswith("Evaluation report: ")
    displayed = done.stdout.partition("<script")[0]
    if "near-misses dependency normalisation limit" in displayed:  # the sample
        assert displayed.count('title="5: near-misses dependency normalisation limit"') == 1
        assert '<span class="print">Run</span>' in displayed  # paper has no buttons
    assert "<summary>Settings and input files</summary>" in displayed
    assert not re.search("[\x80-\x9f\u200b\u2028\u202e\ufeff]", displayed)
    assert ("\u25a1" * 5 + "hidden" in displayed) == ("&lt;b&gt;plain" in displayed)
    assert "[object" not in done.stdout.partition("<script")[0]


def test_the_command_writes_a_file_or_a_pipe(xcg_command: Command, tmp_path: Path) -> None:
    topics = tmp_path / "topics.xml"
    topics.write_text('<inex_topic topic_id="163"><title>Figure &amp; example</title></inex_topic>')
    config = ROOT / "configs" / "kazai-lalmas-2006.yaml"
    sets = ("--set", f"topics.files={topics}", "--set", "report.title=Four runs")
    call = ("report", config, *sets, "--output")
    done = xcg_command(*call, "page.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines()[-1] == "xcg: the report is in page.html"
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>Four runs</h1>" in page
    data = Page(page).data
    assert data["topic_titles"] == ["Figure & example"]
    record = data["settings"]
    assert (record["xcg"], record["settings"]["report"]["title"]) == (data["version"], "Four runs")
    digests = {(tmp_path / name).resolve(): digest for name, digest in record["files"].items()}
    assert digests[topics.resolve()] == hashlib.sha256(topics.read_bytes()).hexdigest()
    assert not any(map(os.path.isabs, record["files"]))
    assert xcg_command(*call, "-", cwd=tmp_path).stdout == page
    topics.write_text("<inex_topic topic_id='1'>")
    wrong = xcg_command(*call, "other.html", cwd=tmp_path)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert f"{topics}:1: " in wrong.stderr
    assert not (tmp_path / "other.html").exists()
