"""All kinds of input files, with usual damages: the same data, or an error with file and line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import InputError, XcgError
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.assessment import Assessment
from xcg.user_model.model import UserModel
from xcg.user_model.quantisation import quantise


def assess(path: Path) -> object:
    """Return topic → document → path → label, or topic → document → passages."""
    base = read_assessments(path)
    found: dict[str, dict[str, object]] = {topic: dict(base.spans[topic]) for topic in base.topics}
    for topic in base.topics:
        for document, elements in base.files[topic].items():
            found[topic][document] = {path: one.label for path, one in elements.items()}
    return found


def run(path: Path) -> object:
    """Return the name, the results of topic 7, and the passages among them."""
    read = read_run(path)
    assert list(read.rankings) == ["7"]
    return read.name, list(read.rankings["7"]), dict(read.rankings["7"].spans)


def document(path: Path) -> object:
    """Return path, characters and words of every element."""
    tree = Corpus(path.parent).tree(path.stem)
    return list(zip(tree.paths, tree.characters.tolist(), tree.words.tolist(), strict=True))


def user_model(path: Path) -> object:
    """Return name, alpha, unit of size, and the scores of (2,3) and (2,2)."""
    model = UserModel.load(path)
    scores = [quantise(model.quantisation, Assessment(2.0, s)) for s in (3.0, 2.0)]
    return model.name, model.relevance_value.alpha, model.size, scores


def configuration(path: Path) -> object:
    """Return files (relative to the configuration), user models, measures and options."""
    read = xcg.load(path).inputs
    files = [file.relative_to(path.parent).as_posix() for file in (*read.assessments, *read.runs)]
    models = [model.name for model in read.user_models]
    return files, models, [str(measure) for measure in read.measure_list], read.unanswered, read.ties


class Sample(NamedTuple):
    """A legal input file: the function that reads it, the result, and the content."""

    read: Callable[[Path], object]
    result: object
    text: str


XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
SAMPLES = {
    "INEX 2002": Sample(
        assess,
        {"5": {"dü": {"/a[1]": "(3,E)", "/a[1]/b[1]": "(0,N)"}}},
        '<assessments topic="5">\n<file file="dü">\n<path path="/a" relevance="3" coverage="E"/>\n'
        '<path path="/a/b" relevance="0" coverage="N"/>\n</file>\n</assessments>\n',
    ),
    "INEX 2004": Sample(
        assess,
        {"162": {"co/dü": {"/a[1]": "(3,1)"}}},
        XML + '<assessments pool="9" topic="162">\n<file file="co/dü">\n'
        '<path path="/a[1]" exhaustiveness="3" specificity="1" inpool="true" inferred="false"/>\n'
        '<path path="/a[1]/b[2]" exhaustiveness="U" specificity="U"/>\n</file>\n</assessments>\n',
    ),
    "INEX 2005": Sample(
        assess,
        {"202": {"co/dü": {"/a[1]": "(1,0.25)"}}},
        XML + '<assessments topic="202" version="2">\n<inex_topic topic_id="202"/>\n'
        '<file collection="ieee" name="co/dü">\n<passage start="/a[1]" end="/a[1]" size="50"/>\n'
        '<element path="/a[1]" exhaustivity="1" size="200" rsize="50"/>\n</file>\n</assessments>\n',
    ),
    "INEX 2006": Sample(
        assess,
        {"289": {"dü": {"/a[1]": "(2,1)"}}},
        '<assessments topic="289" version="2">\n<file collection="wiki" name="dü">\n'
        '<best-entry-point path="/a[1]"/>\n<passage start="/a[1]" end="/a[1]" size="80"/>\n'
        '<element path="/a[1]" exhaustivity="2" size="80" rsize="80"/>\n</file>\n</assessments>\n',
    ),
    "offset qrels": Sample(
        assess,
        {"2009001": {"dü": [], "851": [(1205, 1215, 2.0), (5521, 5541, 2.0)]}},
        "2009001 Q0 dü 0 99\n2009001 Q0 851 30 10656 100 1205:10 5521:20\n",
    ),
    "JSON elements": Sample(
        assess,
        {"1": {"dü": {"/a[1]": "(3,1)"}}, "2": {"e": {"/a[1]/b[1]": "(0,0)"}}},
        '{"topic": "1", "doc": "dü", "path": "/a", "exhaustivity": 3, "specificity": 1}\n'
        '{"topic": 2, "doc": "e", "path": "/a/b", "exhaustivity": 0, "specificity": 0}\n',
    ),
    "JSON passages": Sample(
        assess,
        {"1": {"dü": [(0, 12, 2.0), (20, 24, 1.0)]}},
        '{"topic": "1", "doc": "dü", "start": 0, "end": 12}\n'
        '{"topic": "1", "doc": "dü", "start": 20, "end": 24, "exhaustivity": 1}\n',
    ),
    "submission": Sample(
        run,
        ("r", [("e", "/b[1]"), ("dü", "/a[1]")], {}),
        XML + '<inex-submission participant-id="1" run-id="r" task="CO" query="automatic">\n'
        '<topic topic-id="7">\n<result><file>dü</file><path>/a</path><rank>2</rank></result>\n'
        "<result><file>e</file><path>/b</path><rank>1</rank></result>\n</topic>\n</inex-submission>\n",
    ),
    "submission, fol": Sample(
        run,
        ("r", [("dü", "")], {0: (5, 25)}),
        '<inex-submission run-id="r" task="F">\n<topic topic-id="7">\n<result><file>dü</file>'
        '<fol offset="5" length="20"/><rsv>1.5</rsv></result></topic></inex-submission>\n',
    ),
    "TREC": Sample(
        run,
        ("tag", [("e", "/b[1]"), ("dü", "/a[1]")], {}),
        "7 Q0 dü#/a 1 2.5 tag\n7 Q0 e#/b 2 3.5 tag\n",
    ),
    "TREC, path": Sample(
        run,
        ("tag", [("dü", "/a[1]"), ("e", "/b[1]/c[2]")], {}),
        "7 Q0 dü 1 3.5 tag /a[1]\n7 Q0 e 2 2.5 tag /b[1]/c[2]\n",
    ),
    "TREC, passage": Sample(
        run,
        ("tag", [("dü", ""), ("e", "")], {0: (5, 25), 1: (40, 41)}),
        "7 Q0 dü 1 3.5 tag 5 20\n7 Q0 e 2 2.5 tag 40 1\n",
    ),
    "JSON results": Sample(
        run,
        ("input", [("e", "/b[1]"), ("dü", "/a[1]")], {}),
        '{"topic": "7", "doc": "dü", "path": "/a", "score": 1.5}\n'
        '{"topic": "7", "doc": "e", "path": "/b", "score": 2}\n',
    ),
    "JSON result passages": Sample(
        run,
        ("input", [("e", ""), ("dü", "")], {0: (0, 1), 1: (5, 25)}),
        '{"topic": "7", "doc": "dü", "start": 5, "end": 25, "rank": 2}\n'
        '{"topic": "7", "doc": "e", "start": 0, "end": 1, "rank": 1}\n',
    ),
    "document": Sample(
        document,
        [("/a[1]", 15, 3), ("/a[1]/b[1]", 7, 2), ("/a[1]/b[2]", 5, 1)],
        XML + '<a>\n<b id="x">one twö</b>\n<b>three</b>\n</a>\n',
    ),
    "user model": Sample(
        user_model,
        ("mü", 0.25, "words", [0.5, 0.0]),
        'name: mü\nquantisation: {table: {"2,3": 0.5}}\nrelevance_value:\n  alpha: 0.25\nsize: words\n',
    ),
    "configuration": Sample(
        configuration,
        (["aü", "r1", "r2"], ["overlap-off"], ["nxCG@10", "MAep"], "skip", "rank"),
        "assessments: aü\nruns: [r1, r2]\nuser_model: overlap-off\nmeasures: [nxCG@10, MAep]\n"
        "topics: {unanswered: skip}\nties: rank\n",
    ),
}
IN_XML = [name for name, sample in SAMPLES.items() if sample.text.startswith("<")]
IN_JSON = [name for name, sample in SAMPLES.items() if sample.text.startswith("{")]
IN_YAML = ["user model", "configuration"]


def write_input(folder: Path, content: str | bytes) -> Path:
    path = folder / "input.xml"  # only documents need this ending
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def error_message(name: str, path: Path) -> str:
    """Return the error message without the file name, with which it must begin."""
    with pytest.raises(InputError) as raised:
        SAMPLES[name].read(path)
    message = str(raised.value)
    assert message.startswith(f"{path}:"), message
    assert "\n" not in message
    return message.removeprefix(str(path))


HARMLESS_CHANGES: dict[str, Callable[[str], str]] = {
    "nothing": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: "\ufeff" + text,
    "BOM and CRLF": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "no line end at the end": lambda text: text.rstrip("\n"),
    "empty lines at the end": lambda text: text + "\n\n",
}


@pytest.mark.parametrize("change", HARMLESS_CHANGES)
@pytest.mark.parametrize("name", SAMPLES)
def test_harmless_changes_do_not_change_the_result(tmp_path: Path, name: str, change: str) -> None:
    read, result, text = SAMPLES[name]
    assert read(write_input(tmp_path, HARMLESS_CHANGES[change](text))) == result


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("declared", ["", XML.replace("UTF-8", "UTF-16")])
@pytest.mark.parametrize("name", IN_XML)
def test_xml_may_be_in_utf_16(tmp_path: Path, name: str, declared: str, encoding: str) -> None:
    read, result, text = SAMPLES[name]
    text = "\ufeff" + declared + text.removeprefix(XML)
    assert read(write_input(tmp_path, text.encode(encoding))) == result


@pytest.mark.parametrize("content", ["", " \n", "\n \n\n", "\ufeff"])
@pytest.mark.parametrize("name", SAMPLES)
def test_an_empty_file_is_refused(tmp_path: Path, name: str, content: str) -> None:
    expected: dict[object, str] = {
        assess: ": an empty file; expected assessments",
        run: ": an empty file; expected a run",
        document: ": not well-formed XML: ",
    }
    reason = expected.get(SAMPLES[name].read, ":1: expected keys with values, found nothing")
    assert reason in error_message(name, write_input(tmp_path, content))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
@pytest.mark.parametrize("name", SAMPLES)
def test_other_encodings_are_refused(tmp_path: Path, name: str, encoding: str) -> None:
    if encoding == "utf-16" and name in (*IN_XML, *IN_YAML):
        return  # XML and YAML may be in UTF-16
    message = error_message(name, write_input(tmp_path, SAMPLES[name].text.encode(encoding)))
    if name in IN_XML:
        assert re.match(r":[1-5]: not well-formed XML: ", message)
    else:
        is_yaml = name in IN_YAML
        expected = "not valid YAML: expected text in UTF-8" if is_yaml else "not UTF-8 text; expected"
        assert re.match(rf":\d: {expected}", message)


@pytest.mark.parametrize("name", [*IN_XML, *IN_JSON])
def test_xml_or_json_that_is_cut_off_is_refused(tmp_path: Path, name: str) -> None:
    text, reason = SAMPLES[name].text.rstrip("\n"), "not well-formed XML"
    first = 1
    if name in IN_JSON:
        first, reason = (text.index("\n") + 2, "not valid JSON")  # a file may end after a line
    for length in {*range(first, len(text), 7), len(text) - 1}:
        message = error_message(name, write_input(tmp_path, text[:length]))
        assert re.match(rf":\d: {reason}: ", message), message


# Text | replacement | start of the message, where … is any text, or "same" for a harmless change.
# {a,b} stands for two cases; HUGE is 10**30; CUT cuts the file off after the text.
DAMAGES = r"""
= INEX 2002
coverage="E" | coverage="e" colour="red" | same
<path path="/a" | <pth path="/a" | :3: unexpected <pth> in <file>: expected <path path=… or <element
topic="5" | | :1: <assessments> has no topic attribute
assessments | judgements | : no <assessments> element around <file>, found <judgements>
relevance="3" | relevance="{-3,NaN,1e400,HUGE}" | :3: /a[1]: illegal relevance … expected 0, 1, 2, 3
coverage="E" | coverage="{-1,NaN,1e400}" | :3: /a[1]: illegal coverage … expected E, L, S, N or U
coverage="E" | | :3: the element has no coverage attribute
coverage="E" | coverage="E" coverage="E" | :3: not well-formed XML:
"3" coverage="E" | "E" coverage="3" | :3: /a[1]: illegal relevance 'E': expected 0, 1, 2, 3 or U
</file>\n</assessments> | </assessments>\n</file> | :5: not well-formed XML:
= INEX 2004
inpool="true" | inpool="NaN" inconsistant="-1" | same
assessments | run | : no <assessments> element around <file>, found <run>; expected assessments
file="co/dü"> | file="x"><file file="y"/> | : no <assessments> element around <file>, found <file>
specificity="1" | specificity="{inf,1e400,HUGE}" | :4: /a[1]: illegal value … expected 0, 1, 2, 3 or U
specificity="1" | | :4: the element has no specificity attribute
specificity="1" | specificity="1" specificity="2" | :4: not well-formed XML:
path="/a[1]" | path="/a[{-1,1e400,HUGE}]" | :4: '/a[ … is not an element path … like sec[6]
<file file="co/dü"> | <file> | :3: <file> has no file attribute; expected the document's name
= INEX 2005
collection="ieee" name="co/dü" | name="co/dü" x="y" | same
size="200" | size="{-1,NaN,inf,1e400,HUGE}" | :6: /a[1]: illegal size … expected a number of characters
rsize="50" | rsize="{-50,NaN}" | :6: /a[1]: illegal rsize … expected a number of characters
exhaustivity="1" | exhaustivity="{-1,HUGE}" | :6: /a[1]: illegal exhaustivity … expected 1, 2 or ?
exhaustivity="1" | | :6: the element has no exhaustivity attribute
= INEX 2006
exhaustivity="2" size="80" rsize="80" | rsize="80" size="80" exhaustivity="2" | same
<element path="/a[1]" | <element | :5: <element> has no path attribute
rsize="80" | rsize="80" rsize="80" | :5: not well-formed XML:
exhaustivity="2" | exhaustivity="{NaN,1e400}" | :5: /a[1]: illegal exhaustivity … expected 1, 2 or ?
size="80" rsize="80" | size="40" rsize="80" | :5: /a[1]: rsize 80 is larger than size 40
= offset qrels
30 10656 | {-30,nan,1e400,HUGE} 10656 | :2: illegal relevant characters … expected a number
30 10656 | 30 {-1,inf,1e400,HUGE} | :2: illegal length … expected a number of characters
5521:20 | {-1,HUGE}:20 | :2: illegal passage … expected offset:length, like 1205:3431
5521:20 | 5521:20 level | :2: illegal passage 'level': expected offset:length, like 1205:3431
30 10656 100 | 100 1205:10 30 | :2: illegal length '1205:10': expected a number of characters
851 30 | CUT | :2: 4 columns; expected topic Q0 document relevant_characters length
851 30 10656 100 1205:10 5521: | CUT | :2: illegal passage '5521:': expected offset:length
= JSON elements
"doc": "dü", "path": "/a" | "path": "/a", "doc": "dü" | same
: 3 | : HUGE | :1: exhaustivity is … the limit is 9007199254740991; expected a whole number
: 3 | : -3 | :1: illegal assessment … expected a pair (e, s) with both 0 or both from 1 to 3
: 3 | : {NaN,Infinity,1e400} | :1: exhaustivity is … expected a whole number
"topic": 2, | | :2: the field 'topic' is missing
"topic": 2 | "topik": 2 | :2: unknown field 'topik': did you mean 'topic'?
= JSON passages
"start": 0 | "start": HUGE | :1: start is … the limit is 9007199254740991; expected a whole number
"start": 0 | "start": {-1,12} | :1: start … and end 12: expected 0 <= start < end
"end": 12 | "end": {NaN,-Infinity,1e400} | :1: end is … expected a whole number
"exhaustivity": 1 | "exhaustivity": -1 | :2: exhaustivity is … : expected 1 or 2 for a passage
"exhaustivity": 1 | "exhaustivity": HUGE | :2: exhaustivity is … the limit is 9007199254740991
, "end": 24 | | :2: the field 'end' is missing
"exhaustivity" | "exhaustivty" | :2: unknown field 'exhaustivty': did you mean 'exhaustivity'?
= submission
task="CO" | affiliation="x" | same
<file>e</file><path>/b</path> | <path>/b</path><file>e</file> | same
inex-submission | submission | :…: <topic> in the wrong place; expected it directly in <inex-submission>
run-id="r" | run-id="r" run-id="q" | :2: not well-formed XML:
run-id="r" | | :2: <inex-submission> has no run-id attribute
<path>/b</path> | <{x,pth}/> | :5: topic 7: the result has no <path>; expected an element
<rank>1< | <rank>{inf,NaN,1e400}< | :5: illegal rank … expected a whole number from 0
</topic>\n</inex-submission> | </inex-submission>\n</topic> | :6: not well-formed XML:
= submission, fol
offset="5" length="20" | length="20" unit="x" offset="5" | same
offset="5" | offset="{-5,inf,1e400,HUGE}" | :3: topic 7: illegal passage … expected an offset
length="20" | | :3: topic 7: illegal passage '5' '': expected an offset and a length
length="20" | length="20" length="2" | :3: not well-formed XML:
<rsv>1.5< | <rsv>{-inf,-1e400}< | :3: illegal rsv … expected a finite number
= TREC
2 3.5 | 2 {-inf,1e400} | :2: illegal score … expected a finite number
2 3.5 | {inf,1e400,3.5} 2 | :2: illegal rank … expected a whole number
e#/b | e#/b[{-1,HUGE}] | :2: topic 7, rank 1: '/b[ … is not an element path
e#/b | CUT | :2: 3 columns; expected six, topic Q0 file#/path rank score tag
= TREC, path
2.5 | {nan,1e400} | :2: illegal score … expected a finite number
2.5 tag /b[1]/c[2] | 2.5 /b[1]/c[2] tag | :2: 7 columns; expected six … or seven with an element's path
/b[1]/c[ | CUT | :2: topic 7, rank 2: '/b[1]/c[' is not an element path
= TREC, passage
40 1\n | {-40,nan,1e400,HUGE} 1\n | :2: illegal passage … expected an offset and a length
2.5 tag 40 1 | 40 1 2.5 tag | :2: illegal passage '2.5' 'tag': expected an offset and a length
tag 40 | CUT | :2: 7 columns; expected six … or eight with a passage's offset and length
= JSON results
"doc": "e", | | :2: the field 'doc' is missing
"score": 2 | "score": {NaN,-Infinity,-1e400} | :2: score is … expected a finite number
"score": 2 | "rank": {-2,1e400,HUGE} | :2: rank is … expected a whole number from 0
= JSON result passages
"start": 0 | "start": HUGE | :2: start is … the limit is 9007199254740991; expected a whole number
"start": 0 | "start": {-1,2} | :2: start … and end 1: expected 0 <= start <= end
, "end": 25 | | :1: expected either the field 'path', or 'start' and 'end'
"rank": 2 | "rang": 2 | :1: unknown field 'rang': did you mean 'rank'?
= document
id="x" | id="x" id="y" | :3: not well-formed XML:
</b>\n</a> | </a>\n</b> | :4: not well-formed XML:
twö | &#{-1,HUGE}; | :3: not well-formed XML:
= user model
name: mü\n | ideal: full\nname: mü\n | same
alpha: 0.25 | alpha: {-1,-.inf,1e400,HUGE} | :4: relevance_value.alpha: expected a number
alpha: 0.25 | alpha: 1\n  alpha: 1 | :5: the key 'alpha' occurs twice
0.5 | {-1,.nan,HUGE} | :2: quantisation: the score of '2,3' is … expected a number from 0 to 1
name: mü\n | | :1: the key 'name' is missing
{table: { | CUT | …not valid YAML:
alpha: | CUT | :4: relevance_value.alpha: expected a number from 0 to 1, found nothing
= configuration
nxCG@10 | nxCG@{-1,nan,1e400} | :4: measures[0]: nxCG@ … expected a rank from 1, like nxCG@10
nxCG@10 | nxCG@HUGE | :4: measures[0]: nxCG@ … the highest rank is 999,999,999
assessments: aü | assessments: {-1,.inf,HUGE} | :1: assessments: expected text, found
ties: rank | ties: rank\nties: rank | :7: the key 'ties' occurs twice
ties: rank | tie: rank | :6: tie: unknown key: did you mean 'ties'?
runs: | CUT | :2: runs: expected text, found nothing
runs: [r1, | CUT | …not valid YAML:
"""


def damages() -> Iterator[tuple[str, str, str, str]]:
    name = ""
    for line in DAMAGES.replace("HUGE", str(10**30)).strip().split("\n"):
        if line.startswith("= "):
            name = line[2:]
            continue
        old, new, message = (c.strip().replace(r"\n", "\n") for c in line.split("|"))
        before, *choice = re.split(r"\{(.*,.*)\}", new)
        for value in choice[0].split(",") if choice else [""]:
            yield name, old, before + value + "".join(choice[1:]), message


@pytest.mark.parametrize(("name", "old", "new", "message"), list(damages()))
def test_a_damage_is_harmless_or_refused(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    text = SAMPLES[name].text
    assert old in text
    text = text[: text.index(old)] + old if new == "CUT" else text.replace(old, new)
    path = write_input(tmp_path, text)
    if message == "same":
        assert SAMPLES[name].read(path) == SAMPLES[name].result
        return
    found = error_message(name, path)
    assert re.match(".*".join(re.escape(part.strip()) for part in message.split("…")), found), found


SUBMISSION = '<inex-submission run-id="r">{}</inex-submission>'
TOPIC = '<topic topic-id="7">{}</topic>'
RESULT = "<result><file>d</file><path>/a</path></result>"
ASSESSMENTS = '<assessments topic="1">{}</assessments>'
MISLEADING_FILES = [
    # elements in unexpected places
    (
        "base",
        '<assessments topic="1"><path path="/a" e="1" s="1"/></assessments>',
        "<path> outside a <file>",
    ),
    (
        "base",
        ASSESSMENTS.format('<doc file="d"><path path="/a" e="1" s="1"/></doc><file file="d"/>'),
        "<path> outside a <file>",
    ),
    (
        "base",
        ASSESSMENTS.format(
            '<file file="d"><path path="/a" e="1" s="1"><path path="/b"/></path></file>'
        ),
        "<path> contains elements",
    ),
    ("run", SUBMISSION.format(RESULT + TOPIC.format(RESULT)), "<result> in the wrong place"),
    ("run", SUBMISSION.format(TOPIC.format(RESULT) + RESULT), "<result> in the wrong place"),
    ("run", SUBMISSION.format(TOPIC.format(TOPIC.format(RESULT))), "<topic> in the wrong place"),
    (
        "run",
        f"<x>{SUBMISSION.format(TOPIC.format(RESULT)) * 2}</x>",
        "<inex-submission> in the wrong place",
    ),
    ("run", SUBMISSION.format(TOPIC.format("<res/>")), "<topic> has no <result>, but <res>"),
    # duplicates
    ("base", '<assessments topic="1" TOPIC="2"/>', "the attribute 'topic' occurs twice"),
    ("base", '<assessments topic="1"><file file="d" name="e"/></assessments>', "<file> has two names"),
    (
        "base",
        ASSESSMENTS.format('<file file="d"><path path="/a" e="1" exhaustivity="2" s="1"/></file>'),
        "states exhaustivity and e; expected one of them",
    ),
    (
        "base",
        ASSESSMENTS.format('<file file="d"><path path="/a" e="1" relevance="1" coverage="E"/></file>'),
        "relevance and coverage together with exhaustivity or specificity",
    ),
    (
        "run",
        SUBMISSION.format(
            TOPIC.format("<result><file>d</file><path>/a</path><path>/b</path></result>")
        ),
        "the result has two <path>",
    ),
    (
        "run",
        SUBMISSION.format(
            TOPIC.format('<result><file>d</file><path>/a</path><fol offset="1" length="2"/></result>')
        ),
        "has several of <path>, <fol> and <passage>",
    ),
    (
        "run",
        SUBMISSION.format(TOPIC.format("<result><file>d</file><path>/a<b/>/c</path></result>")),
        "<path> contains elements",
    ),
    ("run", '{"topic": 1, "doc": "d", "path": "/a", "path": "/b"}', "the key 'path' occurs twice"),
    # other formats and other orders of columns
    ("base", "1 Q0 851 7300", "illegal level 7300"),
    ("base", "1 Q0 d 0\n1 Q0 e 3 100 5:3\n", ":1: 4 columns; expected topic Q0 document relevant_char"),
    ("base", "2 Q0 d 30 100 5:10 20:2 7", "illegal passage '7': expected offset:length"),
    ("run", "1 e#/b Q0 2 1 t", "the columns begin with 1 e#/b; expected topic Q0"),
    ("run", "f#/a 1 Q0 1 2 t", "the columns begin with f#/a 1; expected topic Q0"),
    ("run", f"1 Q0 f#5:{'9' * 5000} 1 2 t", f"illegal passage '5' '{'9' * 20}': expected an offset"),
    (
        "base",
        '{"topic": "1", "doc": "d", "start": 3, "end": 9}\n'
        '{"topic": "1", "doc": "d", "path": "/a", "exhaustivity": 1, "specificity": 1}\n',
        "has assessed elements and passages",
    ),
    ("run", "[{}]", ":1: expected JSON Lines, one object {…} per line"),
    (
        "run",
        SUBMISSION.format(TOPIC.format(RESULT.replace("</result", "<rank>1_0</rank></result"))),
        "illegal rank '1_0'",
    ),
    # lines that end with CR alone, of which only the first would be read
    ("run", "T1 Q0 d 1 2 t\rT1 Q0 e 2 1 t\n", ":1: a carriage return within the line; expected lines"),
    ("base", "1 qid:1 1:2 # docid = d\r1 qid:1 1:1 # docid = e\n", ":1: a carriage return within"),
    ("base", "# comment\r1 0 d 1\n2 0 d 1\n", ":1: a carriage return within the line"),
    # and that are read as columns at once
    ("run", "\r1 Q0 d 1 2 t", ":1: a carriage return within the line"),
    ("run", "1 Q0 d\r1 2 t\n", ":1: a carriage return within the line"),
    ("base", "1 0 d\r1\n2 0 d 1\n", ":1: a carriage return within the line"),
    # entities of a DTD that is not read, in attributes, where they would be left out
    *(
        (
            "run",
            f"<!DOCTYPE x SYSTEM 'x.dtd'>{text}",
            "input:1: the file has entities, which are not read",
        )
        for text in (
            SUBMISSION.format(TOPIC.format(RESULT).replace('topic-id="', 'topic-id="&x;')),
            SUBMISSION.format(TOPIC.format(RESULT)).replace('run-id="', 'run-id="&x;'),
        )
    ),
    (
        "base",
        "<!DOCTYPE x SYSTEM 'x.dtd'>" + ASSESSMENTS.format('<file file="d&x;"/>'),
        "input:1: the file has entities, which are not read",
    ),
    # names that cannot be written
    ("base", '{"topic": "\\ud800", "doc": "d", "level": 1}', "'topic' has a lone surrogate"),
    ("base", '{"topic": "\\u001b[31m", "doc": "d", "level": 1}', "'topic' has control characters"),
    ("base", '{"topic": "1\\n2", "doc": "d", "level": 1}', r"the topic '1\n2' has control characters"),
    ("run", '{"topic": " ", "doc": "d"}', "the topic is empty"),
    ("model", 'name: !!timestamp "x"', ":1: the tag tag:yaml.org,2002:timestamp is not allowed"),
    ("model", 'name: m\nsize: !!bool "x"', ":2: not valid YAML: 'x' is not of type bool"),
    ("model", f"name: m\nsize: {'9' * 5000}", ":2: the number 99999999999999999999… has 5,000"),
]


@pytest.mark.parametrize(("what", "text", "message"), MISLEADING_FILES)
def test_misleading_files_are_refused(tmp_path: Path, what: str, text: str, message: str) -> None:
    path = tmp_path / "input"
    path.write_text(text, encoding="utf-8")
    readers = {"base": read_assessments, "run": read_run, "model": UserModel.load}
    with pytest.raises(XcgError) as raised:
        readers[what](path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)


@pytest.mark.posix
@pytest.mark.parametrize("read", [read_assessments, read_run])
def test_an_endless_line_is_refused_before_it_is_read(read: Callable[[str], object]) -> None:
    with pytest.raises(InputError, match="/dev/zero:1: a line of more than 1 MB"):
        read("/dev/zero")
