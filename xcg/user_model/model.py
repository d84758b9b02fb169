"""User models: quantisation, ideal recall-base, relevance value and effort."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

from xcg.documents.tree import SizeUnit
from xcg.errors import InputError, XcgError, nearest
from xcg.judgements.recall_base import RecallBase
from xcg.registry import Part, PartType
from xcg.runs.run import Run
from xcg.settings.schema import REQUIRED, TEXT, Choice, Place, Places, checked, key, keys_of
from xcg.settings.yaml_file import KeyPath, format_key_path, load_yaml
from xcg.user_model.ideal import SELECTIONS, Selection, kazai_lalmas, leaves, max_gain, roots
from xcg.user_model.near_misses import exact, judged
from xcg.user_model.quantisation import QUANTISATIONS, Gains, Quantisation, Table
from xcg.user_model.relevance_value import AT_MOST_SCORE, Effort, RelevanceValue, none, related, subtree
from xcg.user_model.schema import Spans, Where, expand, has_several_values, setting_text

DEFAULT = "kazai-lalmas-2006"
"""The user model for assessments with exhaustivity and specificity from 0 to 3."""
OF_SCALE = {"level": "levels", "share": "inex-2005"}
"""Scale of assessments → the user model that is used if the user names none."""
_SECTIONS = ("relevance_value", "effort")


@dataclass(frozen=True)
class UserModel:
    """What a user wants to read, and how the user reads.

    All attributes but the name have defaults, which make the model of Kazai and Lalmas (2006) with the
    quantisation sog and overlap=on.

    Attributes:
        name: The name in results.
        quantisation: Maps an assessment to a score; see :mod:`xcg.user_model.quantisation`.
        ideal: Selects the ideal elements; see :mod:`xcg.user_model.ideal`.
        relevance_value: How a result's gain depends on what was seen before.
        size: The unit in which the sizes of elements are compared.
        spans: How a result is read that is a passage.
        effort: What the user's effort is counted in, and how effort-precision is interpolated.

    >>> model = UserModel.of({"name": "mine", "relevance_value": {"alpha": 0.5}})
    >>> model.relevance_value.alpha, str(model.quantisation), str(model.ideal)
    (0.5, 'sog', 'kazai_lalmas')
    """

    also_legal = ("base",)  # a key that is not kept

    name: str = key("The name in results.", TEXT, REQUIRED)
    quantisation: Part[Quantisation] = key(
        "Maps an assessment to a score.",
        PartType(QUANTISATIONS, {"table": Table, "gains": Gains}),
        factory=lambda: QUANTISATIONS.part("sog"),
    )
    ideal: Part[Selection] = key(
        "Selects the ideal elements.",
        PartType(SELECTIONS),
        factory=lambda: SELECTIONS.part("kazai_lalmas"),
    )
    relevance_value: RelevanceValue = field(default_factory=RelevanceValue)
    size: SizeUnit = key(
        "The unit in which the sizes of elements are compared.",
        Choice(get_args(SizeUnit)),
        "characters",
    )
    spans: Spans = key("How a result is read that is a passage.", Choice(get_args(Spans)), "refuse")
    effort: Effort = field(default_factory=Effort)

    def __post_init__(self) -> None:
        rule = self.relevance_value
        if self.spans == "text" and rule.reader is not None:
            raise XcgError(f"the reader {rule.reader} applies to elements only, not to spans: text")
        for part, legal in (
            (rule.normalisation, ("subtree", "related", "none")),
            (rule.partially_seen, ("recursive",)),
            (rule.near_misses, ("judged",)),
        ):
            if self.spans == "text" and part.name not in legal:
                raise XcgError(
                    f"{part} applies to elements only: with spans: text, the text that results share "
                    "decides what was seen and what is near"
                )

    @property
    def key_without_overlap(self) -> tuple[object, ...]:
        """A hashable value; equal for models that differ only in how overlapping results gain.

        >>> mild, severe = (UserModel("m", relevance_value=RelevanceValue(alpha)) for alpha in (0.5, 1))
        >>> mild.key_without_overlap == severe.key_without_overlap
        True
        """
        rule = self.relevance_value
        parts: list[Part[Any] | None] = [self.quantisation, self.ideal, self.effort.tokenizer]
        parts += [rule.normalisation, rule.near_misses, rule.reader]
        keys = [part.key if part is not None else None for part in parts]
        effort = self.effort.parameters().items()
        return (*keys, self.size, self.spans, *effort)

    @property
    def settings(self) -> dict[str, str]:
        """Every setting that can change a score: key → value, without the keys that a reader replaces.

        >>> UserModel("m", effort=Effort(unretrieved="max")).settings["effort.unretrieved"]
        'max'
        """
        has_reader = self.relevance_value.reader is not None
        found = {}
        for one in sorted(keys_of(UserModel), key=lambda key: len(key.path)):
            value = attrgetter(one.name)(self)
            is_replaced = has_reader and one.name.startswith("relevance_value.")
            if one.name == "name" or value is None or (is_replaced and one.path[1] != "reader"):
                continue
            if isinstance(value, Part) and value.name in ("table", "gains"):
                value = value.function  # its content
            found[one.name] = f"{value:g}" if isinstance(value, float) else str(value)
        return found

    @property
    def reason_above_1(self) -> str:
        """Why a ranking can gain more than the ideal ranking; empty if no ranking can.

        Then xCG is at most xCI at every rank, so nxCG, ep, their means, Q and R are at most 1.

        >>> UserModel.of({"name": "m", "relevance_value": {"near_misses": "exact"}}).reason_above_1
        ''
        >>> UserModel.shipped("overlap-off").reason_above_1
        'without normalisation and with alpha below 1, a result that was seen gains again'
        """
        rule = self.relevance_value
        if self.spans != "text":
            return _reason_for_elements(self.ideal, rule)
        reason = "a result that shows several gold spans gains all of them at one rank"
        if rule.normalisation.plain is none and rule.alpha < 1:
            return f"{reason}, and without normalisation, text that was seen gains again"
        return reason

    @classmethod
    def of(cls, mapping: Mapping[str, object], where: object = "user model") -> UserModel:
        """Return the model in a mapping that has the form of the YAML files.

        Args:
            mapping: The keys of a user model.
            where: What messages call the mapping.

        Raises:
            InputError: If a key is unknown or missing, or a value is illegal.
        """
        return checked(UserModel, *_with_base(mapping, _in_mapping(str(where)), None))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> UserModel:
        """Load a model from a YAML file.

        Raises:
            InputError: If the file cannot be read or is wrong, with file, line and key.
        """
        file = load_yaml(Path(path))
        return checked(UserModel, *_with_base(file.content, file.where, file.path.parent))

    @classmethod
    def shipped(cls, name: str) -> UserModel:
        """Return a user model that comes with xcg.

        Raises:
            XcgError: If there is none with this name, with the nearest name.
        """
        names = shipped_models()
        if name not in names:
            raise XcgError(f"unknown user model {name!r}: {nearest(name, names)}")
        return cls.load(names[name])


def _reason_for_elements(ideal: Part[Any], rule: RelevanceValue) -> str:
    """Return why a ranking of elements can gain more than the ideal ranking; "" if none can.

    docs/howto/score-above-1.md proves the bound: every gain is taken from ideal elements,
    which yield at most their scores in total, and no result gains more than the score of any ideal
    element that it takes from. So k results gain at most the k highest ideal scores.

    Args:
        ideal: The selection of ideal elements.
        rule: The relevance value function.
    """
    if rule.reader is not None:
        return f"the reader {rule.reader} decides gains, and xcg knows no limit of them"
    normalisation = rule.normalisation.plain
    if normalisation not in (subtree, related, none):
        return f"the normalisation {rule.normalisation} decides gains, and xcg knows no limit of them"
    overlapping = ideal.plain not in (kazai_lalmas, max_gain, leaves, roots)
    own_score_only = rule.partially_seen.plain in AT_MOST_SCORE
    if rule.near_misses.plain is exact:
        if normalisation is not none and not overlapping:
            return ""  # an ideal element takes from itself only
        if rule.alpha == 1 and own_score_only:
            return ""  # every ideal element gains once, and at most its score
    reasons = {
        "without normalisation and with alpha below 1, a result that was seen gains again": (
            normalisation is none and rule.alpha < 1
        ),
        "without normalisation, several results can gain from the same ideal element in full": (
            normalisation is none
        ),
        "ideal elements can overlap, and what is left of all of them is added up": overlapping,
        "results that contain ideal elements gain without using them up "
        "(Kazai and Lalmas 2006, equation 8)": normalisation is subtree,
        f"with the ideal {ideal}, an element above ideal elements can have a higher score than they": (
            ideal.plain not in (kazai_lalmas, roots)
        ),
        "a result that was partly seen can be worth more than its score": not own_score_only,
        "a near-miss above ideal elements can be worth more than one of them": (
            rule.near_misses.plain is not judged
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def shipped_folder() -> Path:
    """Return the folder that contains the folders of samples and user models.

    An installed package has it in ``xcg/shipped``. A checkout has the same folders at its top, so that
    every command of the manual works in both.

    Raises:
        XcgError: If the installation lacks it.

    >>> (shipped_folder() / "configs" / "quickstart.yaml").is_file()
    True
    """
    package = Path(__file__).parent.parent
    for folder in (package / "shipped", package.parent):
        if (folder / "configs" / "user_models").is_dir():
            return folder
    raise XcgError("this installation of xcg lacks its user models and samples: install it again")


def shipped_models() -> dict[str, Path]:
    """Return name → file of the user models that come with xcg."""
    files = (shipped_folder() / "configs" / "user_models").glob("*.yaml")
    return {file.stem: file for file in sorted(files, key=lambda file: file.stem)}


def resolve_models(spec: object, folder: Path | None = None) -> list[UserModel]:
    """Return the user models that a user names.

    Args:
        spec: A shipped model's name, a YAML file, a mapping, or a user model. A file or mapping with
            several values for a parameter means several models, see
            :func:`xcg.user_model.schema.expand`.
        folder: The folder that file names are relative to; the current one by default.

    Raises:
        XcgError: If the name is unknown, or the file or mapping is wrong.
    """
    if isinstance(spec, UserModel):
        return [spec]
    if isinstance(spec, Mapping):
        return checked_models(spec, _in_mapping("user model"))
    if isinstance(spec, os.PathLike) or (
        isinstance(spec, str) and (spec.endswith((".yaml", ".yml")) or "/" in spec)
    ):
        file = load_yaml((folder or Path()) / spec)
        return checked_models(file.content, file.where, file.path.parent)
    if isinstance(spec, str):
        return [UserModel.shipped(spec)]
    raise XcgError(f"illegal user model {spec!r}: expected a name, a file or a mapping")


def checked_models(content: object, where: Where, folder: Path | None = None) -> list[UserModel]:
    """Return the user models in a mapping whose parameters can have several values.

    Args:
        content: The mapping.
        where: Names a position in messages.
        folder: The folder of the file with the mapping. The mapping can name functions that a Python
            file in it or an installed package defines. Without a file, it can name functions of all
            modules that the program can import, except those of general libraries.

    Raises:
        InputError: If a key is unknown or missing, or a value is illegal.
    """
    content, places = _with_base(content, where, folder)
    if not isinstance(content, Mapping):
        return [checked(UserModel, content, places)]
    return [checked(UserModel, one, places) for one in expand(content, lambda path: places(path).name)]


def _with_base(content: Any, where: Where, folder: Path | None) -> tuple[Any, Places]:
    """Return a mapping with the keys that it inherits from ``base``, and the place of each key."""

    def own_place(path: KeyPath) -> Place:
        return Place(where(path), folder)

    if not isinstance(content, Mapping) or "base" not in content:
        return content, own_place
    base, place = content["base"], own_place(("base",)).name
    path: Path | None = None
    if isinstance(base, str) and base.endswith((".yaml", ".yml")):
        path = (folder or Path()) / base
    elif isinstance(base, str):
        path = shipped_models().get(base)
    if path is None:
        hint = nearest(str(base), shipped_models())
        raise InputError(place, f"unknown user model {base!r}: {hint}")
    file = load_yaml(path)
    inherited: Any = file.content
    if not isinstance(inherited, Mapping):
        raise InputError(place, f"{path} is not a user model: expected keys with values")
    if "base" in inherited:
        raise InputError(place, f"{path} has a base itself: expected a user model without base")

    def of_key(path: KeyPath) -> Place:
        level = content
        for name in path[: 2 if path[:1] and path[0] in _SECTIONS else 1]:
            if not isinstance(level, Mapping) or name not in level:
                return Place(file.where(path), file.path.parent)
            level = level[name]
        return own_place(path)

    own = {key: value for key, value in content.items() if key != "base"}
    if str(own.get("name", "[")).startswith("["):  # not named by the user: state what differs
        sections = [value if key in _SECTIONS else {key: value} for key, value in own.items()]
        stated = [pair for one in sections if isinstance(one, Mapping) for pair in one.items()]
        settings = ",".join(
            setting_text(str(key), value)
            for key, value in stated
            if key != "name" and not has_several_values(value)
        )
        own["name"] = f"{inherited.get('name', base)}[{settings}]" if settings else str(base)
    return _merged(inherited, own), of_key


def _merged(base: Mapping[Any, Any], own: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the keys of a mapping, with those that another states replaced; sections are merged."""
    merged = dict(base)
    for name, value in own.items():
        inner: Any = base.get(name)
        is_section = name in _SECTIONS and isinstance(inner, Mapping)
        merged[name] = _merged(inner, value) if is_section and isinstance(value, Mapping) else value
    return merged


def _in_mapping(name: str) -> Where:
    def where(key_path: KeyPath) -> str:
        return f"{name}: {format_key_path(key_path)}" if key_path else name

    return where


_EXHAUSTIVITIES = (1, 2)  # of passages; another grade is a level of relevance


def has_only_passages(base: RecallBase) -> bool:
    """Return whether all relevance is given as character offsets."""
    return not any(base.files[topic] or base.passages[topic] for topic in base.topics)


def default_model(base: RecallBase, runs: Iterable[Run] = ()) -> UserModel:
    """Return the default user model of assessments.

    The scale of the assessments decides. If all relevance is given as character offsets and a run
    returns passages for it, results are scored as text, because models of elements refuse passages.

    Args:
        base: The assessments.
        runs: The runs to evaluate. Without them, results are taken for elements.

    >>> default_model(RecallBase.of({"1": {"d": 2}})).name
    'levels'
    """
    if has_only_passages(base):
        topics = (t for run in runs for t, ranking in run.rankings.items() if ranking.spans)
        if any(any(base.spans[topic].values()) for topic in topics):
            return default_text_model(base)
    scales = base.scales
    (scale,) = scales if len(scales) == 1 else ("",)
    return UserModel.shipped(OF_SCALE.get(scale, DEFAULT))


def default_text_model(base: RecallBase) -> UserModel:
    """Return the default user model of assessments for results that are scored as text.

    >>> default_text_model(RecallBase.of({"1": {"d": 2}})).name
    'spans-levels'
    """
    spans = UserModel.shipped("spans")
    scales = base.scales
    grades = (s.exhaustivity for t in base.topics for file in base.spans[t].values() for s in file)
    if "level" in scales or any(grade not in _EXHAUSTIVITIES for grade in grades):
        return UserModel.shipped("spans-levels")
    if scales & {"four-point", "coverage"}:
        model = default_model(base)
        return replace(model, name=f"{model.name}, as text", spans="text", effort=spans.effort)
    return spans
