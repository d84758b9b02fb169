"""Files that trec_eval accepts, evaluated as a user of trec_eval does; values computed by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SYSTEM, Command

QRELS = """\
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
RUN = """\
# created by a script
1 Q0 plain 1 3 tag and text after the sixth column
1 Q0 doc#5_7 2 2 tag
#1 Q0 doc#9_9 1 9 tag
1 Q0 doc#4_163 3 2.00000000001 tag\tmore

2 Q0 b#x 1 1 tag
2 Q0 a 2 5 tag # see log 8
"""
# Topic 2: a, which counts as unjudged, and b#x.
ALL = """\
runid                 	all	tag
num_q                 	all	2
num_ret               	all	5
num_rel               	all	3
num_rel_ret           	all	3
map                   	all	0.7500
gm_map                	all	0.7071
Rprec                 	all	0.5000
bpref                 	all	1.0000
recip_rank            	all	0.7500
iprec_at_recall_0.00  	all	0.7500
iprec_at_recall_0.10  	all	0.7500
iprec_at_recall_0.20  	all	0.7500
iprec_at_recall_0.30  	all	0.7500
iprec_at_recall_0.40  	all	0.7500
iprec_at_recall_0.50  	all	0.7500
iprec_at_recall_0.60  	all	0.7500
iprec_at_recall_0.70  	all	0.7500
iprec_at_recall_0.80  	all	0.7500
iprec_at_recall_0.90  	all	0.7500
iprec_at_recall_1.00  	all	0.7500
P_5                   	all	0.3000
P_10                  	all	0.1500
P_15                  	all	0.1000
P_20                  	all	0.0750
P_30                  	all	0.0500
P_100                 	all	0.0150
P_200                 	all	0.0075
P_500                 	all	0.0030
P_1000                	all	0.0015
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


def test_comments_further_text_ids_with_hashes_and_double_precision(
    folder: Path, xcg_command: Command
) -> None:
    files = "--assessments", folder / "qrels", "--run", folder / "run"
    done = xcg_command("evaluate", *files, "--format", "trec_eval")
    assert (done.returncode, done.stdout) == (0, ALL)
    note = f"xcg: note: {folder / 'run'}: text after the sixth column, which is ignored\n"
    contradiction, ignored = done.stderr.splitlines(keepends=True)
    assert "topics in which ranks and scores contradict each other: 2 times" in contradiction
    assert ignored == note
    lenient = xcg_command("evaluate", *files, "--format", "trec_eval", "--lenient")
    assert (lenient.stderr, lenient.stdout) == (done.stderr, ALL)


def test_files_with_windows_line_ends(folder: Path, xcg_command: Command) -> None:
    for name, text in (("qrels", QRELS), ("run", RUN)):
        (folder / name).write_bytes(text.replace("\n", "\r\n").encode())
    files = "--assessments", folder / "qrels", "--run", folder / "run"
    assert xcg_command("evaluate", *files, "--format", "trec_eval").stdout == ALL


def test_a_run_from_standard_input(folder: Path) -> None:
    arguments = ["--assessments", str(folder / "qrels"), "--run", "-", "--format", "trec_eval"]
    done = subprocess.run(
        [sys.executable, "-m", "xcg", "evaluate", *arguments],
        input=RUN,
        cwd=folder,
        capture_output=True,
        text=True,
        env={**SYSTEM, "PYTHONPATH": str(ROOT), "PATH": "", "XCG_CACHE": os.environ["XCG_CACHE"]},
    )
    assert (done.returncode, done.stdout) == (0, ALL), done.stderr
