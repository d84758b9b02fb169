"""Draw the figures of the concept pages, docs/concepts/figures/*.svg, with scores computed by xcg.

Run ``python docs/concepts/make_figures.py`` in the root of the checkout, in an environment with xcg and
matplotlib. With ``--check``, the script writes nothing and compares the committed figures.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from lxml import etree
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

import xcg
from xcg.measures import gain_recall
from xcg.measures.topic_gains import cumulate

FOLDER = Path("docs/concepts/figures")
ASSESSMENTS = Path("assessments/kazai-lalmas-2006")
CORPUS = Path("corpora_samples/kazai-lalmas-2006")
RUNS = Path("corpora_samples/kazai-lalmas-2006-runs")
ARTICLE = "co/2001/r7022"
TOPIC = "163"

INK, GREY, PALE = "#333333", "#8a8a8a", "#e9e9e9"
BLUE, ORANGE, GREEN = "#1f6fb4", "#d9730d", "#2a8a43"
TINTS = {BLUE: "#e1edf7", ORANGE: "#fbeadb", GREEN: "#e0f1e4"}
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "xcg",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.8,
}
# Steps of the paths in the article of the paper, with the position of each element in the drawing.
TREE = {
    "": (3.0, 3.0),
    "/bdy[1]": (3.0, 2.0),
    "/bdy[1]/sec[4]": (1.0, 1.0),
    "/bdy[1]/sec[4]/p[1]": (0.0, 0.0),
    "/bdy[1]/sec[4]/p[2]": (1.0, 0.0),
    "/bdy[1]/sec[4]/ip1[2]": (2.0, 0.0),
    "/bdy[1]/sec[6]": (5.0, 1.0),
    "/bdy[1]/sec[6]/p[1]": (4.0, 0.0),
    "/bdy[1]/sec[6]/p[2]": (5.0, 0.0),
    "/bdy[1]/sec[6]/ip1[2]": (6.0, 0.0),
}


def panels(
    width: float, height: float, columns: int = 1, rows: int = 1, **options: Any
) -> tuple[Figure, list[Any]]:
    """Return a figure on a white card, which is readable in light and dark themes, and its panels."""
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.flat)


def box(axis: Any, x: float, y: float, text: str, colour: str, edge: str, **size: float) -> None:
    """Draw a rounded box with a centred text."""
    width, height = size.get("width", 0.84), size.get("height", 0.5)
    shape = FancyBboxPatch(
        (x - width / 2, y - height / 2),
        width,
        height,
        boxstyle="round,pad=0,rounding_size=0.08",
        facecolor=colour,
        edgecolor=edge,
        linewidth=size.get("line", 1.0),
    )
    axis.add_patch(shape)
    axis.text(x, y, text, ha="center", va="center", fontsize=size.get("fontsize", 9))


def tree(axis: Any, labels: Mapping[str, str], marked: Mapping[str, str], **size: float) -> None:
    """Draw the tree of the paper's article with a label in each box, and some boxes in colours."""
    for path, (x, y) in TREE.items():
        if path:
            parent_x, parent_y = TREE[path.rpartition("/")[0]]
            axis.plot([parent_x, x], [parent_y, y], color=GREY, linewidth=1, zorder=0)
    for path, (x, y) in TREE.items():
        colour = marked.get(path, "")
        fill, edge, line = (TINTS[colour], colour, 2) if colour else ("white", GREY, 1)
        box(axis, x, y, labels[path], fill, edge, line=line, **size)
    axis.set(xlim=(-0.6, 6.6), ylim=(-0.45, 3.45))
    axis.axis("off")


ARTICLE_XML = (
    "<article><title>"
    + "t" * 60
    + "</title><sec>"
    + 3 * ("<p>" + "x" * 160 + "</p>")
    + "</sec></article>"
)
WINDOWS = [(0, 240), (160, 400), (320, 540)]


def overlap() -> Figure:
    """Draw the extents of elements and of windows over a text."""
    document = xcg.parse_document(ARTICLE_XML)
    figure, (axis,) = panels(7.2, 2.4)
    rows = [["/article[1]"], ["/article[1]/sec[1]"], [f"/article[1]/sec[1]/p[{n}]" for n in (1, 2, 3)]]
    levels: list[tuple[float, list[tuple[str, int, int]], str]] = []
    for number, paths in enumerate(rows):
        found = [document.row(path) for path in paths]
        spans = [
            (step(path), int(document.start[row]), int(document.stop[row]))
            for path, row in zip(paths, found, strict=True)
        ]
        levels.append((-0.5 * number, spans, ORANGE))
    for number, (start, stop) in enumerate(WINDOWS, 1):
        levels.append((-1.8 - 0.5 * (1 - number % 2), [(f"window {number}", start, stop)], BLUE))
    for low, spans, colour in levels:
        for name, start, stop in spans:
            width = stop - start - 2
            patch = Rectangle((start + 1, low), width, 0.36, facecolor=TINTS[colour], edgecolor=colour)
            axis.add_patch(patch)
            axis.text((start + stop) / 2, low + 0.18, name, ha="center", va="center", fontsize=9)
    axis.text(-12, -0.32, "elements", ha="right", va="center")
    axis.text(-12, -1.87, "windows", ha="right", va="center")
    axis.set(xlim=(-75, 545), ylim=(-2.4, 0.45))
    axis.axis("off")
    return figure


def step(path: str) -> str:
    """Return the last step of a path in the tree."""
    return path.rpartition("/")[2] or "article[1]"


def results(assessments: Any, runs: Any, topic: str, corpus: Any, model: Any) -> list[Any]:
    """Return the explained results of the only run for a topic."""
    campaign = xcg.load(assessments=assessments, runs=runs, corpus=corpus, user_model=model)
    (found,) = campaign.explain(run=[run.name for run in campaign.runs], topic=topic)
    return list(found.results)


def explained(ranking: Sequence[str], **relevance_value: object) -> list[Any]:
    """Return the results of a ranking of elements of the paper's article, with their gains."""
    names = [f"{ARTICLE}#/article[1]{path}" for path in ranking]
    model = {"name": "figure", "relevance_value": relevance_value}
    return results(ASSESSMENTS, {"run": {TOPIC: names}}, TOPIC, CORPUS, model)


def ranking_tree() -> Figure:
    """Draw the tree of the paper's article with the ranking of section 5.2.4 and its gains."""
    ranking = ["/bdy[1]/sec[6]/p[1]", "/bdy[1]/sec[6]", "/bdy[1]/sec[6]/p[2]"]
    results = explained(ranking)
    labels = {path: step(path) for path in TREE}
    for rank, (path, result) in enumerate(zip(ranking, results, strict=True), 1):
        labels[path] = f"{step(path)}\nrank {rank}: gain {result.gain:g}"
    figure, (axis,) = panels(7.2, 3.2)
    colours = dict.fromkeys(ranking, ORANGE)
    tree(axis, labels, colours, width=0.97, height=0.56, fontsize=8)
    return figure


def ideal_recall_base() -> Figure:
    """Draw the full and the ideal recall-base of the paper's article."""
    elements = xcg.read_assessments(ASSESSMENTS).files[TOPIC][ARTICLE]
    ideal = {
        model: {
            element.path.removeprefix("/article[1]"): element.score
            for element in xcg.load(assessments=ASSESSMENTS, user_model=model).ideal(topic=TOPIC)
        }
        for model in ("kazai-lalmas-2006", "kazai-lalmas-2006-gen", "kazai-lalmas-2006-strict")
    }
    sog, gen, strict = ideal.values()
    figure, axes = panels(7.2, 5.6, columns=2, rows=2)
    full = {}
    for path in TREE:
        assessed = elements[f"/article[1]{path}"]
        full[path] = f"{step(path)}\n({assessed.exhaustivity:g},{assessed.specificity:g})"
    tree(axes[0], full, dict.fromkeys(TREE, BLUE), width=0.97, height=0.62, fontsize=7)
    axes[0].set_title("full recall-base: (e, s)", fontsize=10)
    for axis, name, kept in zip(axes[1:], ("sog", "gen", "strict"), (sog, gen, strict), strict=True):
        labels = {path: step(path) + (f"\n{kept[path]:g}" if path in kept else "") for path in TREE}
        tree(axis, labels, dict.fromkeys(kept, GREEN), width=0.97, height=0.62, fontsize=7)
        axis.set_title(f"ideal recall-base under {name}", fontsize=10)
    return figure


def gains(name: str) -> list[float]:
    """Return the gains of one of the paper's runs."""
    (run,) = RUNS.glob(f"*-{name}.xml")
    found = results(ASSESSMENTS, run, TOPIC, CORPUS, "kazai-lalmas-2006")
    return [result.gain for result in found]


def cumulated_gain() -> Figure:
    """Draw xCG and nxCG of the paper's runs."""
    figure, axes = panels(7.2, 2.9, columns=2)
    for axis, measure in zip(axes, ("xCG", "nxCG"), strict=True):
        campaign = xcg.load(assessments=ASSESSMENTS, runs=RUNS, corpus=CORPUS, measures=measure)
        points = campaign.curves(depth=6, ideal=measure == "xCG")
        for run, label, colour, line in (
            ("ideal ranking", "xCI, ideal ranking", GREY, "--"),
            ("reverse_ideal", "reverse_ideal", BLUE, "-"),
            ("rel_leaves", "rel_leaves", ORANGE, "-"),
        ):
            curve = [point for point in points if (point["run"], point["topic"]) == (run, "all")]
            if curve:
                x, y = zip(*((point["x"], point["y"]) for point in curve), strict=True)
                axis.plot(x, y, line, marker="o", markersize=4, color=colour, label=label)
        axis.set(xlabel="rank i", title=f"{measure}[i]", ylim=(0, 1.65), xticks=range(1, 7))
        axis.legend(frameon=False, fontsize=8, loc="lower right")
    axes[1].set_ylim(0, 1.1)
    return figure


def effort_precision() -> Figure:
    """Draw the construction of ep at a gain-recall of 0.8 for the run rel_leaves."""
    level = 0.8
    run, ideal = gains("rel_leaves"), [1.0, 0.5]
    assert gain_recall(run, ideal)[-1] == 1
    gain = level * sum(ideal)
    figure, (axis,) = panels(7.2, 3.4)
    axis.axhline(gain, color=GREY, linewidth=1, linestyle=":")
    axis.text(4.2, gain + 0.03, f"gain {gain:g} = gain-recall {level:g}", fontsize=9)
    for values, name, colour in ((ideal, "ideal ranking", GREEN), (run, "rel_leaves", ORANGE)):
        sums = [0.0, *cumulate(values, 6).tolist()]
        axis.plot(range(7), sums, marker="o", markersize=4, color=colour, label=name)
        last = next(rank for rank, value in enumerate(sums) if value >= gain)
        rank = last - 1 + gain / sums[last]
        axis.plot([last - 1, last], [0, sums[last]], color=colour, linestyle="--", linewidth=1.2)
        axis.plot([rank, rank], [0, gain], color=colour, linewidth=1)
        axis.text(rank + 0.07, 0.08, f"i = {rank:.1f}", fontsize=9, color=colour)
    axis.set(xlabel="rank", ylabel="cumulated gain", xlim=(0, 6), ylim=(0, 1.65))
    axis.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 0.12))
    return figure


SECTION = {"d": "<s><p>" + "a" * 10 + "</p><p>" + "b" * 10 + "</p></s>"}
SECTION_JUDGED = {"1": {"d": {"/s": (3, 2), "/s/p[1]": (3, 3), "/s/p[2]": (1, 3)}}}


def gain_over_alpha() -> Figure:
    """Draw the gains of a partly seen section and of a fully seen paragraph over alpha."""
    alphas = [number / 50 for number in range(51)]
    ranking = {"run": {"1": ["d#/s/p[1]", "d#/s", "d#/s/p[2]"]}}
    lines = []
    for alpha in alphas:
        model = {"name": "figure", "relevance_value": {"alpha": alpha}}
        found = results(SECTION_JUDGED, ranking, "1", SECTION, model)
        lines.append([result.gain for result in found])
    figure, (axis,) = panels(7.2, 2.9)
    names = ("rank 1: p[1], not seen", "rank 2: s, partly seen", "rank 3: p[2], fully seen")
    for name, values, colour in zip(names, zip(*lines, strict=True), (GREY, ORANGE, BLUE), strict=True):
        axis.plot(alphas, values, color=colour, label=name)
    axis.set(xlabel="α", ylabel="gain", xlim=(0, 1), ylim=(0, 1.08))
    axis.legend(frameon=False, fontsize=9, loc="lower left")
    return figure


TEXT = {"d": "x" * 600}
GOLD = {"1": {"d": [(150, 250), (400, 500)]}}
CHUNKS = {
    "chunks": [("d", 100, 280), ("d", 200, 440), ("d", 440, 600)],
    "exact": [("d", 150, 250), ("d", 400, 500)],
    "page": [("d", 0, 600)],
}


def chunks_over_text() -> Figure:
    """Draw gold spans and chunks over a text, with the gain of each chunk and MAep."""
    runs = {name: {"1": ranking} for name, ranking in CHUNKS.items()}
    scores = xcg.evaluate(GOLD, runs, TEXT, "spans", measures="MAep(effort=characters)")
    figure, (axis,) = panels(7.2, 3.0)
    height, top = 0.34, 0
    axis.add_patch(Rectangle((0, top), 600, height, facecolor=PALE, edgecolor="none"))
    for start, end in GOLD["1"]["d"]:
        axis.add_patch(Rectangle((start, top), end - start, height, facecolor=GREEN, edgecolor="none"))
        axis.add_patch(
            Rectangle((start, -3.4), end - start, 3.4, facecolor=TINTS[GREEN], edgecolor="none")
        )
        axis.text((start + end) / 2, top + height / 2, "gold", ha="center", va="center", color="white")
    axis.text(-12, top + height / 2, "text", ha="right", va="center")
    levels = {"chunks": (-0.6, -1.05, -0.6), "exact": (-1.95, -1.95), "page": (-2.85,)}
    for name, ranking in CHUNKS.items():
        found = results(GOLD, {name: runs[name]}, "1", TEXT, "spans")
        for rank, (span, result, low) in enumerate(zip(ranking, found, levels[name], strict=True), 1):
            _, start, end = span
            patch = Rectangle(
                (start + 1, low),
                end - start - 2,
                height,
                facecolor="white",
                edgecolor=ORANGE,
                linewidth=1.5,
            )
            axis.add_patch(patch)
            label = (
                f"{rank}: {result.gain:g}" if name == "exact" else f"rank {rank}: gain {result.gain:g}"
            )
            axis.text((start + end) / 2, low + height / 2, label, ha="center", va="center", fontsize=9)
        middle = min(levels[name]) / 2 + max(levels[name]) / 2 + height / 2
        axis.text(-12, middle, name, ha="right", va="center")
        score = scores.value(name, "MAep(effort=characters)")
        axis.text(615, middle, f"MAep {score:.4f}", va="center")
    axis.set(xlim=(-75, 720), ylim=(-3.4, 0.45))
    axis.axis("off")
    return figure


def user_model() -> Figure:
    """Draw what each part of a user model does between assessments, run and scores."""
    figure, (axis,) = panels(7.2, 3.5)
    inputs, parts, outputs = BLUE, ORANGE, GREEN
    boxes = {
        "assessments": (0.7, 2.5, "assessments\n(grades)", inputs),
        "quantisation": (2.6, 2.5, "quantisation:\nwhat a grade is worth", parts),
        "ideal": (4.6, 2.5, "ideal selection:\nwhat to return", parts),
        "ideal gains": (6.5, 2.5, "gains of the\nideal ranking", outputs),
        "run": (0.7, 1.3, "run\n(ranking)", inputs),
        "value": (3.6, 1.3, "relevance value: α, partly seen,\nnear-misses, normalisation", parts),
        "gains": (6.5, 1.3, "gains of the\nresults", outputs),
        "effort": (3.6, 0.2, "effort: ranks, words, tokens …", parts),
        "score": (6.5, 0.2, "measure:\nscore", outputs),
    }
    links = [
        ("assessments", "quantisation"),
        ("quantisation", "ideal"),
        ("ideal", "ideal gains"),
        ("run", "value"),
        ("value", "gains"),
        ("effort", "score"),
    ]
    widths = {"value": 2.9, "effort": 2.9, "quantisation": 1.85, "ideal": 1.6}
    for start, end in links:
        x0, y0 = boxes[start][0] + widths.get(start, 1.3) / 2, boxes[start][1]
        x1, y1 = boxes[end][0] - widths.get(end, 1.3) / 2, boxes[end][1]
        axis.annotate("", (x1, y1), (x0, y0), arrowprops={"arrowstyle": "->", "color": GREY})
    for x, y0, y1 in ((2.6, 2.2, 1.62), (4.6, 2.2, 1.62), (6.5, 0.98, 0.52)):
        axis.annotate("", (x, y1), (x, y0), arrowprops={"arrowstyle": "->", "color": GREY})
    axis.annotate(
        "",
        (7.16, 0.2),
        (7.16, 2.5),
        arrowprops={"arrowstyle": "->", "color": GREY, "connectionstyle": "bar,fraction=-0.12"},
    )
    for name, (x, y, text, colour) in boxes.items():
        box(
            axis,
            x,
            y,
            text,
            TINTS[colour],
            colour,
            width=widths.get(name, 1.3),
            height=0.6,
            fontsize=8.5,
        )
    axis.set(xlim=(-0.05, 7.6), ylim=(-0.2, 2.95))
    axis.axis("off")
    return figure


STRATEGY_RANKING = (
    "/bdy[1]/sec[6]/p[1]",
    "/bdy[1]/sec[4]",
    "/bdy[1]/sec[6]",
    "/bdy[1]/sec[4]/p[2]",
)


def overlap_strategies() -> Figure:
    """Draw what four strategies keep of the same ranking."""
    names = [f"{ARTICLE}#/article[1]{path}" for path in STRATEGY_RANKING]
    run = xcg.Run.of("run", {TOPIC: names})
    figure, axes = panels(7.2, 5.2, columns=2, rows=2)
    for axis, strategy in zip(axes, ("thorough", "top_ranked", "outermost", "innermost"), strict=True):
        kept = xcg.rewrite(run, strategy, CORPUS).rankings[TOPIC].paths
        short = [path.removeprefix("/article[1]") for path in kept]
        labels = {path: step(path) for path in TREE}
        labels |= {path: f"{step(path)}\nrank {rank}" for rank, path in enumerate(short, 1)}
        tree(axis, labels, dict.fromkeys(short, ORANGE), width=0.97, height=0.62, fontsize=7)
        axis.set_title(strategy, fontsize=10)
    return figure


FIGURES: Mapping[str, Callable[[], Figure]] = {
    "overlap": overlap,
    "ranking-tree": ranking_tree,
    "ideal-recall-base": ideal_recall_base,
    "cumulated-gain": cumulated_gain,
    "effort-precision": effort_precision,
    "gain-over-alpha": gain_over_alpha,
    "chunks-over-text": chunks_over_text,
    "user-model": user_model,
    "overlap-strategies": overlap_strategies,
}


def svg(figure: Figure) -> str:
    """Return a figure as SVG without a date."""
    file = io.StringIO()
    figure.savefig(
        file, format="svg", metadata={"Date": None, "Creator": "docs/concepts/make_figures.py"}
    )
    lines = file.getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def contents(text: str) -> tuple[list[str], list[list[float]]]:
    """Return the texts of an SVG file, and the coordinates of each path."""
    root = etree.fromstring(text.encode())
    texts = ["".join(node.itertext()) for node in root.iter("{*}text")]
    paths = [
        [float(n) for n in re.findall(r"-?[\d.]+", node.get("d"))] for node in root.iter("{*}path")
    ]
    return texts, paths


def same(shown: str, drawn: str) -> bool:
    """Return whether two SVG files have the same texts, and paths that differ by less than a pixel."""
    (texts, paths), (other_texts, other_paths) = contents(shown), contents(drawn)
    return (
        texts == other_texts
        and [len(path) for path in paths] == [len(path) for path in other_paths]
        and all(
            abs(one - other) < 1
            for path, other_path in zip(paths, other_paths, strict=True)
            for one, other in zip(path, other_path, strict=True)
        )
    )


def main() -> None:
    """Write all figures, or compare them with the files."""
    with mpl.rc_context(STYLE):
        drawn = {FOLDER / f"{name}.svg": svg(draw()) for name, draw in FIGURES.items()}
    if "--check" not in sys.argv:
        for path, text in drawn.items():
            path.write_text(text, encoding="utf-8")
        return
    old = [
        str(path)
        for path, text in drawn.items()
        if not path.exists() or not same(path.read_text(encoding="utf-8"), text)
    ]
    if old:
        sys.exit(
            f"make_figures: these figures differ; run the script without --check: {', '.join(old)}"
        )


if __name__ == "__main__":
    main()
