"""The registry of measures, the parser of their names, and measures that are functions of the user."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from xcg.errors import XcgError, nearest
from xcg.measures.definition import (
    HIGHER_IS_BETTER,
    NO_CUTOFF,
    RANK,
    RANK_OR_ALL,
    Definition,
    Measure,
    Number,
    Order,
    Parameters,
)
from xcg.measures.topic_gains import RankingGains
from xcg.registry import Between, FunctionRegistry, Parameter, Registry, parameters_of

SETS = ("official", "all_trec")
"""The names of sets of measures."""

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_AT = {
    "iprec_at_recall_#": tuple(tenth / 10 for tenth in range(11)),
    "Rprec_mult_#": tuple(tenth / 10 for tenth in range(2, 22, 2)),
    "success_#": (1, 5, 10),
    "unj_#": (5, 10, 20),
    "set_F_#": (),
}
"""Name → the numbers that trec_eval puts in it by default, if they are not the usual cutoffs."""

_TREC_EVAL = """
num_q=NumQ num_ret=NumRet num_rel=NumRel num_rel_ret=NumRet(rel=1) map=AP gm_map Rprec
bpref=Bpref recip_rank=RR iprec_at_recall_#=IPrec@# P_#=P@# relstring recall_#=R@# infAP
gm_bpref Rprec_mult_#=Rprec_mult(x=#) utility 11pt_avg=IPrec binG G ndcg=nDCG ndcg_rel Rndcg
ndcg_cut_#=nDCG@# map_cut_#=AP@# relative_P_#=relative_P@# success_#=Success@# set_P=SetP
set_relative_P=SetP(relative=True) set_recall=SetR set_map=SetAP set_F=SetF set_F_#=SetF(beta=#)
num_nonrel_judged_ret rbp=RBP(p=0.9) rbp_resid unj_#=unj@#
"""
TREC_NAMES = {
    name: measure or name for name, _, measure in (word.partition("=") for word in _TREC_EVAL.split())
}
"""Name in trec_eval → measure, in the order of trec_eval's output; # is a number."""

_NUMBER = re.compile(r"(?<=_)[0-9]+(?:\.[0-9]+)?\Z", re.ASCII)


def measure_of(name: str) -> str:
    """Return the measure that a name of trec_eval means; other texts are returned unchanged.

    >>> measure_of("ndcg_cut_10"), measure_of("recip_rank"), measure_of("nxCG@10")
    ('nDCG@10', 'RR', 'nxCG@10')
    """
    found = _NUMBER.search(name)
    key = f"{name[: found.start()]}#" if found else name
    return TREC_NAMES.get(key, name).replace("#", found[0] if found else "#")


def measures_of_set(name: str) -> list[str]:
    """Return the measures of trec_eval's set ``official`` or ``all_trec``, without ``relstring``."""
    found: list[str] = []
    for key, measure in TREC_NAMES.items():
        if key == "relstring":
            if name == "official":
                return found
            continue
        numbers = _AT.get(key, _CUTOFFS) if "#" in key else (0,)
        found += [measure.replace("#", f"{number:g}") for number in numbers]
    return found


_RAG = {
    "hitrate hit hits": ("Success@5", "A hit is a result with at least half of a gold span"),
    "mrr meanreciprocalrank reciprocalrank": ("RR", "It looks for at least half of a gold span"),
    "recall": ("R@5", "It is the share of gold spans; SpanRecall@5 is the share of their text"),
    "precision": ("P@5", "It is the share of results; SpanPrecision@5 is that of their text"),
    "contextrecall contextualrecall idbasedcontextrecall nonllmcontextrecall llmcontextrecall": (
        "SpanRecall(budget=tokens)@1000",
        "It is the share of the gold text that is read; other tools count passages or statements",
    ),
    "map averageprecision": ("AP", "Each gold span counts once"),
    "contextprecision contextualprecision nonllmcontextprecision": (
        "AP",
        "It divides by all gold spans, other tools by those that were found",
    ),
    "idbasedcontextprecision contextrelevance contextrelevancy contextualrelevancy": (
        "SpanPrecision(budget=tokens)@1000",
        "It is the share of gold in the text that is read, not of chunks or statements",
    ),
    "ndcg": ("nDCG@5", "Each gold span counts once"),
    "iou jaccard": ("SpanIoU@5", "Text that is returned twice is read twice"),
    "f f1 fscore": ("SpanF@5", "It is of the text that is read, not of results"),
}
"""Names without case, marks and digits → the measure of xcg, and how it differs."""

_OF_ANSWERS = ("faithfulness", "groundedness", "answerrelevancy", "answercorrectness")


def measure_elsewhere(name: str) -> str:
    """Return the end of a message on a name of another tool: the measure and its difference; or "".

    >>> measure_elsewhere("ndcg_at_5")
    "did you mean 'nDCG@5'? Each gold span counts once"
    """
    key = re.sub("at$|withreference$", "", re.sub("[^a-z]", "", name.lower()))
    if key in _OF_ANSWERS:
        return "it judges the answer of a language model, and xcg the text that was retrieved for it"
    found = next((found for names, found in _RAG.items() if key in names.split()), None)
    return f"did you mean {found[0]!r}? {found[1]}" if found else ""


_MEASURE = re.compile(
    r"((?:[A-Za-z_][\w.]*:)?[A-Za-z_]\w*)\s*(?:\(([^()]*)\))?\s*(?:@\s*([^\s@]+))?\Z", re.ASCII
)
_GREEK = str.maketrans({"µ": "mu", "μ": "mu", "α": "alpha"})
MAX_CHARACTERS = 1000
"""The maximum length of a measure with its parameters and cutoff."""
_IMPLIED = {"NumRelRet": {"rel": "1"}, "SetRelP": {"relative": "True"}}
"""Alias → the parameters that it sets, as in ir_measures."""


_OF_IR_MEASURES = ("Accuracy", "BPM", "Compat", "alpha_DCG", "nERR_IA", "nNRBP")
Adapter = Callable[[Callable[..., Any], dict[str, Any]], Callable[..., float | None]]


class MeasureRegistry(Registry[Definition]):
    """All measures by name, and the parser of names with cutoffs and parameters.

    >>> str(MEASURES.parse("MAP@100")), [str(m) for m in MEASURES.parse_all("nxCG@10, MAep")]
    ('AP@100', ['nxCG@10', 'MAep'])
    """

    def add(  # type: ignore[override]
        self, name: str, item: Any, adapt: Adapter | None = None, key: str = "", **declaration: Any
    ) -> Any:
        """Register a function as a measure and return it.

        Args:
            name: The name of the measure.
            item: The function; or a definition, without the other arguments.
            adapt: Returns what computes the measure by this function, and may change the declaration.
            key: The key in the registry, if it is not the name.
            **declaration: The other fields of its :class:`Definition`. Texts in the docstring of the
                function, see :func:`texts_of`, override them.
        """
        if isinstance(item, Definition):
            return super().add(name, item)
        declaration |= texts_of(item)
        compute = item if adapt is None else adapt(item, declaration)
        super().add(key or name, Definition(name, compute, **declaration))
        return item

    def knows(self, name: str) -> bool:
        """Return whether a name or alias means a measure."""
        return name in self or name in self._aliases

    def definition(self, name: str) -> Definition:
        """Return the definition that a name or an alias means without a cutoff.

        Raises:
            XcgError: If there is none, with the nearest name.
        """
        found = self._objects.get(name)
        if found is not None:  # no alias; needs no further modules
            return found
        self.registered()  # all of them, before aliases are collected
        key = self._aliases.get(name, name)
        if key not in self:
            self.check_refused(key)
            if name in _OF_IR_MEASURES:
                raise XcgError(
                    f"{name} is a measure of ir_measures, not of xcg: ir_measures QRELS RUN {name} "
                    "computes it, after pip install ir-measures"
                )
            stem = name.rstrip("0123456789")
            if stem != name and self.knows(stem):
                raise XcgError(
                    f"unknown measure {name!r}: did you mean '{stem}@{name.removeprefix(stem)}'?"
                )
            hint = measure_elsewhere(name) or nearest(name, [*self, *self._aliases])
            raise XcgError(f"unknown measure {name!r}: {hint}")
        return self.get(key)

    def definitions(self, name: str) -> list[Definition]:
        """Return the definitions that a name can mean: two if a cutoff changes its meaning.

        Args:
            name: A name or an alias; or one with parameters or a cutoff, which means one measure.

        Raises:
            XcgError: As :meth:`definition` and :meth:`parse`.
        """
        if "@" in measure_of(name) or "(" in measure_of(name):
            return [self.parse(name).definition]
        found = self.definition(measure_of(name).translate(_GREEK))
        return [found] if found.with_cutoff is None else [found, found.with_cutoff]

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return {alias: name for name, found in self._objects.items() for alias in found.aliases}

    def parse(self, text: str | Measure, folder: Path | None = None) -> Measure:
        """Return the measure that a text names.

        Args:
            text: A name with parameters and a cutoff, like ``nxCG@10`` or
                ``ep(interpolation=linear)@0.1``; or a measure, which must be complete. The name can be
                ``package.module:function``.
            folder: The folder of the configuration that names the measure.

        Raises:
            XcgError: If the name or a parameter is unknown, or the cutoff is missing or illegal.
        """
        if isinstance(text, Measure):
            if text.cutoff == NO_CUTOFF:
                text.definition.read_cutoff(None)
            return text
        match = None
        if isinstance(text, str) and len(text) <= MAX_CHARACTERS:
            match = _MEASURE.match(measure_of(text.strip()).translate(_GREEK))
        if match is None:
            raise XcgError(
                f"{str(text).strip()[:60]!r} is not a measure: expected one like nxCG@10 or "
                f"MAep(unretrieved=max), or your own as module:function; at most {MAX_CHARACTERS:,} "
                "characters"
            )
        name, brackets, cutoff = match.groups()
        parameters = {
            **_IMPLIED.get(name, {}),
            **(_split_parameters(name, brackets) if brackets else {}),
        }
        definition = self._function(name, folder) if ":" in name else self.definition(name)
        if cutoff is not None and definition.with_cutoff is not None:
            definition = definition.with_cutoff
        values = definition.read_parameters(parameters)
        if definition.needs == "levels":  # as in ir_measures, which does not print defaults
            defaults = Measure(definition).settings()
            values = tuple((name, value) for name, value in values if value != defaults[name])
        return Measure(definition, definition.read_cutoff(cutoff), values)

    def parse_all(
        self, texts: str | Measure | Iterable[str | Measure], folder: Path | None = None
    ) -> list[Measure]:
        """Return the measures of a list, or of a text separated by white space or commas.

        A measure that is named twice is returned once. ``official`` and ``all_trec`` are the sets of
        trec_eval, here without ``relstring``, which is no number.

        Raises:
            XcgError: As :meth:`parse`, and if there is no measure.
        """
        if isinstance(texts, Measure):
            texts = [texts]
        elif isinstance(texts, str):
            texts = split_measures(texts)
        named = [
            one for text in texts for one in (measures_of_set(str(text)) if text in SETS else [text])
        ]
        measures = list(dict.fromkeys(self.parse(text, folder) for text in named))
        if not measures:
            raise XcgError("no measures: expected at least one, like nxCG@10")
        return measures

    def order(self, name: str | Measure) -> Order:
        """Return the order of a measure's values from best to worst.

        A name that is not a measure here, as in results of another installation, means higher is
        better.
        """
        found = self._found(name)
        return found.order if found is not None else HIGHER_IS_BETTER

    def is_count(self, name: str | Measure) -> bool:
        """Return whether the value over all topics is a sum, not a mean; False for an unknown name."""
        found = self._found(name)
        return found is not None and found.is_count

    def _found(self, name: str | Measure) -> Definition | None:
        with suppress(XcgError):
            return self.parse(name).definition
        return None

    def _function(self, path: str, folder: Path | None) -> Definition:
        """Return the definition of a user's function, the same one for the same path and folder.

        Without a folder, a path that was read before has the same meaning, so that results can be
        asked for the measures that a configuration names.
        """
        known = self._functions.get((path, folder))
        if known is None and folder is None:
            known = next((found for (one, _), found in self._functions.items() if one == path), None)
        if known is None:
            known = self._functions[path, folder] = function_measure(path, folder)
        return known

    @cached_property
    def _functions(self) -> dict[tuple[str, Path | None], Definition]:
        return {}


def texts_of(function: Callable[..., object]) -> dict[str, str]:
    """Return the title, formula and other texts of a measure that a function's docstring states.

    The first line is ``Compute TITLE.`` or ``Compute the TITLE.``, and the second paragraph the
    formula. Others begin with ``Range:``, ``Source:``, ``Example:`` or ``Caveat:``.

    >>> def reciprocal_rank(ranking, depth):
    ...     '''Compute reciprocal rank.
    ...
    ...     RR = 1 / rank
    ...
    ...     Range: 0 to 1'''
    >>> texts_of(reciprocal_rank)
    {'title': 'reciprocal rank', 'formula': 'RR = 1 / rank', 'range': '0 to 1'}
    """
    title, formula, *others = [*(function.__doc__ or "").split("\n\n"), "", ""]
    title = title.removeprefix("Compute ").removeprefix("the ").removesuffix(".")
    texts = {"title": title, "formula": formula}
    for paragraph in others:
        name, _, text = paragraph.partition(":")
        if name.strip() in _TEXTS:
            texts[name.strip().lower()] = text
    return {name: " ".join(text.split()) for name, text in texts.items() if text}


_TEXTS = ("Range", "Source", "Example", "Caveat")
Function = Callable[..., float | None]
_FUNCTIONS: FunctionRegistry[Function] = FunctionRegistry("measure", "xcg.measure")


def function_measure(path: str, folder: Path | None) -> Definition:
    """Return the definition of the measure that a function computes.

    The function takes the gains of a ranking for a topic and returns a number, or None if it is
    undefined. A keyword-only argument ``cutoff`` is the rank after ``@``; without a default it is
    required. Other keyword-only arguments are parameters, with the annotations float, int or Literal.
    A function attribute ``lower_is_better`` reverses the order of runs.

    Args:
        path: ``package.module:function``.
        folder: The folder of the configuration; see :func:`xcg.plugins.load_function`.

    Raises:
        XcgError: If the function cannot be imported or has other arguments.
    """
    part = _FUNCTIONS.part(path, folder=folder)
    try:
        inspect.signature(part.function).bind_partial("topic")
        arguments = {argument.name: argument for argument in parameters_of(part.function)}
    except (TypeError, ValueError, NameError) as error:
        raise XcgError(
            f"measure {path}: {error}; expected a function of the gains of a ranking"
        ) from None
    cutoff = arguments.pop("cutoff", None)
    required = cutoff is not None and cutoff.default is inspect.Parameter.empty

    def compute(topic: RankingGains, rank: float, parameters: Parameters) -> float | None:
        keywords = parameters if cutoff is None else {"cutoff": rank, **parameters}
        try:
            found = part.function(topic, **keywords)
            value = None if found is None else float(found)
        except XcgError:
            raise
        except Exception as error:  # a user's function may raise anything
            raise XcgError(f"the function failed: {type(error).__name__}: {error}") from None
        if value is not None and not math.isfinite(value):
            raise XcgError(f"the function returned {value}: expected a finite number or None")
        return value

    return Definition(
        name=path,
        title=(inspect.getdoc(part.function) or path).partition("\n")[0].rstrip("."),
        formula="that of the function",
        source=path,
        compute=compute,
        range="not stated",
        cutoff=None if cutoff is None else RANK if required else RANK_OR_ALL,
        parameters={name: _legal(path, argument) for name, argument in arguments.items()},
        lower_is_better=bool(getattr(part.function, "lower_is_better", False)),
    )


def _legal(path: str, argument: Parameter) -> tuple[str, ...] | Number:
    """Return the legal values of a parameter."""
    if get_origin(argument.type) is Literal:
        words = [str(word) for word in get_args(argument.type) if word != argument.default]
        return (str(argument.default), *words)
    default: Any = argument.default
    if argument.type not in (int, float) or default is inspect.Parameter.empty:
        raise XcgError(
            f"measure {path}: the argument {argument.name} needs a default, and the annotation float, "
            "int or Literal"
        )
    between = next(iter(argument.constraints), Between(-math.inf))
    return Number(default, between.least, between.most, whole=argument.type is int)


MEASURES = MeasureRegistry("measure", "xcg.measure", package="xcg.measures")
"""All measures."""


def split_measures(text: str) -> list[str]:
    """Split a list of measures at white space and commas outside brackets.

    Args:
        text: Names of measures.

    Returns:
        One text for each measure, also if no measure has this name.

    >>> split_measures("nxCG@10, ep(interpolation=linear)@0.1 MAep")
    ['nxCG@10', 'ep(interpolation=linear)@0.1', 'MAep']
    """
    return re.findall(r"[^\s,(]+(?:\([^)]*\)?[^\s,(]*)?|\([^\s]*", text)


def _split_parameters(name: str, brackets: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for item in filter(None, (item.strip() for item in brackets.split(","))):
        key, _, value = (part.strip() for part in item.partition("="))
        if key in parameters:
            raise XcgError(f"{name}: the parameter {key} is given twice")
        parameters[key] = value.strip("'\"")
    return parameters
