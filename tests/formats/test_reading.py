"""Assessments and runs, as they were written and as people damage them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import read_assessments, read_run
from xcg.runs.run import Ranking, Run

BASE = '<assessments topic="162">\n<file file="co/1">\n{}\n</file>\n</assessments>'


def write(folder: Path, text: str, name: str = "input.xml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def assess(folder: Path, inner: str, lenient: bool = False) -> dict[str, str]:
    notes = Notes(lenient)
    base = read_assessments(write(folder, BASE.format(inner)), notes)
    found = {path: a.label for path, a in base.files("162").get("co/1", {}).items()}
    if lenient:
        found["notes"] = "; ".join(notes.lines())
    return found


class TestAssessments:
    def test_inex_2004_with_its_further_attributes(self, tmp_path: Path) -> None:
        inner = (
            '<path path="/article[1]" exhaustiveness="3" specificity="1" inpool="true" inferred="no"/>'
            "<path inconsistant='yes' specificity='0' exhaustiveness='0' path='/article/bdy'/>"
            '<path path="/article/fm" exhaustiveness="U" specificity="U"/>'
        )
        found = assess(tmp_path, inner)
        assert found == {"/article[1]": "(3,1)", "/article[1]/bdy[1]": "(0,0)"}

    @pytest.mark.parametrize(
        "attributes", ['E="2" S="3"', 'Exhaustivity="2" SPECIFICITY="3"', 'exhaustiveness=" 2 " s="3"']
    )
    def test_liberal_about_names(self, tmp_path: Path, attributes: str) -> None:
        assert assess(tmp_path, f'<PATH Path="/a" {attributes}/>') == {"/a[1]": "(2,3)"}

    def test_inex_2002(self, tmp_path: Path) -> None:
        inner = (
            '<path path="/a" relevance="3" coverage="E"/><path path="/a/b" relevance="0" coverage="N"/>'
        )
        assert assess(tmp_path, inner) == {"/a[1]": "(3,E)", "/a[1]/b[1]": "(0,N)"}

    def test_inex_2005(self, tmp_path: Path) -> None:
        text = (
            '<assessments pool="1" topic="202" version="2"><inex_topic topic_id="202"><title>t</title>'
            '</inex_topic><file collection="ieee" name="co/1">'
            '<passage start="/a[1]/p[1]/text()[1].3" end="/a[1]/p[2]" size="45"/>'
            '<best-entry-point path="/a[1]/p[1]"/>'
            '<element path="/a[1]" exhaustivity="2" size="200" rsize="50"/>'
            '<element path="/a[1]/p[1]" exhaustivity="?" size="40" rsize="10"/>'
            "</file></assessments>"
        )
        base = read_assessments(write(tmp_path, text))
        assert base.topics == ["202"]
        elements = base.files("202")["co/1"]
        assert elements["/a[1]"] == (2.0, 0.25, 200, "share")
        assert elements["/a[1]/p[1]"] == (0.0, 0.25, 40, "share")
        assert not elements["/a[1]/p[1]"].relevant

    @pytest.mark.parametrize(
        ("inner", "message"),
        [
            ('<path path="/a" e="0" s="1"/>', "illegal assessment (e, s) = (0, 1)"),
            ('<path path="/a" e="4" s="1"/>', "illegal value '4': expected 0, 1, 2, 3 or U"),
            ('<path path="/a" e="-1" s="1"/>', "illegal value '-1'"),
            ('<path path="/a" e="NaN" s="1"/>', "illegal value 'NAN'"),
            ('<path path="/a" e="1.0" s="1"/>', "illegal value '1.0'"),
            ('<path path="/a" e="²" s="1"/>', "illegal value"),
            ('<path path="a[1]" e="1" s="1"/>', "'a[1]' is no element path"),
            (f'<path path="/a[{"9" * 5000}]" e="1" s="1"/>', "is no element path"),
            (f'<path path="{"/a" * 5000}" e="1" s="1"/>', "an element path of 10000 characters"),
            ('<path path="/a" exhaustivness="1" s="1"/>', "did you mean 'exhaustiveness'?"),
            ('<path e="1" s="1"/>', "has no path attribute"),
            ('<path path="/a" relevance="0" coverage="E"/>', "illegal assessment 0E"),
            ('<path path="/a" relevance="1" coverage="X"/>', "illegal coverage 'X'"),
            ("<thing/>", "unexpected <thing> in <file>: expected <path path="),
            ('<element path="/a" exhaustivity="3" size="9" rsize="9"/>', "illegal exhaustivity '3'"),
            (
                '<element path="/a" exhaustivity="1" size="9" rsize="10"/>',
                "rsize 10 is larger than size 9",
            ),
            ('<element path="/a" exhaustivity="1" size="9" rsize="0"/>', "without highlighted text"),
            ('<element path="/a" exhaustivity="1" size="-9" rsize="1"/>', "illegal size '-9'"),
            ('<element path="/a" exhaustivity="1" size="9"/>', "has no rsize attribute"),
            ("<element/>", "the element's path"),
        ],
    )
    def test_wrong_values_name_file_and_line(self, tmp_path: Path, inner: str, message: str) -> None:
        with pytest.raises(InputError) as raised:
            assess(tmp_path, inner)
        assert message in str(raised.value)
        assert str(raised.value).startswith(f"{tmp_path}/input.xml:3: ")

    def test_passages_by_points(self, tmp_path: Path) -> None:
        inner = '<passage start="/a/p[1]/text()[1].4" end="/a/p[2]" size="3"/>'
        base = read_assessments(write(tmp_path, BASE.format(inner)))
        ((file, passages),) = base.passages("162").items()
        assert file == "co/1"
        assert [str(point) for point in passages[0]] == ["/a[1]/p[1]/text()[1].4", "/a[1]/p[2]"]

    @pytest.mark.parametrize(
        ("attributes", "message"),
        [
            ('start="/a[1]"', "the passage lacks its start or end"),
            ('start="/a[1]" end="/a/text()[0].3"', "is no element path"),
            ('start="7" end="/a"', "'7' is no element path"),
        ],
    )
    def test_wrong_points(self, tmp_path: Path, attributes: str, message: str) -> None:
        with pytest.raises(InputError, match=r"input\.xml:3: ") as raised:
            assess(tmp_path, f"<passage {attributes}/>")
        assert message in str(raised.value)

    def test_lenient_counts_wrong_values(self, tmp_path: Path) -> None:
        found = assess(tmp_path, '<path path="/a" e="9" s="9"/>\n<path path="/b" e="1" s="0"/>', True)
        assert list(found) == ["notes"]
        assert "assessments left out: 2 times; the first:" in found["notes"]

    def test_one_element_twice(self, tmp_path: Path) -> None:
        same = '<path path="/a" e="1" s="1"/><path path="/a[1]" e="1" s="1"/>'
        assert assess(tmp_path, same) == {"/a[1]": "(1,1)"}
        differ = '<path path="/a" e="1" s="1"/><path path="/a" e="2" s="2"/>'
        with pytest.raises(InputError, match=r"is assessed \(2,2\) but was \(1,1\) before"):
            assess(tmp_path, differ)
        lenient = assess(tmp_path, differ, lenient=True)
        assert lenient["/a[1]"] == "(1,1)"
        assert "contradictory assessments; the first is used: 1 time" in lenient["notes"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "an empty file; expected assessments"),
            ("topic Q0 x", "3 columns; expected topic Q0 document relevant_characters length"),
            ("1 0 x high", "illegal level 'high': expected a whole number"),
            ("1 0 x 1\n1 0 x", "input.xml:2: 3 columns; expected topic iteration document level"),
            ("1 0 x 1\n1 0 x 2", "is assessed level 2 but was level 1 before"),
            ("1 0 x#/ 1", "'/' is no element path"),
            ("1 0 x 10000000", "illegal level 10000000"),
            ("<assessments topic='1'>", ":1: not well-formed XML"),
            ("<assessments topic='1'><file file='x'></assessments>", "not well-formed XML"),
            ("<other/>", "no <assessments> element"),
            ("<assessments/>", "has no topic attribute"),
            ("<assessments topic='all'/>", "a topic is called 'all', which names the mean"),
            ("<assessments topic='1'><file/></assessments>", "has no file attribute"),
            ("<assessments topic='1'><file file='../x'/></assessments>", "is no corpus file"),
            ("<x><file file='a'/></x>", "no <assessments> element around <file>, found <x>"),
        ],
    )
    def test_what_is_no_assessment_file(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError) as raised:
            read_assessments(write(tmp_path, text))
        assert message in str(raised.value)
        assert str(tmp_path / "input.xml") in str(raised.value)

    def test_a_topic_without_relevant_elements_is_assessed(self, tmp_path: Path) -> None:
        assert read_assessments(write(tmp_path, "<assessments topic='7'/>")).topics == ["7"]

    def test_folders_globs_gzip_bom_and_crlf(self, tmp_path: Path) -> None:
        text = BASE.format('<path path="/a" e="1" s="1"/>')
        (tmp_path / "below").mkdir()
        (tmp_path / "below" / "1.xml.gz").write_bytes(gzip.compress(text.encode()))
        crlf = text.replace("162", "9").replace("\n", "\r\n")
        (tmp_path / "2.xml").write_bytes(b"\xef\xbb\xbf" + crlf.encode())
        (tmp_path / ".hidden").write_text("no")
        (tmp_path / "README.md").write_text("no")
        assert read_assessments(tmp_path).topics == ["9", "162"]
        assert read_assessments(str(tmp_path / "*.xml")).topics == ["9"]
        assert read_assessments([tmp_path / "2.xml", tmp_path / "below"]).topics == ["9", "162"]

    def test_missing_and_damaged_files(self, tmp_path: Path) -> None:
        write(tmp_path, "x", "assessments.xml")
        with pytest.raises(
            InputError, match=r"no such file or folder \(did you mean 'assessments\.xml'"
        ):
            read_assessments(tmp_path / "assesments.xml")
        with pytest.raises(InputError, match="no file name"):
            read_assessments("a" * 5000)
        with pytest.raises(InputError, match="nothing matches"):
            read_assessments(str(tmp_path / "*.zzz"))
        (tmp_path / "bad.gz").write_bytes(gzip.compress(b"<assessments topic='1'/>" * 99)[:-20])
        with pytest.raises(InputError, match=r"bad\.gz"):
            read_assessments(tmp_path / "bad.gz")
        (tmp_path / "empty").mkdir()
        with pytest.raises(InputError, match="holds no files"):
            read_assessments(tmp_path / "empty")


def submission(*results: str) -> str:
    body = "\n".join(f"<result>{result}</result>" for result in results)
    return f'<inex-submission run-id="r">\n<topic topic-id="1">\n{body}\n</topic>\n</inex-submission>'


def order(run: Run, topic: str = "1") -> str:
    return " ".join(path[1:-3] for _, path in run.rankings[topic])


class TestSubmissions:
    def read(self, folder: Path, *results: str) -> Run:
        return read_run(write(folder, submission(*results)))

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            (["<rank>3</rank>", "<rank>1</rank>", "<rank>2</rank>"], "b c a"),
            (["<rank>2</rank>", "<rank>0</rank>", "<rank>1</rank>"], "b c a"),
            (["<rsv>.5</rsv>", "<rsv>1e1</rsv>", "<rsv>-3</rsv>"], "b a c"),
            (["<rank>1</rank><rsv>9</rsv>", "<rank>2</rank><rsv>99</rsv>", "<rsv>5</rsv>"], "b a c"),
            (["<rank>1</rank>", "", ""], "a b c"),
            (["<rsv>1</rsv>", "<rsv>1</rsv>", "<rsv>1</rsv>"], "a b c"),
            (["<rank>2</rank>", "<rank>1</rank>", "<rank>1</rank>"], "b c a"),
        ],
    )
    def test_order(self, tmp_path: Path, fields: list[str], expected: str) -> None:
        named = [f"<file>f.xml</file><path>/{n}</path>{f}" for n, f in zip("abc", fields, strict=True)]
        run = self.read(tmp_path, *named)
        assert order(run) == expected
        assert set(run.rankings["1"].files) == {"f"}

    def test_the_whole_form(self, tmp_path: Path) -> None:
        text = (
            '<?xml version="1.0"?>\n<!DOCTYPE inex-submission SYSTEM "inex.dtd">\n'
            '<inex-submission participant-id="1" run-id="r" task="CO" query="automatic">\n'
            '<topic-fields title="yes"/><description>a &amp; b</description>\n'
            "<collections><collection>ieee</collection></collections>\n"
            '<topic topic-id=" 7 "><result><rank> 1 </rank><path>\n/a[1]\n</path>'
            "<file><![CDATA[f]]></file></result></topic>\n<topic topic-id='8'/>\n</inex-submission>"
        )
        run = read_run(write(tmp_path, text))
        assert (run.name, list(run.rankings["7"])) == ("r", [("f", "/a[1]")])
        assert len(run.rankings["8"]) == 0

    @pytest.mark.parametrize(
        ("result", "message"),
        [
            ("<file>f</file><path>a</path>", "is no element path"),
            ("<file>f</file>", "the result has no <path>"),
            ("<path>/a</path>", "'' is no corpus file"),
            ("<file>f</file><path>/a</path><rank>x</rank>", "illegal rank 'x'"),
            ("<file>f</file><path>/a</path><rank>-1</rank>", "illegal rank '-1'"),
            (f"<file>f</file><path>/a</path><rank>{'9' * 400}</rank>", "illegal rank '999"),
            (f"<file>f</file><path>/a</path><rank>{'9' * 5000}</rank>", "illegal rank '999"),
            ("<file>f</file><path>/a</path><rank>1.5</rank>", "illegal rank '1.5'"),
            ("<file>f</file><path>/a</path><rsv>nan</rsv>", "illegal rsv 'nan'"),
            ("<file>f</file><path>/a</path><rsv>1e999</rsv>", "illegal rsv '1e999'"),
            ("<file>f</file><path>/a</path><rank/>", "illegal rank ''"),
        ],
    )
    def test_wrong_results_name_file_and_line(self, tmp_path: Path, result: str, message: str) -> None:
        with pytest.raises(InputError) as raised:
            self.read(tmp_path, result)
        assert message in str(raised.value)
        assert str(raised.value).startswith(f"{tmp_path}/input.xml:3: ")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("<inex-submission/>", "has no run-id"),
            ("<assessments topic='1'/>", "no <inex-submission> element"),
            ("<inex-submission run-id='r'><topic/></inex-submission>", "has no topic-id"),
            (
                "<inex-submission run-id='r'><topic topic-id='1'/>"
                "<topic topic-id='1'/></inex-submission>",
                "topic 1 occurs twice",
            ),
            ("<inex-submission run-id='r'>", "not well-formed XML"),
        ],
    )
    def test_what_is_no_submission(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError) as raised:
            read_run(write(tmp_path, text))
        assert message in str(raised.value)

    def test_lenient_ranks_and_topics(self, tmp_path: Path) -> None:
        notes = Notes(lenient=True)
        text = submission(
            "<file>f</file><path>/a</path><rank>x</rank>", "<file>f</file><path>/b</path><rank>2</rank>"
        ).replace("</inex-submission>", "<topic topic-id='1'/></inex-submission>")
        assert order(read_run(write(tmp_path, text), notes)) == "b a"
        assert [line.partition(":")[2].partition(":")[0].strip() for line in notes.lines()] == [
            "illegal ranks or scores; the results are last",
            "duplicate topics; the first is used",
        ]

    def test_lenient_results_hold_their_rank(self, tmp_path: Path) -> None:
        notes = Notes(lenient=True)
        text = submission("<file>f</file><path>x</path>", "<file>f</file><path>/a</path>")
        run = read_run(write(tmp_path, text), notes)
        assert list(run.rankings["1"]) == [("f", ""), ("f", "/a[1]")]
        assert notes.lines()[0].startswith("warning: results that name no element: 1 time; the first:")


class TestTrecRuns:
    LINES = ("1 Q0 f#/a 1 2.0 tag", "1 Q0 f#/c 2 2.0 tag", "1 Q0 f#/b 3 2.0 tag", "1 Q0 f#/d 4 3 tag")

    @pytest.mark.parametrize(
        ("ties", "expected"), [("document", "d c b a"), ("rank", "d a c b"), ("file", "d a c b")]
    )
    def test_ties_by_a_named_rule(self, tmp_path: Path, ties: str, expected: str) -> None:
        path = write(tmp_path, "\n".join(self.LINES) + "\n", "run.txt")
        assert order(read_run(path, ties=ties)) == expected  # type: ignore[arg-type]
        backwards = write(tmp_path, "\r\n".join(reversed(self.LINES)), "back.txt")
        if ties != "file":
            assert order(read_run(backwards, ties=ties)) == expected  # type: ignore[arg-type]
        else:
            assert order(read_run(backwards, ties="file")) == "d b c a"

    def test_scores_are_compared_in_single_precision(self, tmp_path: Path) -> None:
        text = "1 Q0 f#/a 1 0.30000000001 t\n1 Q0 f#/b 2 0.3 t\n"
        assert order(read_run(write(tmp_path, text, "r"))) == "b a"

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1 Q0 f#/a 1 2.0", "5 columns; expected six"),
            ("1 Q0 f#/a 1 2.0 t extra", "7 columns"),
            ("1 Q0 f#/a 1 nan t", "illegal score 'nan'"),
            ("1 Q0 f#/a x 1 t", "illegal rank 'x'"),
            ("1 Q0 f/article[1] 1 1 t", "'f/article[1]' names no element: expected file#/path"),
            ("1 Q0 f#a 1 1 t", "is no element path"),
            ("\xff\xfe", "columns"),
        ],
    )
    def test_wrong_lines_name_file_and_line(self, tmp_path: Path, line: str, message: str) -> None:
        path = write(tmp_path, "1 Q0 f#/a 1 2.0 t\n" + line + "\n", "run.txt")
        with pytest.raises(InputError) as raised:
            read_run(path)
        assert message in str(raised.value)
        assert str(raised.value).startswith(f"{path}:2: ")

    def test_lenient_lines_are_left_out(self, tmp_path: Path) -> None:
        notes = Notes(lenient=True)
        path = write(tmp_path, "1 Q0 f#/a 1 2 t\n1 Q0 f#/b 1\n1 Q0 f#/c 2 nan t\n", "r")
        assert order(read_run(path, notes)) == "a"
        assert "lines left out of a run: 2 times; the first:" in notes.lines()[0]

    def test_a_seventh_column_names_the_element(self, tmp_path: Path) -> None:
        text = "1 Q0 f 1 9 t /a[1]/plant[1]/bdy[1]\n1 Q0 f 2 8 t /a\n"
        run = read_run(write(tmp_path, text, "r"))
        assert list(run.rankings["1"]) == [("f", "/a[1]/plant[1]/bdy[1]"), ("f", "/a[1]")]

    def test_empty_and_binary_files(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="an empty file"):
            read_run(write(tmp_path, "\n\n", "r"))
        (tmp_path / "binary").write_bytes(b"1 Q0 \xff\xfe 1 1 t\n")
        with pytest.raises(InputError, match="not UTF-8"):
            read_run(tmp_path / "binary")

    def test_several_tags_are_told(self, tmp_path: Path) -> None:
        notes = Notes()
        run = read_run(write(tmp_path, "1 Q0 f#/a 1 2 t\n1 Q0 f#/b 1 1 u\n", "r"), notes)
        assert run.name == "t"
        assert "several run tags" in notes.lines()[0]


class TestJsonLines:
    RUN = (
        '{"topic": "1", "doc": "f.xml", "path": "/a", "score": 1}\n\n'
        '{"topic": 1, "doc": "f", "path": "/b", "score": 2.5}\n'
        '{"topic": "2", "doc": "f", "path": "/c", "rank": 2, "score": 9}\n'
        '{"topic": "2", "doc": "f", "path": "/d", "rank": 1, "score": 1}\n'
        '{"topic": "3", "doc": "f", "path": "/c", "rank": 2}\n'
        '{"topic": "3", "doc": "f", "path": "/d"}\n'
    )

    def test_runs(self, tmp_path: Path) -> None:
        run = read_run(write(tmp_path, self.RUN, "bm25.v2.jsonl"))
        assert run.name == "bm25"
        assert [order(run, topic) for topic in "123"] == ["b a", "d c", "c d"]
        assert list(run.rankings["1"].files) == ["f", "f"]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (
                '{"topic": "1", "doc": "f", "start": 3}',
                "expected either the field 'path', or 'start' and 'end', or none of them",
            ),
            ('{"topic": "1", "doc": "f", "path": "/a", "start": 1, "end": 2}', "expected either"),
            ('{"topic": "1", "doc": "f", "start": 3, "end": 3}', "start 3 and end 3"),
            ('{"topic": "1", "doc": "f", "path": "a"}', "'a' is no element path"),
            ('{"topic": "1", "doc": "f", "path": "/a", "scor": 1}', "did you mean 'score'?"),
            (
                '{"topic": "1", "doc": "f", "path": "/a", "score": NaN}',
                "score is nan: expected a finite",
            ),
            ('{"topic": "1", "doc": "f", "path": "/a", "score": 1e999}', "score is inf"),
            (f'{{"topic": "1", "doc": "f", "path": "/a", "score": {"9" * 400}}}', "expected a finite"),
            (
                '{"topic": "1", "doc": "f", "path": "/a", "score": "1"}',
                "score is '1': expected a number",
            ),
            ('{"topic": "1", "doc": "f", "path": "/a", "rank": -1}', "rank is -1"),
            ('{"topic": "1", "doc": "f", "path": "/a", "rank": 1.5}', "rank is 1.5: expected a whole"),
            ('{"topic": "1"', "not valid JSON"),
            ("[]", "expected JSON Lines, one object {…} per line"),
        ],
    )
    def test_wrong_results(self, tmp_path: Path, line: str, message: str) -> None:
        path = write(tmp_path, '{"topic": "0", "doc": "f", "path": "/a"}\n' + line, "r.jsonl")
        with pytest.raises(InputError) as raised:
            read_run(path)
        assert str(raised.value).startswith(f"{path}:2: ")
        assert message in str(raised.value)

    def test_assessments(self, tmp_path: Path) -> None:
        text = '{"topic": 7, "doc": "co/1", "path": "/a", "exhaustivity": 3, "specificity": 1}\n'
        path = write(tmp_path, "\ufeff" + text, "a.jsonl")
        assert read_assessments(path).files("7")["co/1"]["/a[1]"].label == "(3,1)"
        for change, message in (
            ('"specificity": 0', "illegal assessment (3, 0)"),
            ('"specificity": 1.0', "specificity is 1.0: expected 0, 1, 2 or 3"),
            ('"specifity": 1', "did you mean 'specificity'?"),
        ):
            path.write_text(text + text.replace('"specificity": 1', change))
            with pytest.raises(InputError) as raised:
                read_assessments(path)
            assert str(raised.value).startswith(f"{path}:2: ")
            assert message in str(raised.value)
        notes = Notes(lenient=True)
        path.write_text(text + text.replace("3", "2") + text.replace("3", "9"))
        assert read_assessments(path, notes).files("7")["co/1"]["/a[1]"].label == "(3,1)"
        assert notes.lines()[0].startswith("warning: assessments left out: 2 times")


class TestPassageResults:
    """Results that are passages, in the three forms that have them."""

    EXPECTED = Ranking(["f", "g"], ["", "/a[1]"], {0: (5, 25)})

    @pytest.mark.parametrize(
        "text",
        [
            "1 Q0 f 1 2 t 5 20\n1 Q0 g 2 1 t /a\n",
            '{"topic": "1", "doc": "f", "start": 5, "end": 25}\n'
            '{"topic": "1", "doc": "g", "path": "/a"}\n',
            submission('<file>f</file><fol offset="5" length="20"/>', "<file>g</file><path>/a</path>"),
        ],
    )
    def test_forms(self, tmp_path: Path, text: str) -> None:
        assert read_run(write(tmp_path, text)).rankings["1"] == self.EXPECTED

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("1 Q0 f 1 2 t 5 x\n", "illegal passage 5 x"),
            ("1 Q0 f 1 2 t 5 0\n", "start 5 and end 5"),
            ("1 Q0 f 1 2 t -5 9\n", "illegal passage -5 9"),
            (submission('<file>f</file><fol offset="a" length="20"/>'), "illegal <fol> 'a' '20'"),
            (submission("<file>f</file><fol/>"), "illegal <fol> '' ''"),
            (submission("<file>f</file><passage start='/a[1]'/>"), "lacks its start or end"),
            (submission("<file>f</file>"), "has no <path>; expected an element, <fol"),
        ],
    )
    def test_wrong_ones(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError) as raised:
            read_run(write(tmp_path, text))
        assert message in str(raised.value)


class TestPassages:
    """Relevant passages, as offset qrels of INEX 2007–2010 and as JSON Lines."""

    QRELS = (
        "2009001 Q0 851 7300 10656 100 1205:3431 4643:720 5521:3149\r\n"
        "2009001 Q0 852 0 99\r\n\r\n"
        "2009002 Q0 851 10 10656 5:10\r\n"
    )

    def test_offset_qrels(self, tmp_path: Path) -> None:
        base = read_assessments(write(tmp_path, self.QRELS, "inex2009.qrels"))
        assert base.topics == ["2009001", "2009002"]
        assert base.spans("2009001") == {
            "851": [(1205, 4636, 2.0), (4643, 5363, 2.0), (5521, 8670, 2.0)],
            "852": [],
        }
        assert base.spans("2009002") == {"851": [(5, 15, 2.0)]}

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1 Q0 d 5", "4 columns"),
            ("1 Q0 d x 9 1:2", "illegal relevant characters 'x'"),
            ("1 Q0 d 5 -9 1:2", "illegal length '-9'"),
            ("1 Q0 d 5 99 1:2:3", "illegal passage '1:2:3'"),
            ("1 Q0 d 5 99 3 4 1:5", "illegal passage '4'"),
            ("1 Q0 d 5 99 1:0", "illegal passage '1:0'"),
            ("1 Q0 d 5 99 95:5", "the passage 95:5 ends after the document's 99 characters"),
            ("1 Q0 d 5 99", "5 relevant characters, but the passages have 0"),
            ("1 Q0 ../d 5 99 1:5", "is no corpus file"),
            ("0 Q0 d 0 99", "the document 'd' occurs twice"),
        ],
    )
    def test_wrong_lines(self, tmp_path: Path, line: str, message: str) -> None:
        path = write(tmp_path, f"0 Q0 d 0 99\n{line}\n", "q")
        if "95:5" in line:
            path.write_text(f"0 Q0 d 0 99\n{line[:-1]}6\n")
            message = message.replace("95:5", "95:6")
        with pytest.raises(InputError) as raised:
            read_assessments(path)
        assert str(raised.value).startswith(f"{path}:2: ")
        assert message in str(raised.value)
        notes = Notes(lenient=True)
        assert read_assessments(path, notes).topics
        assert len(notes.lines()) == 1

    def test_json_lines(self, tmp_path: Path) -> None:
        text = (
            '{"topic": "1", "doc": "d", "start": 3, "end": 9, "text": "x"}\n'
            '{"topic": "1", "doc": "d", "start": 10, "end": 12, "exhaustivity": 1}\n'
        )
        assert read_assessments(write(tmp_path, text, "a")).spans("1")["d"] == [
            (3, 9, 2.0),
            (10, 12, 1.0),
        ]
        for wrong, message in (
            (text + text.replace("3", "9"), "start 9 and end 9"),
            (text.replace('"exhaustivity": 1', '"exhaustivity": 3'), "expected 1 or 2 for a passage"),
            (text.replace('"start": 3, ', ""), "the field 'start' is missing"),
            (
                text + '{"topic": "1", "doc": "d", "path": "/a", "exhaustivity": 1, "specificity": 1}',
                "has assessed elements and passages",
            ),
        ):
            with pytest.raises(InputError) as raised:
                read_assessments(write(tmp_path, wrong, "a"))
            assert message in str(raised.value)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_file_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Bytes, and mutations of good files: nothing comes out but results or the project's own error."""
    good = [
        BASE.format('<path path="/a" e="1" s="1"/>').encode(),
        submission("<file>f</file><path>/a</path><rank>1</rank>").encode(),
        "\n".join(TestTrecRuns.LINES).encode(),
        TestJsonLines.RUN.encode(),
        b'{"topic": 7, "doc": "co/1", "path": "/a", "exhaustivity": 3, "specificity": 1}',
        b'{"topic": 7, "doc": "co/1", "start": 1, "end": 5, "exhaustivity": 2}',
        TestPassages.QRELS.encode(),
    ]
    octets = bytearray(data.draw(st.one_of(st.binary(max_size=200), st.sampled_from(good))))
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(octets)))
        piece = data.draw(
            st.one_of(st.binary(max_size=4), st.sampled_from([b"<", b'"', b"9" * 30, b"&x;"]))
        )
        octets[place : place + data.draw(st.integers(0, 20))] = piece
    path = tmp_path / "input"
    path.write_bytes(bytes(octets))
    for read in (read_run, read_assessments):
        try:
            read(path)
        except XcgError as error:
            assert str(path) in str(error)


def test_a_short_run_of_the_fuzzer() -> None:
    """The long run is benchmarks/fuzz.py; its figures are kept beside it."""
    import importlib.util

    from conftest import ROOT

    spec = importlib.util.spec_from_file_location("fuzz", ROOT / "benchmarks" / "fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    counts = module.fuzz(2400, seed=20061)
    assert len(counts) == 12
    for name, (tried, kept) in counts.items():
        assert 0 < kept <= tried == 200, name
        assert kept < tried or name == "pages", name  # browsers, and their parsers, refuse nothing
