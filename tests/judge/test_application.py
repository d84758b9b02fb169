"""The pages of xcg judge, and the API with which its script reads and changes judgements."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from judge_campaign import ANNA, BEN, CONFIG, Browser, change, opened_workspace, write_campaign

from xcg.documents.parsing import parse_document
from xcg.judge import agreement, pages
from xcg.judge.access import (
    agreement_path,
    api_path,
    assessor_path,
    differences_path,
    document_path,
    from_segment,
    topic_path,
)
from xcg.judge.agreement import AgreementRow
from xcg.judge.judgement import JudgedDocument
from xcg.judge.workspace import Workspace

API = api_path(ANNA, "1", "bees")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened_workspace(write_campaign(tmp_path)) as workspace:
        yield workspace


@pytest.fixture
def browser(workspace: Workspace) -> Browser:
    return Browser(workspace)


@pytest.fixture
def overview(workspace: Workspace) -> Browser:
    return Browser(workspace, assessor=None)


def test_a_change_returns_the_new_judgement(browser: Browser) -> None:
    answer = browser.post(API, change(0, "add", start=0, end=10, grade="2"))
    assert answer.status_code == 200, answer.text
    judgement = answer.json()
    (highlight,) = judgement["highlights"]
    values = [highlight[key] for key in ("start", "end", "grade", "text", "status")]
    assert values == [0, 10, "2", "Bees dance", "placed"]
    assert (judgement["version"], judgement["can_undo"]) == (1, True)
    assert browser.get(API).json() == judgement


def test_a_change_of_an_old_version_is_a_conflict_that_shows_the_new_one(browser: Browser) -> None:
    first = browser.post(API, change(0, "add", start=0, end=10, grade="2")).json()
    answer = browser.post(API, change(0, "add", start=5, end=20, grade="3"))
    assert answer.status_code == 409
    assert answer.json()["judgement"] == first
    assert "version is now 1" in answer.json()["error"]
    assert browser.get(API).json() == first


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "expected version and seconds as whole"),
        ({"version": True, "operation": "undo"}, "expected version and seconds as whole"),
        ({"version": 0}, "operation as text"),
        ({"version": 0, "operation": ["add"]}, "operation as text"),
        (change(0, "ad", start=0, end=1), "ad"),
        (change(0, "add", start=0, end=9.0, grade="1"), "end"),
        (change(0, "add", start=-1, end=9, grade="1"), ""),
        (change(0, "add", start=0, end=10**30, grade="1"), ""),
        (change(0, "add", start=0, end=9, grade="4"), "unknown grade '4': expected one of 3, 2, 1"),
        (change(0, "add", start=0, end=9, grade=3), "grade"),
        (change(0, "add", start=0, end=9, grade="\ud800"), "unknown grade"),
        (change(0, "__init__"), "__init__"),
    ],
)
def test_an_illegal_change_is_refused(browser: Browser, record: object, message: str) -> None:
    answer = browser.post(API, record)
    assert answer.status_code == 400, answer.text
    assert list(answer.json()) == ["error"]
    assert message in answer.json()["error"]
    assert browser.get(API).json()["version"] == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"1", b"null", b'"add"', b"\xff", b"[" * 60_000, b'{"version": 1' + b"0" * 9999],
)
def test_a_body_that_is_no_json_object_is_refused(browser: Browser, body: bytes) -> None:
    headers = {"origin": browser.origin, "content-type": "application/json"}
    answer = browser.client.post(API, content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json() == {"error": "expected a JSON object"}


def test_a_document_with_an_ungraded_highlight_cannot_be_finished(browser: Browser) -> None:
    answer = browser.post(API, change(0, "add", start=0, end=10, grade=None))
    assert answer.status_code == 200, answer.text
    answer = browser.post(API, change(1, "finish", finished=True))
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("highlights without a grade: 1; grade them")


def test_without_grades_a_document_can_be_finished(tmp_path: Path) -> None:
    with opened_workspace(write_campaign(tmp_path, f"{CONFIG}  grades: none\n")) as workspace:
        browser = Browser(workspace)
        answer = browser.post(API, change(0, "add", start=0, end=10, grade="1"))
        assert answer.json()["error"] == "unknown grade '1': expected none"
        browser.post(API, change(0, "add", start=0, end=10, grade=None))
        assert browser.post(API, change(1, "finish", finished=True)).status_code == 200


def test_an_unknown_judgement_is_not_found(browser: Browser) -> None:
    pairs = (("3", "bees"), ("1", "nothing"), ("1", "../docs/bees"))
    paths = [api_path(ANNA, topic, document) for topic, document in pairs]
    for path in (*paths, f"{assessor_path(ANNA)}api/topics/1"):
        for answer in (browser.get(path), browser.post(path, change(0, "finish", finished=True))):
            assert (answer.status_code, list(answer.json())) == (404, ["error"])


def test_a_topic_of_others_is_not_found(tmp_path: Path) -> None:
    config = CONFIG.replace("second_share: 1\n", "")
    with opened_workspace(write_campaign(tmp_path, config)) as workspace:
        assigned = workspace.store.assignments()
        (foreign,) = assigned[BEN]
        browser = Browser(workspace)
        assert browser.get(topic_path(ANNA, foreign)).status_code == 404
        assert "is not assigned to you" in browser.get(topic_path(ANNA, foreign)).text


@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("database or disk is full"), OSError(28, "No space left")]
)
def test_a_change_that_cannot_be_saved_is_never_reported_as_saved(
    browser: Browser, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(workspace.store, "apply", fail)
    answer = browser.post(API, change(0, "finish", finished=True))
    assert answer.status_code == 503
    assert answer.json()["error"].startswith("the change was not saved: ")


def test_the_topics_page_shows_progress(browser: Browser) -> None:
    page = browser.get(assessor_path(ANNA)).text
    assert "Bees dance" not in page
    assert f'href="{topic_path(ANNA, "1")}"' in page
    assert "not started" in page
    size = len(browser_pool(browser, "1"))
    for name in browser_pool(browser, "1"):
        browser.post(api_path(ANNA, "1", name), change(0, "finish", finished=True))
    page = browser.get(assessor_path(ANNA)).text
    assert f"{size} of {size}" in page
    assert "✓ complete" in page


def browser_pool(browser: Browser, topic: str) -> list[str]:
    """Return the documents that the page of a topic links to, in its order."""
    page = browser.get(topic_path(ANNA, topic)).text
    prefix = f'<a href="{topic_path(ANNA, topic)}/documents/'
    return [from_segment(part.partition('"')[0]) for part in page.split(prefix)[1:]]


def test_the_pool_shows_the_state_of_each_document(browser: Browser, workspace: Workspace) -> None:
    pool = [document.name for document in workspace.store.pool("1")]
    assert browser_pool(browser, "1") == pool
    page = browser.get(topic_path(ANNA, "1")).text
    assert f'<a class="button primary" href="{document_path(ANNA, "1", pool[0])}">Start' in page
    browser.post(api_path(ANNA, "1", pool[0]), change(0, "finish", finished=True))
    browser.post(api_path(ANNA, "1", pool[1]), change(0, "add", start=0, end=4, grade="1"))
    page = browser.get(topic_path(ANNA, "1")).text
    assert "✓ nothing relevant" in page
    assert "in progress" in page
    assert f'<a class="button primary" href="{document_path(ANNA, "1", pool[1])}">Continue' in page
    browser.post(api_path(ANNA, "1", pool[1]), change(1, "skip", skipped=True))
    browser.post(api_path(ANNA, "1", pool[1]), change(2, "unsure", unsure=True))
    page = browser.get(topic_path(ANNA, "1")).text
    assert "in progress" not in page
    assert page.count(">skipped<") == page.count(">unsure<") == 1
    assert f'<a class="button primary" href="{document_path(ANNA, "1", pool[2])}">Continue' in page
    browser.post(api_path(ANNA, "1", pool[1]), change(3, "finish", finished=True))
    assert "✓ 1 highlight<" in browser.get(topic_path(ANNA, "1")).text


def page_data(page: str) -> dict[str, object]:
    """Return the data for the script of a page."""
    text = page.partition('id="page-data">')[2].partition("</script>")[0]
    record = json.loads(text)
    assert isinstance(record, dict)
    return record


def test_the_judging_page_has_the_data_for_its_script(browser: Browser, workspace: Workspace) -> None:
    pool = [document.name for document in workspace.store.pool("1")]
    browser.post(api_path(ANNA, "1", pool[1]), change(0, "finish", finished=True))
    data = page_data(browser.get(document_path(ANNA, "1", pool[0])).text)
    assert data["api"] == api_path(ANNA, "1", pool[0])
    assert data["judgement"] == browser.get(api_path(ANNA, "1", pool[0])).json()
    assert data["length"] == len(workspace.corpus.tree(pool[0]).text)
    assert data["grades"] == [
        {"value": "3", "label": "highly exhaustive"},
        {"value": "2", "label": "fairly exhaustive"},
        {"value": "1", "label": "marginally exhaustive"},
    ]
    assert (data["position"], data["finished"], data["size"]) == (1, 1, len(pool))
    assert data["previous"] is None
    assert data["next"] == document_path(ANNA, "1", pool[1])
    expected = document_path(ANNA, "1", pool[2]) if len(pool) > 2 else None
    assert data["next_unfinished"] == expected
    assert data["pool_url"] == topic_path(ANNA, "1")


def test_the_judging_page_shows_the_results_of_runs(tmp_path: Path) -> None:
    config = write_campaign(tmp_path, f"{CONFIG}runs: run.jsonl\n")
    result = {"topic": "1", "doc": "bees", "start": 10, "end": 37, "rank": 1}
    (tmp_path / "run.jsonl").write_text(json.dumps(result) + "\n")
    with opened_workspace(config) as workspace:
        browser = Browser(workspace)
        data = page_data(browser.get(document_path(ANNA, "1", "bees")).text)
        assert data["results"] == [[10, 37]]
        assert browser_pool(browser, "1") == ["bees"]


def test_the_overview_shows_all_assessors(overview: Browser, workspace: Workspace) -> None:
    Browser(workspace, overview.access).post(API, change(0, "finish", finished=True))
    page = overview.get("/overview/").text
    sizes = {name: workspace.store.progress(name) for name in (ANNA, BEN)}
    total = sum(size for topics in sizes.values() for _, size in topics.values())
    assert f"1 of {total}" in page
    assert "ben/../é ~" in page
    assert "judge.sqlite" in page


def test_agreement_and_disagreements_are_shown(overview: Browser, workspace: Workspace) -> None:
    for assessor, end, grade in ((ANNA, 10, "2"), (BEN, 4, "3")):
        browser = Browser(workspace, overview.access, assessor)
        api = api_path(assessor, "1", "bees")
        browser.post(api, change(0, "add", start=0, end=end, grade=grade))
        assert browser.post(api, change(1, "finish", finished=True)).status_code == 200
    page = overview.get(agreement_path()).text
    assert "0.400" in page  # of ten characters, four are in both highlights
    assert f'href="{agreement_path("1")}">1 document judged differently' in page
    page = overview.get(agreement_path("1")).text
    assert "not highlighted" in page
    assert "<mark>dance</mark>" in page.replace(" ", "")
    assert "highly exhaustive" in page


def test_a_decision_needs_an_author_and_the_disagreement_as_it_is_now(
    overview: Browser, workspace: Workspace
) -> None:
    store, url = workspace.store, differences_path("1", "bees")
    for assessor in (ANNA, BEN):
        store.apply(assessor, "1", "bees", 0, "finish", {"finished": True})
    version = store.apply(ANNA, "1", "bees", 1, "add", {"start": 0, "end": 4, "grade": "2"}).version
    store.apply(ANNA, "1", "bees", version, "finish", {"finished": True})
    [document] = agreement.disagreements(store.judgements(), "1", workspace.corpus, {})
    [one] = document.disagreements
    record = {"disagreement": one.key, "label": "3", "author": "chris"}
    for status, values in (
        (400, {"author": " "}),
        (400, {"author": "a" * 101}),
        (400, {"author": None}),
        (400, {"label": "4"}),
        (400, {"label": ["3"]}),
        (409, {"disagreement": "other"}),
        (409, {"disagreement": None}),
    ):
        assert overview.post(url, {**record, **values}).status_code == status
    assert ">1 undecided disagreement<" in overview.get(agreement_path()).text
    assert overview.post(url, record).status_code == 200
    assert ">no undecided disagreements<" in overview.get(agreement_path()).text
    assert "by <bdi>chris</bdi>" in overview.get(agreement_path("1")).text
    assert Browser(workspace).post(url, record).status_code == 403
    store.apply(ANNA, "1", "bees", version + 1, "grade", {"id": 1, "grade": "1"})
    assert overview.post(url, record).status_code == 409
    assert ">1 undecided disagreement<" in overview.get(agreement_path()).text
    page = overview.get(url).text
    assert '<article id="article"' in page
    assert "They <span" in page


def test_time_is_recorded_unless_it_is_switched_off(tmp_path: Path) -> None:
    for line, expected in (("", 70), ("  time: false\n", 0)):
        folder = tmp_path / str(expected)
        folder.mkdir()
        with opened_workspace(write_campaign(folder, CONFIG + line)) as workspace:
            browser = Browser(workspace)
            for seconds in (-1, 2**60, 1.5, True, "9"):
                answer = browser.post(API, change(0, "unsure", unsure=True, seconds=seconds))
                assert answer.status_code == 400
            browser.post(API, change(0, "unsure", unsure=True, seconds=60))
            browser.post(API, change(0, "unsure", unsure=True, seconds=65))  # its answer was lost
            answer = browser.post(API, change(1, "undo", seconds=10, words_marked=True))
            assert answer.json()["words_marked"]
            assert (answer.json()["seconds"], answer.json()["unsure"]) == (expected, False)
            shown = "is recorded" in browser.get(assessor_path(ANNA)).text
            assert shown == workspace.settings.time


def test_assessors_can_save_while_a_report_is_computed(
    overview: Browser, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    overview.get(overview.access.start_path(ANNA))  # its cookie too
    overview.post(API, change(0, "add", start=0, end=10, grade="2"))

    def delete_first(judged: list[JudgedDocument], _: object) -> list[AgreementRow]:
        with ThreadPoolExecutor() as executor:
            answer = executor.submit(overview.post, API, change(1, "delete", id=1))
            assert answer.result(timeout=20).status_code == 200
        assert [one.judgement.version for one in judged] == [1]
        return []

    monkeypatch.setattr(pages, "agreement", delete_first)
    assert overview.get(agreement_path()).status_code == 200
    assert workspace.store.judgement(ANNA, "1", "bees").version == 2


def test_judgements_of_changed_documents_are_to_check(tmp_path: Path) -> None:
    config = write_campaign(tmp_path)
    with opened_workspace(config) as workspace:
        browser = Browser(workspace)
        browser.post(API, change(0, "add", start=10, end=36, grade="2"))
    document = tmp_path / "docs" / "bees.xml"
    text = document.read_text()
    document.write_text(text.replace("<p>Bees", "<p>A new paragraph on bees.</p><p>Bees"))
    with opened_workspace(config) as workspace:
        browser = Browser(workspace)
        page = browser.get(assessor_path(ANNA)).text
        assert "Documents have changed" in page
        assert f'href="{document_path(ANNA, "1", "bees")}"' in page
        assert "! check" in browser.get(topic_path(ANNA, "1")).text
        overview = Browser(workspace, browser.access, None)
        message = f"judgements to check, because their document has changed: bees (topic 1, {ANNA})"
        assert message in overview.get("/overview/").text


def test_a_document_that_changes_while_the_server_runs_is_not_judged(
    browser: Browser, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = parse_document(b"<article><p>Other text about a dance.</p></article>")
    monkeypatch.setattr(workspace.corpus, "tree", lambda _: changed)
    page = browser.get(document_path(ANNA, "1", "bees"))
    assert page.status_code == 503
    assert "has changed since xcg judge was started; start it again" in page.text
    answer = browser.post(API, change(0, "add", start=0, end=10, grade="2"))
    assert answer.status_code == 503
    assert "start it again" in answer.json()["error"]


def test_an_unknown_page_links_to_the_start(browser: Browser) -> None:
    answer = browser.get(f"{assessor_path(ANNA)}topcs/1")
    assert answer.status_code == 404
    assert "there is no such page" in answer.text
    assert f'href="{assessor_path(ANNA)}"' in answer.text
