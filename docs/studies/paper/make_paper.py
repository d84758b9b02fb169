"""Write a small paper on overlap strategies, as Markdown and as LaTeX with BibTeX and figures.

Run ``python docs/studies/paper/make_paper.py`` in the root of the checkout, in an environment with
``xcg[plots,stats]``; ``pdflatex``, ``bibtex`` and ``pdflatex`` twice make the PDF. Copy it for your own
paper: replace the campaign, the text and the conclusions. No conclusion is written that does not hold.
"""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path
from typing import Any

import xcg
from xcg.table_formats import latex_text

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
TITLE = "Should a system return overlapping elements?"
NOTE = """\
[make_paper.py](make_paper.py) writes this page, and the same paper as [LaTeX](paper.tex) with
[BibTeX](paper.bib) and figures: four pages to copy. The script stops if a conclusion does not hold.
"""
BASELINE = "bm25+thorough"
STRATEGIES = ("thorough", "top_ranked", "outermost", "innermost", "max_score", "controlled")
MODELS = [
    {"name": name, "quantisation": name, "relevance_value": {"alpha": [0, 1]}}
    for name in ("sog", "gen")
]
INPUTS = {
    "assessments": ROOT / "assessments/handbook",
    "corpus": ROOT / "corpora_samples/handbook",
    "measures": "MAep",
    "user_model": MODELS,
}


def campaign(**keys: Any) -> xcg.Campaign:
    """Return the campaign, with further keys."""
    runs = {"runs": ROOT / "corpora_samples/handbook-thorough", "strategies": list(STRATEGIES)}
    return xcg.load(None, **{**INPUTS, **runs, **keys})


def conclusions(own: xcg.Campaign) -> list[str]:
    """Return the conclusions; AssertionError if one does not hold."""
    results = own.evaluate()
    models = results.user_models
    tested = {(one.user_model, one.run): one for one in own.compare(baseline=BASELINE)}
    pairs = {(one.user_model, one.run, one.baseline): one for one in own.compare(baseline="all")}
    runs = [f"bm25+{strategy}" for strategy in STRATEGIES]

    def differs(model: str, strategy: str, sign: int) -> bool:
        line = tested[model, f"bm25+{strategy}"]
        return line.p_adjusted < 0.05 and sign * line.difference > 0

    def mean(model: str, run: str) -> float:
        return results.value(run, "MAep", user_model=model)

    found = {
        "Tolerance matters if text is repeated: the score of thorough is lower for α = 1 than for "
        "α = 0, and strategies that return each text once (top_ranked, outermost, innermost, "
        "max_score) have the same score for both.": all(
            mean(f"{quantisation}[alpha=1]", run) < mean(f"{quantisation}[alpha=0]", run)
            if run == BASELINE
            else mean(f"{quantisation}[alpha=1]", run) == mean(f"{quantisation}[alpha=0]", run)
            for quantisation in ("sog", "gen")
            for run in runs[:-1]
        ),
        "For all four users, top_ranked has the highest mean.": all(
            max(runs, key=lambda run: mean(model, run)) == "bm25+top_ranked" for model in models
        ),
        "For users who do not mind repeated text (α = 0), no strategy is significantly better than "
        "returning everything (thorough).": not any(
            differs(model, strategy, 1)
            for model in models
            if model.endswith("[alpha=0]")
            for strategy in STRATEGIES[1:]
        ),
        "For users who do not want to see text twice (α = 1), top_ranked and controlled are "
        "significantly better than thorough, under both quantisations.": all(
            differs(model, strategy, 1)
            for model in models
            if model.endswith("[alpha=1]")
            for strategy in ("top_ranked", "controlled")
        ),
        "Long results cost users who want specific answers: outermost is significantly worse than "
        "thorough under sog. Under gen, the difference is not significant.": all(
            differs(model, "outermost", -1) == model.startswith("sog") for model in models
        ),
        "The lead of top_ranked over innermost is not significant for any user, so 15 topics do not "
        "decide between them.": all(
            pairs[model, "bm25+top_ranked", "bm25+innermost"].p_adjusted >= 0.05 for model in models
        ),
    }
    wrong = [sentence for sentence, holds in found.items() if not holds]
    assert not wrong, wrong
    return list(found)


def write(folder: Path = FOLDER) -> None:
    """Write the paper and its figures into a folder."""
    own = campaign(compare={"baseline": BASELINE})
    rejecting = {"name": "sog[alpha=1]", "quantisation": "sog", "relevance_value": {"alpha": 1}}
    ordered = xcg.load(None, **INPUTS, runs=list(own.runs)).sweep()
    methods = own.methods()
    paragraph, _, entries = methods.layout.tables or ()
    every = own.compare(baseline="all")
    topics = {line.topics for line in every}
    detectable = sorted(plan.detectable or 1 for plan in own.study.plan())
    shifts = {shift.user_model: shift for shift in ordered}
    last = shifts["gen[alpha=1]"]
    assert last.tau_b is not None
    assert last.interval is not None
    assert topics == {15}
    by_alpha = campaign(
        user_model=[{"name": name, "quantisation": name} for name in ("sog", "gen")]
    ).sweep(step=0.1)
    for ending in ("svg", "pdf"):
        by_alpha.plot(folder / f"alpha.{ending}", 16)
        ordered.plot(folder / f"ranks.{ending}", 12)
    blocks = [
        "# 1 Introduction",
        "Elements of structured documents contain each other. A system that ranks elements by their "
        "own scores returns the same text several times: a section, then its paragraphs. An overlap "
        "strategy rewrites the ranking, for example by keeping only the first of overlapping results. "
        "We ask: for which users does an overlap strategy improve a ranking, and which one? Users "
        "differ in their tolerance of repeated text, α, and in whether they prefer specific or "
        "exhaustive answers.",
        "# 2 Method",
        str(paragraph).strip(),
        "The measure rewards an element once: with α = 1, text that was seen before has no gain, and "
        "with α = 0 it has all of it. The quantisation sog prefers specific answers, gen exhaustive "
        "ones.",
        "# 3 Results",
        "Table 1 has the means of all strategies for four users. Table 2 has the differences from the "
        "ranking without a strategy, for users who want specific answers and no repeated text. "
        "The p values of one user are corrected together, those of different users are not. With 80 % "
        "power, a comparison of all pairs finds a true difference of "
        f"{detectable[0]:.2f} to {detectable[-1]:.2f}, depending on the user.",
        own.evaluate(against="all"),
        campaign(user_model=rejecting).compare(baseline=BASELINE),
        "Figure 1 shows the scores over α, and Figure 2 the ranks of the strategies across the users. "
        f"Kendall's τ-b between the orders for sog[alpha=0] and gen[alpha=1] is "
        f"{last.tau_b:.2f} (95 % bootstrap interval over topics: {last.interval.low:.2f} to "
        f"{last.interval.high:.2f}).",
        ("alpha", "MAep of each strategy over α, for two quantisations. Dashed: a greedy reference "
         "that knows the assessments. Gaps: scores can jump at α = 0 and 1."),
        ("ranks", "Ranks of the strategies by MAep across users, and τ-b with the order under "
         "sog[alpha=0], with 95 % intervals."),
        "# 4 Conclusions",
        *conclusions(own),
        "One collection of 18 documents, one retrieval model and 15 topics do not show that this holds "
        "elsewhere.",
    ]  # fmt: skip
    (folder / "paper.bib").write_text(str(entries), encoding="utf-8")
    (folder / "paper.md").write_text(markdown(blocks, methods), encoding="utf-8")
    (folder / "paper.tex").write_text(latex(blocks), encoding="utf-8")


def markdown(blocks: list[Any], methods: xcg.Answer[Any]) -> str:
    """Return the paper as Markdown, with numbered references."""
    entries = list({entry.key: entry for one in methods for entry in one.entries}.values())
    numbers = {entry.key: f"[{number}]" for number, entry in enumerate(entries, 1)}
    parts = [f"# {TITLE}\n", NOTE]
    figures, tables = count(1), count(1)
    for block in blocks:
        if isinstance(block, tuple):
            name, caption = block
            parts.append(f"![{caption}]({name}.svg)\n\n**Figure {next(figures)}.** {caption}\n")
        elif isinstance(block, str):
            text = re.sub(r"\[@([\w-]+)\]", lambda found: numbers[found[1]], block)
            parts.append("#" * block.startswith("#") + text + "\n")
        else:
            parts.append(f"**Table {next(tables)}.** {block.to_text('markdown')}")
    parts += [
        "## References\n",
        *(f"{number}. {entry.text}" for number, entry in enumerate(entries, 1)),
    ]
    return "\n".join(parts) + "\n"


def latex(blocks: list[Any]) -> str:
    """Return the paper as LaTeX."""
    parts = [
        r"\documentclass[11pt,a4paper]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{lmodern,booktabs,graphicx}",
        r"\usepackage[margin=2.4cm]{geometry}",
        rf"\title{{{latex_text(TITLE)}}}",
        r"\author{Your name}\date{}",
        r"\begin{document}",
        r"\maketitle",
    ]
    for block in blocks:
        if isinstance(block, tuple):
            name, caption = block
            graphic = rf"\centering\includegraphics{{{name}.pdf}}"
            end = rf"\caption{{{latex_text(caption)}}}\label{{fig:{name}}}\end{{figure}}"
            parts += [rf"\begin{{figure}}{graphic}", end, ""]
        elif not isinstance(block, str):
            parts.append(block.to_text("latex"))
        elif block.startswith("#"):
            parts.append(rf"\section{{{latex_text(block[4:])}}}")
        else:
            pieces = re.split(r"\[@([\w-]+)\]", block)  # the odd ones are keys
            cited = [rf"\cite{{{one}}}" if i % 2 else latex_text(one) for i, one in enumerate(pieces)]
            parts += ["".join(cited), ""]
    end = [r"\bibliographystyle{plain}", r"\bibliography{paper}", r"\end{document}"]
    return "\n".join([*parts, *end]) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
