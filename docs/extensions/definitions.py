"""Write the reference pages of measures, parts of user models, user models and strategies.

The pages are made from the registries whenever Sphinx runs, so they include what installed packages
add. They are in ``docs/reference/definitions``, which Git ignores. xcg computes the printed numbers.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from click.testing import CliRunner
from measure_meanings import FORMULAS, MEANINGS, WITHOUT_BETTER
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

from xcg.cli.main import main
from xcg.documents.text_units import TOKENIZERS
from xcg.errors import XcgError
from xcg.measures import MEASURES
from xcg.measures.definition import Cutoff, Definition, Number
from xcg.registry import FunctionRegistry, parameters_of
from xcg.report.citations import entries_of
from xcg.report.listings import Docstring
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel, shipped_models
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.quantisation import QUANTISATIONS
from xcg.user_model.relevance_value import NORMALISATIONS, PARTIALLY_SEEN, READERS, Effort

ROOT = Path(__file__).parents[2]
FOLDER = Path("reference", "definitions")
"""The folder of the pages below the folder of the manual."""

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "Cumulated gain": (
        *("xCG", "nxCG", "MAxCG", "MAnxCG", "xDCG", "nxDCG", "MAxDCG", "MAnxDCG"),
        *("NDCNG", "avgNDCNG", "avgNDCG"),
    ),
    "Effort-precision and gain-recall": ("ep", "gr", "iMAep", "MAep"),
    "Precision and recall on gains": (
        *("Q", "R", "xAP", "muAP", "gPrecision", "gRecall", "gIPrec", "xIPrec"),
    ),
    "Returned and gold text": ("SpanRecall", "SpanPrecision", "SpanF", "SpanIoU"),
    "Highlighted text (INEX 2006 to 2010)": (
        *("charP", "charR", "charF", "iP", "AiP", "gP", "gR", "AgP", "BiC", "BEPD"),
        *("hixP", "hixR", "hixF"),
    ),
    "Assessed elements (INEX 2002 to 2005)": (*("inexEval", "ngPrecision", "ngRecall", "overlap"),),
    "Standard measures": (
        *("P", "Recall", "AP", "nDCG", "RR", "Rprec", "Success", "Bpref", "IPrec", "AUC"),
        *("SetP", "SetR", "SetAP", "SetF", "infAP", "Judged", "NumQ", "NumRel", "NumRet"),
    ),
    "Nuggets": ("NuggetRecall", "alpha_nDCG", "ERR_IA", "NRBP", "StRecall", "P_IA", "AP_IA"),
    "When the user stops": (
        *("RBP", "ERR", "SDCG", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11"),
    ),
    "Further measures of trec_eval": (
        *("gm_map", "gm_bpref", "Rprec_mult", "relative_P", "utility", "binG", "G", "ndcg_rel"),
        *("Rndcg", "num_nonrel_judged_ret", "rbp_resid", "unj", "relstring"),
    ),
    "Measures before cumulated gain": (
        *("ASL", "ESL", "normPrecision", "normRecall", "slidingRatio", "satisfaction", "frustration"),
        *("total", "relativeRelevance", "halfLife", "scaledUtility"),
    ),
}
"""Heading → the measures of the family. :func:`families` adds all others."""

_NEEDS = {
    "gains": "gains under a [user model](../user-models.md)",
    "scores": "the quantised scores of all assessed elements, or levels of relevance",
    "grades": "exhaustivity and specificity of elements, and the corpus",
    "text": "highlighted text: passages with offsets; and the corpus, unless results have offsets too",
    "levels": "levels of relevance, of documents or elements",
}

_PAPER = "configs/kazai-lalmas-2006.yaml"
_CHUNKS = "corpora_samples/chunks/retrieval.yaml"
_SAMPLES = (_PAPER, _CHUNKS, "configs/scheel-lommatzsch-albayrak-2011.yaml")
_EXAMPLES = {
    "normPrecision": "normPrecision(N=12107)",
    "normRecall": "normRecall(N=12107)",
}
"""Name → a call for measures whose parameters have no default."""


class Kind(NamedTuple):
    """A kind of parts of a user model, which has a page of its own.

    Attributes:
        page: The name of the page.
        title: The title of the page.
        setting: The key in a user model.
        question: What a part of this kind decides.
        range: The range of its results.
        own: How users write one of their own.
    """

    page: str
    title: str
    setting: str
    question: str
    range: str
    own: str


_FUNCTION = "or name a function of your own as `package.module:function`"
_EXTENDING = "or a [function of your own](../../howto/extending.md#{}s)"
KINDS: Sequence[tuple[FunctionRegistry[Any], Kind]] = (
    (
        QUANTISATIONS,
        Kind(
            "quantisations",
            "Quantisations",
            "quantisation",
            "A quantisation turns an assessment into a score: exhaustivity e and specificity s, or a "
            "level of relevance, become one number.",
            "from 0 to 1; for levels of relevance from 0",
            "Write a table, `{table: {'3,3': 1, …}}`, or the gains of levels, "
            f"`{{gains: {{1: 1, 2: 10}}}}`, {_EXTENDING.format('quantisation')}.",
        ),
    ),
    (
        SELECTIONS,
        Kind(
            "ideal-selections",
            "Ideal selections",
            "ideal",
            "An ideal selection decides which relevant elements a system should return: the ideal "
            "recall-base.",
            "a set of elements that score above 0",
            f"Choose one of these, {_EXTENDING.format('ideal-selection')}.",
        ),
    ),
    (
        NORMALISATIONS,
        Kind(
            "normalisations",
            "Normalisations",
            "relevance_value.normalisation",
            "A normalisation decides how the results that are related to an ideal element share its "
            "score: how much of its value a result gains, and what the ideal elements have left.",
            "gains are from 0, and left-overs never grow",
            f"Choose one of these, {_EXTENDING.format('normalisation')}.",
        ),
    ),
    (
        PARTIALLY_SEEN,
        Kind(
            "overlap-models",
            "Overlap models",
            "relevance_value.partially_seen",
            "An overlap model decides what a result is still worth if the user has seen a part of it. "
            "q is the score of the result, α the user's intolerance to text that was seen before, and "
            "rest the sum of the values of the child elements, weighted by their size.",
            "from 0; an unseen result is worth q, a fully seen one (1 - α)·q",
            f"Choose one of these, {_EXTENDING.format('overlap-model')}.",
        ),
    ),
    (
        NEAR_MISSES,
        Kind(
            "near-miss-models",
            "Near-miss models",
            "relevance_value.near_misses",
            "A near-miss model decides what results close to an ideal element gain. It returns the "
            "closeness of an element; its score is then the larger of its own score and closeness "
            "times the score of the ideal element.",
            "closeness is from 0 (not a near-miss) to 1 (as good as the ideal element)",
            f"Choose one of these, {_EXTENDING.format('near-miss-model')}.",
        ),
    ),
    (
        READERS,
        Kind(
            "readers",
            "Readers of your own",
            "relevance_value.reader",
            "A reader is a class that replaces the whole relevance value: quantised score, overlap and "
            "near-misses. xcg has none of its own.",
            "gains from 0, without an upper limit",
            "[Replace the whole relevance value](../../howto/extending.md#readers) shows how to write "
            "one.",
        ),
    ),
    (
        TOKENIZERS,
        Kind(
            "tokenizers",
            "Tokenizers",
            "effort.tokenizer",
            "A tokenizer decides what a token is, if effort or a budget is counted in tokens.",
            "the offsets at which tokens start",
            f"Choose this one, {_FUNCTION}.",
        ),
    ),
)


def write_pages(folder: Path) -> dict[str, str]:
    """Write all pages, and delete those of earlier builds that no longer exist.

    Args:
        folder: The folder of the pages.

    Returns:
        Path below the folder → content.

    Raises:
        ValueError: If a definition lacks information, or two pages have the same name.
    """
    pages = dict(_pages())
    stale = set(folder.rglob("*.md")) - {folder / name for name in pages}
    for path in stale:
        path.unlink()
    for name, content in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
    return pages


def _pages() -> Iterator[tuple[str, str]]:
    names = sorted(MEASURES)
    files = {name: page_of(name) for name in names}
    if len({*files.values()}) < len(files):
        raise ValueError(f"two measures have a page of the same name: {sorted(files.values())}")
    grouped = families(names)
    with contextlib.chdir(ROOT):
        for heading, members in grouped.items():
            for name in members:
                yield f"measures/{files[name]}", measure_page(name, heading, members)
    yield "measures/index.md", _overview(grouped)
    for registry, kind in KINDS:
        yield f"{kind.page}.md", part_page(registry, kind)
    yield "user-models.md", user_models_page()
    yield "strategies.md", strategies_page()


def page_of(name: str) -> str:
    """Return the file of a measure. Files differ also if letter case is ignored.

    >>> page_of("gR"), page_of("gr"), page_of("MAep"), page_of("R")
    ('g-r.md', 'gr.md', 'maep.md', 'r.md')
    """
    same = [other for other in MEASURES if other.lower() == name.lower()]
    if len(same) > 1 and name != max(same):  # lower case sorts after upper case
        name = re.sub("(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return f"{name.lower()}.md"


def families(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return heading → measures: the families, then measures of other packages."""
    known = {name for members in FAMILIES.values() for name in members}
    added = tuple(name for name in names if name not in known)
    grouped = {**FAMILIES, "Measures of other packages": added}
    return {heading: members for heading, members in grouped.items() if members}


# Measures


def _overview(grouped: Mapping[str, Sequence[str]]) -> str:
    lines = [
        "# Measures",
        "",
        "These are all measures, by family. Write one as in the first column: the number after the `@` "
        "is a rank or a recall point. `xcg list measures` prints the same list, and `xcg list measures "
        "nxCG` describes one.",
    ]
    for heading, members in grouped.items():
        rows = [
            [
                f"[{_code(definition.usage)}]({page_of(name)})",
                _escape(_short(definition.title)),
                _escape(_short(definition.range)) + _lower(definition),
            ]
            for name, definition in zip(members, map(MEASURES.get, members), strict=True)
        ]
        lines += ["", f"## {_escape(heading)}", "", _table(["measure", "what it is", "range"], rows)]
    names = [page_of(name).removesuffix(".md") for members in grouped.values() for name in members]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", ":maxdepth: 1", "", *names, "```", ""])


def _short(text: str) -> str:
    return text.partition(";")[0]


def _lower(definition: Definition) -> str:
    return ", lower is better" if definition.lower_is_better else ""


def measure_page(name: str, family: str, members: Sequence[str]) -> str:
    """Return the page of a measure.

    Raises:
        ValueError: If the definition lacks information.
    """
    definition = MEASURES.get(name)
    check_complete(definition)
    lines = [f"# {_escape(definition.name)}: {_escape(_short(definition.title))}", ""]
    lines += _measure(definition, MEANINGS.get(name, ""), FORMULAS.get(name, ""))
    if definition.with_cutoff is not None:
        other = definition.with_cutoff
        page = page_of(other.name)
        lines += ["## With a cutoff", "", f"{_code(other.usage)} is another measure: "]
        lines[-1] += f"[{_escape(other.title)}]({page})."
        lines.append("")
    others = [f"[{_code(other)}]({page_of(other)})" for other in members if other != name]
    if others:
        lines += ["## Related measures", "", f"{_escape(family)}: {', '.join(others)}.", ""]
    return "\n".join(lines)


def check_complete(definition: Definition) -> None:
    """Raise ValueError if a measure declares too little for a page."""
    required = ("title", "formula", "range", "source", "example")
    missing = [field for field in required if not getattr(definition, field).strip()]
    is_own = definition.compute.__module__.startswith("xcg.")
    if is_own and not definition.caveat:
        missing.append("caveat")
    if missing:
        raise ValueError(f"the measure {definition.name} declares no {', '.join(missing)}")


def _measure(definition: Definition, meaning: str, formula: str) -> Iterator[str]:
    yield f"{_code(definition.usage)}: {_escape(definition.title)}. {_escape(meaning)}".rstrip()
    yield ""
    if formula:
        yield from ("$$", formula, "$$", "")
    yield f"> {_escape(definition.formula)}"
    yield ""
    better = "lower values" if definition.lower_is_better else "higher values"
    if definition.name in WITHOUT_BETTER:
        better = "none: it describes, and does not rate"
    facts = [
        ["cutoff", _escape(_cutoff(definition.cutoff))],
        ["range", _escape(definition.range)],
        ["better", better],
        ["over topics", "the sum" if definition.is_count else ""],
        ["needs", _needs(definition)],
        ["curve", _code(f"xcg curves --measures {definition.name}") if definition.curve else ""],
        ["other names", ", ".join(map(_code, definition.aliases))],
    ]
    yield _table(["property", "value"], [fact for fact in facts if fact[1]])
    yield ""
    if definition.parameters:
        yield from ("## Parameters", "", _parameters(definition), "")
    if definition.caveat:
        yield from ("## Caveats", "", _escape(definition.caveat), "")
    yield from ("## Example", "", *_example(definition))
    yield from ("## Source", "", *_source(definition), "")


def _cutoff(cutoff: Cutoff | None) -> str:
    if cutoff is None:
        return ""
    return cutoff.name if cutoff.required else f"{cutoff.name}; optional"


def _needs(definition: Definition) -> str:
    needs = _NEEDS[definition.needs]
    return f"{needs}, or gold spans" if definition.on_spans and definition.needs == "levels" else needs


def _parameters(definition: Definition) -> str:
    of_model = Effort().parameters()
    rows = []
    for name, legal in definition.parameters.items():
        if isinstance(legal, Number):
            default, values = f"{legal.default:g}", str(legal)
        else:
            default, values = legal[0], ", ".join(map(_code, legal))
            if name in of_model:
                default = f"that of the user model, else {_code(default)}"
            else:
                default = _code(default)
        rows.append([_code(name), default, values])
    return _table(["parameter", "default", "legal values"], rows)


def _example(definition: Definition) -> Iterator[str]:
    usage = _EXAMPLES.get(definition.name, definition.usage)
    if definition.compute is not None:
        yield f"By hand: {_escape(definition.example)}."
        yield ""
        usage = usage.replace("@10", "@2").replace("@0.1", "@0.5")
    else:
        found = re.search(r"--measures (.+)", definition.example)
        usage = found[1].strip("'") if found else usage
    samples = (_CHUNKS, *_SAMPLES) if definition.on_spans or definition.needs == "text" else _SAMPLES
    quoted = f"'{usage}'" if "(" in usage else usage
    for sample in samples:
        output = _output("evaluate", sample, "--measures", usage)
        if output is not None:
            yield "On the sample data, which `xcg samples FOLDER` writes:"
            yield from (
                "",
                "```console",
                f"$ xcg evaluate {sample} --measures {quoted}",
                output,
                "```",
                "",
            )
            return
    yield "The sample data lack what this measure needs."
    yield ""


def _output(*words: str) -> str | None:
    """Return what a command prints; None if it fails."""
    result = CliRunner().invoke(main, list(words), prog_name="xcg")
    return result.stdout.rstrip() if result.exit_code == 0 else None


def _source(definition: Definition) -> Iterator[str]:
    yield f"{_escape(definition.source)}."
    yield from _references(definition.references, "measures", definition.usage)


# Parts of user models


def part_page(registry: FunctionRegistry[Any], kind: Kind) -> str:
    """Return the page of a kind of parts.

    Raises:
        ValueError: If a part lacks information.
    """
    lines = [f"# {kind.title}", "", kind.question, ""]
    lines += [f"The key in a user model is {_code(kind.setting)}. {kind.own}", ""]
    lines += [f"Range: {kind.range}.", ""]
    names = list(registry)
    if names:
        rows = [[f"[{_code(n)}](#{n})", _escape(_summary(registry, n))] for n in names]
        lines += [_table([registry.kind, "what it is"], rows), ""]
    for name in names:
        lines += _part(registry, kind, name)
    return "\n".join(lines)


def _part(registry: FunctionRegistry[Any], kind: Kind, name: str) -> Iterator[str]:
    function = registry.get(name)
    docstring = Docstring.of(function)
    yield from (f"## {_escape(name)}", "", f"{_escape(docstring.summary)}", "")
    yield from _paragraphs(docstring)
    if isinstance(getattr(function, "scale", None), str):
        yield from _scores(function, registry.kind)
    yield from _function_parameters(registry.kind, name, function, docstring)
    value: object = name
    defaults = {one.name: one.default for one in parameters_of(function) if _is_plain(one.default)}
    if defaults:
        value = {"name": name, **defaults}
    for setting in reversed(kind.setting.split(".")):
        value = {setting: value}
    written = yaml.safe_dump(value, sort_keys=False, allow_unicode=True).rstrip()
    yield from ("In a user model:", "", "```text", written, "```", "")
    yield from _doctest(docstring)
    yield from _references(getattr(registry.get(name), "references", ()), "user-models", name)
    yield ""


def _is_plain(value: object) -> bool:
    return isinstance(value, str | float | int)


def _summary(registry: FunctionRegistry[Any], name: str) -> str:
    summary = Docstring.of(registry.get(name)).summary.rstrip(".")
    if not summary:
        raise ValueError(f"the {registry.kind} {name} has no docstring, which describes it")
    return summary


def _scores(quantisation: Callable[[float, Any], float], kind: str) -> Iterator[str]:
    """Yield a table of the scores of a quantisation."""
    scale = getattr(quantisation, "scale", "")
    if scale == "level":
        row = [f"{quantisation(level, 1):g}" for level in range(4)]
        yield from (_table(["level", *"0123"], [["gain", *row]]), "")
        return
    columns: Sequence[Any] = {"coverage": "ELSN", "share": (0.25, 0.5, 0.75, 1)}.get(
        scale, (0, 1, 2, 3)
    )
    grades = (1, 2) if scale == "share" else (1, 2, 3)
    rows = [[f"e = {e}", *(f"{quantisation(e, s):.4g}" for s in columns)] for e in grades]
    yield from (_table(["score", *(f"s = {s}" for s in columns)], rows), "")


def _function_parameters(
    kind: str, name: str, function: Callable[..., Any], docstring: Docstring
) -> Iterator[str]:
    rows = []
    for parameter in parameters_of(function):
        described = docstring.arguments.get(parameter.name, "").rstrip(".")
        if not described:
            raise ValueError(f"the docstring of the {kind} {name} does not describe {parameter.name}")
        shown = parameter.default
        default = _code(f"{shown:g}" if isinstance(shown, float) else str(shown))
        rows.append([_code(parameter.name), default, _escape(parameter.legal), _escape(described)])
    if rows:
        yield from (_table(["parameter", "default", "legal values", "meaning"], rows), "")


def _paragraphs(docstring: Docstring) -> Iterator[str]:
    for paragraph in "\n".join(docstring.definition).split("\n\n"):
        if paragraph.strip():
            yield from (_escape(" ".join(paragraph.split())), "")


def _doctest(docstring: Docstring) -> Iterator[str]:
    if docstring.example:
        yield from ("In Python:", "", "```pycon", *docstring.example, "```", "")


def _references(references: Iterable[str], kind: str, name: str) -> Iterator[str]:
    entries = entries_of(references)
    if not entries:
        yield from ("", "It has no published source.")
        return
    yield from ("", "Published in:", "")
    for entry in entries:
        link = f" <{entry.link}>" if entry.link else ""
        yield f"- {_escape(entry.text)}{link}"
    yield from ("", f"{_code(f'xcg list {kind} {name} --bibtex')} prints BibTeX.")


# User models and strategies


def user_models_page() -> str:
    """Return the page of the user models that come with xcg."""
    lines = [
        "# Shipped user models",
        "",
        "These user models come with xcg. `--user-model NAME` chooses one, and so does the key "
        "`user_model` of a configuration. To change one, name it as the `base` of your own. "
        "[User models](../user-model.md) describes all keys.",
        "",
    ]
    rows = []
    sections: list[str] = []
    for name, path in shipped_models().items():
        written = path.read_text(encoding="utf-8").strip().splitlines()
        purpose = " ".join(line[2:] for line in written if line.startswith("# "))
        if not purpose:
            raise ValueError(f"{path} has no comment that describes the user model")
        rows.append([f"[{_code(name)}](#{name})", _escape(purpose.rstrip("."))])
        reason = UserModel.shipped(name).reason_above_1
        bound = (
            f"Scores can be above 1: {_escape(reason)}."
            if reason
            else "No ranking gains more than the ideal one."
        )
        content = [line for line in written if not line.startswith("# ")]
        sections += [f"## {_escape(name)}", "", _escape(purpose), ""]
        sections += ["```text", *content, "```", "", bound, ""]
        command = _code(f"xcg list user-models {name} --bibtex")
        sections += [f"{command} prints the sources of its parts as BibTeX.", ""]
    return "\n".join([*lines, _table(["user model", "purpose"], rows), "", *sections])


def strategies_page() -> str:
    """Return the page of the overlap strategies.

    Raises:
        ValueError: If a strategy lacks information.
    """
    lines = [
        "# Overlap strategies",
        "",
        "A strategy turns a ranking into another one before it is evaluated, for example without "
        "results that overlap. `--strategy NAME` applies one in `xcg evaluate`, `xcg compare` and "
        "other commands, and `xcg convert` writes the new run. [Compare "
        "strategies](../../concepts/overlap-strategies.md#compare-strategies-on-a-run) shows how to "
        "choose one.",
        "",
    ]
    rows = [[f"[{_code(n)}](#{n})", _escape(_summary(STRATEGIES, n))] for n in STRATEGIES]
    lines += [_table(["strategy", "what it does"], rows), ""]
    for name in STRATEGIES:
        function = STRATEGIES.get(name)
        docstring = Docstring.of(function)
        lines += [f"## {_escape(name)}", "", _escape(docstring.summary), ""]
        lines += _paragraphs(docstring)
        lines += _function_parameters("strategy", name, function, docstring)
        documents = docstring.arguments.get("corpus", "")
        lines += [f"Corpus: {_escape(documents[:1].lower() + documents[1:])}", ""] if documents else []
        lines += _doctest(docstring)
        lines += [*_references(getattr(STRATEGIES.get(name), "references", ()), "strategies", name), ""]
    return "\n".join(lines)


# Markdown


def _escape(text: str) -> str:
    r"""Return text in which no character is markup.

    >>> print(_escape("a*b [1] <c>"))
    a\*b \[1\] \<c\>
    """
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", text)


def _code(text: str) -> str:
    return f"`{text}`"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _write_before_reading(app: Sphinx) -> None:
    try:
        write_pages(Path(app.srcdir) / FOLDER)
    except (ValueError, XcgError) as error:
        raise ExtensionError(f"reference pages: {error}") from None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages when Sphinx starts."""
    app.connect("builder-inited", _write_before_reading)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
