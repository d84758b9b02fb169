"""All measures of trec_eval, in its format."""

from __future__ import annotations

from pathlib import Path

from conftest import Command

_BY_TREC_EVAL = """relstring 1 '0-3.1'; infAP 1 0.2778; utility 1 -1.0000; 11pt_avg 1 0.3273
binG 1 0.3102; G 1 0.3861; ndcg_rel 1 0.4255; Rndcg 1 0.2733; set_relative_P 1 0.6667
num_nonrel_judged_ret 1 1
rbp 1 0.1029; rbp_resid 1 0.7534; relstring 2 ''; runid all r; gm_map all 0.0016; gm_bpref all 0.0000
infAP all 0.1389; utility all -0.5000; Rndcg all 0.1366; G all 0.1931; rbp all 0.0514"""


def test_all_trec_prints_what_trec_eval_10_prints(tmp_path: Path, xcg_command: Command) -> None:
    """Compared with trec_eval -c -q -m all_trec, compiled from its repository."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 3\n1 0 d -1\n1 0 e 1\n2 0 a 1\n2 0 b 0\n")
    (tmp_path / "run").write_text("".join(f"1 Q0 {d} 1 {9 - i} r\n" for i, d in enumerate("bxcda")))
    paths = "--assessments", tmp_path / "qrels", "--run", tmp_path / "run", "--format", "trec_eval"
    done = xcg_command("evaluate", *paths, "--measures", "all_trec", "--per-topic")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert {*_BY_TREC_EVAL.replace("\n", "; ").split("; ")} <= {*lines}
    assert sum(line.split()[1] == "all" for line in lines) == 99
