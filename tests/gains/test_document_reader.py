"""Readers of users, which replace the whole relevance value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import pytest
from conftest import Command
from hypothesis import given
from random_cases import RandomCampaign, campaigns

import xcg
from xcg.errors import XcgError
from xcg.evaluation.explain import explain
from xcg.evaluation.inputs import Inputs
from xcg.gains.document_reader import DocumentReader
from xcg.gains.element_reader import ElementReader
from xcg.gains.reader import EarlierView, JudgedDocument, Reader
from xcg.registry import Between
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import READER_METHODS, READERS, RelevanceValue

DOCUMENT = "<a><s><p>12345</p><p>67890</p></s></a>"
FIRST, SECOND = "/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]"
GRADES = {"1": {"d": {FIRST: (3, 3), SECOND: (2, 3), "/a/s": (3, 2)}}}  # 1, 0.9 and 0.75
MEASURES = "xCG@1 xCG@2 xCG@3 nxCG@2 MAnxCG@9 ep@0.3 MAep iMAep Q R gr@3"


class Impatient(DocumentReader):
    """Lose interest with every result from a document: score · patience^(results before)."""

    def __init__(
        self, document: JudgedDocument, *, patience: Annotated[float, Between(0, 1)] = 0.5
    ) -> None:
        super().__init__(document)
        self.patience = patience

    def gain_of(self, result: int) -> float:
        return self.score(result) * self.patience ** len(self.results)


def gains(reader: object, results: list[str]) -> list[float]:
    measures = [f"xCG@{rank}" for rank in range(1, len(results) + 1)]
    model = {"name": "m", "relevance_value": {"reader": reader}}
    run = {"r": {"1": [("d", path) for path in results]}}
    found = xcg.evaluate(GRADES, run, {"d": DOCUMENT}, model, measures)
    return [b - a for a, b in pairwise([0.0, *(found.value("r", name) for name in measures)])]


def test_gains_of_a_class_by_hand() -> None:
    assert gains(Impatient, [SECOND, "/a[1]", FIRST]) == pytest.approx([0.9, 0, 1 / 4])
    patient = {"name": Impatient, "patience": 1}
    assert gains(patient, [SECOND, FIRST, FIRST]) == pytest.approx([0.9, 1, 1])
    assert gains(lambda document: Impatient(document, patience=0.0), [FIRST, SECOND]) == [1, 0]


class Independent(DocumentReader):
    """Every result gains its score."""

    def gain_of(self, result: int) -> float:
        return self.score(result)

    def raised_by(self, result: int) -> Iterable[int]:
        return ()


class Delegating:
    """The relevance value of the paper, by composition instead of inheritance."""

    def __init__(self, document: JudgedDocument) -> None:
        reader = ElementReader(document, RelevanceValue())
        for name in READER_METHODS:
            setattr(self, name, getattr(reader, name))


def delegating(document: JudgedDocument) -> Delegating:
    return Delegating(document)


@given(campaigns())
def test_readers_can_express_the_relevance_values_of_xcg(campaign: RandomCampaign) -> None:
    """All scores are the same, also those of the greedy reference, whose order depends on gains.

    Under ``none`` only an ideal element itself is retrieved, so its N is not that of readers.
    """
    unlimited: dict[str, Any] = {"name": "m", "relevance_value": {"alpha": 0, "normalisation": "none"}}
    same_n = MEASURES.replace(" MAep iMAep Q", " MAep(unretrieved=max) iMAep Q(unretrieved=max)")
    assert _scores(campaign, Independent, same_n) == _scores(campaign, unlimited, same_n)
    assert _scores(campaign, delegating) == _scores(campaign, {"name": "m"})


def _scores(
    campaign: RandomCampaign, model: Any, measures: str = MEASURES
) -> list[tuple[str, str, float]] | None:
    if callable(model):
        model = {"name": "m", "relevance_value": {"reader": model}}
    runs = {"r": {"1": campaign.ranking}}
    documents = dict(campaign.sources)
    try:
        found = xcg.evaluate(
            {"1": campaign.assessments},
            runs,
            documents,
            model,
            measures,
            strategies=["thorough", "oracle"],
        )
    except XcgError as error:
        assert "nothing to average" in str(error)
        return None
    return [(row.run, row.measure, round(row.value, 9)) for row in found.means()]


MODULE = '''
from xcg.gains.document_reader import DocumentReader


class Impatient(DocumentReader):
    """Lose interest with every result."""

    def __init__(self, document, *, patience: float = 0.5):
        super().__init__(document)
        self.patience = patience

    def gain_of(self, result):
        return self.score(result) * self.patience ** len(self.results)


class NoMethods:
    def __init__(self, document):
        pass


class NoDocument(DocumentReader):
    def __init__(self):
        pass

    def gain_of(self, result):
        return 0


class Failing(DocumentReader):
    def gain_of(self, result):
        return self.document.nothing


number = 3
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "d.xml").write_text(DOCUMENT)
    rows = [
        f'{{"topic": "1", "doc": "d", "path": "{path}", "exhaustivity": {e}, "specificity": {s}}}\n'
        for path, (e, s) in GRADES["1"]["d"].items()
    ]
    (tmp_path / "gold.jsonl").write_text("".join(rows))
    for name in ("one", "two"):
        results = [SECOND, "/a[1]", FIRST] if name == "one" else [FIRST, SECOND]
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(
                f'{{"topic": "1", "doc": "d", "path": "{path}", "rank": {rank}}}\n'
                for rank, path in enumerate(results, 1)
            )
        )
    return tmp_path


def evaluate(xcg_command: Command, folder: Path, rule: str, *options: str) -> Any:
    """Run ``xcg evaluate`` with a configuration that has a relevance value."""
    (folder / "c.yaml").write_text(
        "corpus: documents\nassessments: gold.jsonl\nruns: [one.jsonl, two.jsonl]\n"
        "measures: [xCG@1, xCG@2, xCG@3]\n"
        f"user_model:\n  name: mine\n  relevance_value:\n    {rule}\n"
    )
    return xcg_command("evaluate", str(folder / "c.yaml"), *options)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_class_next_to_a_configuration(xcg_command: Command, folder: Path, workers: str) -> None:
    rule = "reader: {name: 'mine:Impatient', patience: 0.1}"
    done = evaluate(xcg_command, folder, rule, "--workers", workers)
    assert (done.returncode, done.stderr) == (0, "")
    assert [" ".join(line.split()) for line in done.stdout.splitlines()] == [
        "run xCG@1 xCG@2 xCG@3",
        "one 0.9000 0.9000 0.9100",
        "two 1.0000 1.0900 1.0900",
    ]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("reader: 'mine:Impatiant'", "c.yaml:8: user_model.relevance_value.reader: cannot import"),
        (
            "reader: 'mine:NoMethods'",
            "topic 1, d: reader mine:NoMethods lacks read, gain_of, "
            "raised_by, score, value, related, remaining, seen: expected the methods of "
            "xcg.gains.reader.Reader, or a subclass of DocumentReader",
        ),
        (
            "reader: 'mine:NoDocument'",
            "topic 1, d: reader mine:NoDocument failed: TypeError: NoDocument.__init__() takes 1 "
            "positional argument but 2 were given",
        ),
        (
            "reader: {name: 'mine:Impatient', patence: 1}",
            "reader mine:Impatient has no parameter 'patence': did you mean 'patience'?",
        ),
        (
            "{reader: 'mine:Impatient', alpha: 0.5}",
            "c.yaml:7: user_model.relevance_value: the reader mine:Impatient replaces the whole "
            "relevance value: remove the other keys, or make them parameters of the reader",
        ),
        (
            "reader: 'mine:Failing'",
            "topic 1, d, /a[1]/s[1]/p[2]: reader mine:Failing failed: AttributeError: 'JudgedDocument' "
            "object has no attribute 'nothing'",
        ),
        (
            "reader: 'mine:Impatient'\n  spans: text",
            "user_model: the reader mine:Impatient applies to elements only, not to spans: text",
        ),
    ],
)  # fmt: skip
def test_a_misuse_has_one_message(xcg_command: Command, folder: Path, rule: str, message: str) -> None:
    done = evaluate(xcg_command, folder, rule)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def bad(**methods: Any) -> type:
    return type("Bad", (Independent,), methods)


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        (bad(gain_of=lambda self, row: math.nan), "returned the gain nan: expected a finite number"),
        (bad(gain_of=lambda self, row: -1), "returned the gain -1.0: expected a finite number from 0"),
        (bad(gain_of=lambda self, row: "much"), "failed: ValueError: could not convert string"),
        (bad(__init__=lambda self, document: 1 / 0), "failed: ZeroDivisionError: division by zero"),
        (lambda document: 7, "lacks read, gain_of, raised_by"),
        (DocumentReader, "failed: NotImplementedError: DocumentReader defines no gain_of"),
    ],
)
def test_illegal_values_of_a_reader_have_a_message(reader: object, message: str) -> None:
    with pytest.raises(XcgError) as caught:
        gains(reader, [SECOND, FIRST])
    assert message in str(caught.value)
    assert str(caught.value).startswith("topic 1, d")


def explained(reader: object) -> list[Any]:
    model = {"name": "m", "relevance_value": {"reader": reader}}
    run = {"r": {"1": [("d", FIRST), ("d", "/a[1]/s[1]"), ("d", FIRST), ("d", SECOND)]}}
    inputs = Inputs(GRADES, run, {"d": DOCUMENT}, model)
    return list(explain(inputs, "1")[0].results)


def test_explanations_use_the_reader() -> None:
    found = explained(Impatient)
    assert [result.gain for result in found] == pytest.approx([1, 0.375, 0.25, 0.1125])
    assert [(result.seen, result.through) for result in found] == [
        ("no", []),
        ("partly", [1]),
        ("fully", [1]),
        ("fully", [2]),
    ]
    assert {result.why for result in found} == {"the reader Impatient decides"}
    assert [ideal.left for ideal in found[1].related] == [0, 0.9]  # after the first paragraph


@pytest.mark.parametrize(
    ("related", "message"),
    [
        (lambda self, row: [99], "related returned 99: expected rows of ideal elements"),
        (lambda self, row: None, "failed: TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_illegal_related_ideal_elements_have_a_message(related: object, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        explained(bad(related=related))


@pytest.mark.parametrize("view", [("never", []), ("partly", [5]), EarlierView("fully", [-1])])
def test_an_illegal_view_of_earlier_results_has_a_message(view: object) -> None:
    with pytest.raises(XcgError, match="expected no, partly or fully, and the numbers of earlier"):
        explained(bad(seen=lambda self, row: view))


def test_user_models_state_what_a_reader_means() -> None:
    model = UserModel.of({"name": "m", "relevance_value": {"reader": Impatient}})
    assert model.reason_above_1 == "the reader Impatient decides gains, and xcg knows no limit of them"
    with pytest.raises(ValueError, match="the reader Impatient replaces the whole relevance value"):
        RelevanceValue(alpha=0.5, reader=READERS.part(Impatient))


def test_the_methods_are_those_of_the_protocol() -> None:
    methods = {name for name, value in vars(Reader).items() if callable(value) and name[0] != "_"}
    assert methods == set(READER_METHODS)


def test_the_listing_shows_the_reader(xcg_command: Command, folder: Path) -> None:
    (folder / "m.yaml").write_text("name: m\nrelevance_value: {reader: 'mine:Impatient'}\n")
    listing = xcg_command("list", "user-models", folder / "m.yaml").stdout
    lines = [" ".join(line.split()) for line in listing.splitlines()]
    assert "relevance_value.reader mine:Impatient" in lines
