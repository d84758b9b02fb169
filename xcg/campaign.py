"""A campaign: what a user states, and every question about it as a method.

YAML, ``--set``, options and Python fill one schema, :class:`xcg.settings.keys.Settings`. A command is:
load, one method, print.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from xcg import answers
from xcg.answer import Answer
from xcg.answers.asked import Asked, check_recorded, record_of
from xcg.documents.files import whole_file
from xcg.errors import XcgError, missing_extra, nearest
from xcg.evaluation.config import inputs_of
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import ProgressBar, no_progress
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Runs
from xcg.settings.keys import Settings
from xcg.settings.loading import KEYS, Stated, stated
from xcg.settings.schema import DEFAULT_MEASURES

if TYPE_CHECKING:
    from xcg.answers.comparison import GateAnswer
    from xcg.report.citations import Citation


def load(
    file: str | os.PathLike[str] | None = None, *, set: Sequence[str] = (), **keys: Any
) -> Campaign:
    """Return the campaign of a YAML file, of keywords, or of both; keywords override the file.

    Args:
        file: A YAML file, or a record that the key ``record`` wrote.
        set: Texts ``KEY=VALUE``, as after ``--set``.
        keys: The keys of the configuration, such as ``assessments``, ``runs``, ``corpus``,
            ``user_model`` and ``measures``. Inputs can be paths or objects: assessments ``{topic:
            {document: {path: (e, s)}}}`` or ``{topic: {document: [(start, end)]}}``; runs ``{run:
            {topic: ["doc#path", …]}}``; a corpus ``{document: text or XML}``. The value of a section
            is a mapping: ``compare={"test": "wilcoxon"}``.

    Returns:
        The campaign; input files are read when a method needs them.

    Raises:
        InputError: If a key is unknown or a value is illegal, with its place and the nearest name.

    >>> gold = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    >>> runs = {"bm25": {"1": ["d#/a/s[2]", "d#/a/s[1]"]}}
    >>> campaign = load(assessments=gold, runs=runs, measures=["nxCG@1", "MAep"])
    >>> campaign.evaluate().value("bm25", "MAep")
    0.75
    """
    return Campaign(stated(file, set, keys))


def evaluate(
    assessments: Any,
    runs: Any,
    corpus: Any = None,
    user_model: Any = None,
    measures: Any = DEFAULT_MEASURES,
    **keys: Any,
) -> Results:
    """Score runs by measures: the short form of :func:`load` and :meth:`Campaign.evaluate`.

    Args:
        assessments: A file, folder or glob, or several of them; a :class:`RecallBase`; or dicts
            topic → file → path → (e, s), or topic → document → level or list of (start, end) passages.
        runs: The same; :class:`Run` objects; or dicts run → topic → results. A result is
            ``(file, path)``, ``file#/path`` or a document, in rank order or with scores; or a chunk as
            :func:`xcg.runs.chunks.span_of` takes it, whose text must be in the corpus.
        corpus: A folder or archive, a :class:`Corpus`, or a dict as :meth:`Corpus.of` takes it. Without
            it, the structure comes from the paths, and sizes from assessments that state them.
        user_model: A name, a file, a mapping, a :class:`UserModel`, or several of these. The default
            is ``kazai-lalmas-2006``; ``levels`` if all assessments are levels of relevance;
            ``inex-2005`` if all are shares of highlighted text; ``spans`` (``spans-levels`` for levels
            other than 1 and 2) if relevance is given by passages and results are passages or chunks.
        measures: Names such as ``"nxCG@10"``, or measures. ``xcg list measures`` has them.
        keys: Further keys of a configuration.

    Returns:
        The value of every measure, run, user model and topic, and the means.

    Raises:
        XcgError: For every error that a user can cause; :class:`InputError` if data are wrong.

    >>> results = evaluate(
    ...     assessments={"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}},
    ...     runs={"bm25": {"1": ["d#/a/s[2]", "d#/a/s[1]"]}},
    ...     measures=["nxCG@1", "MAep"],
    ... )
    >>> results.value("bm25", "nxCG@1"), results.value("bm25", "MAep")
    (0.5, 0.75)
    """
    given = {"corpus": corpus, "user_model": user_model, "measures": measures}
    return load(assessments=assessments, runs=runs, **given, **keys).evaluate()


class Campaign:
    """Assessments, runs and documents with everything that a user states about them.

    Each method takes the keys of its section of the configuration as keywords, for this question only.
    It returns an :class:`xcg.Answer`: a sequence with ``notes``, ``settings``, ``records()``,
    ``tables()``, ``to_pandas()`` and ``plot(path)``.

    Attributes:
        stated: What the user states.
        settings: The same, checked, with the defaults of all other keys.
        study: The studies of measures and designs.
        progress: Shows progress: what is counted → a context with a function of done and all steps.
    """

    def __init__(self, stated: Stated) -> None:
        self.stated = stated
        self.settings: Settings = stated.settings()
        self.study = Studies(self)
        self.progress: ProgressBar = no_progress

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs: validated user models, measures and strategies; files are read on first use."""
        return self._inputs(with_measures=True)

    @cached_property
    def _inputs_of_curves(self) -> Inputs:
        return self._inputs(with_measures=False)

    def _inputs(self, with_measures: bool) -> Inputs:
        changed = check_recorded(self.stated)
        inputs = inputs_of(self.stated, self.settings, with_measures)
        for line in changed:
            inputs.notes.warning(line)
        return inputs

    @property
    def judgements(self) -> RecallBase:
        """The assessments."""
        return self.inputs.recall_base

    @property
    def runs(self) -> Runs:
        """The runs, under each overlap strategy."""
        return self.inputs.loaded_runs

    def evaluate(self, **keys: Any) -> Results:
        """Score runs by measures: for each topic, and as means over topics.

        Means are over the assessed topics with an ideal gain above 0 under the user model.

        Args:
            keys: Keys of the section ``evaluate``.

        Returns:
            The value of every measure, run, user model and topic, and the means.

        Raises:
            XcgError: For every error that a user can cause; :class:`xcg.InputError` if data are wrong.
        """
        asked = self.asked("evaluate", keys)
        return asked.recorded(answers.evaluate(asked))

    def compare(self, **keys: Any) -> Answer[Any]:
        """Test whether the differences between runs are significant.

        All pairs of runs are compared, or each run with a baseline, over the topics that both have.
        The comparisons by one measure under one user model are a family: their p values are corrected
        together.

        Args:
            keys: Keys of the section ``compare``.

        Returns:
            :class:`xcg.Comparison` objects in the order of measures, user models and runs; with
            ``table``, the rows of another table.

        Raises:
            XcgError: As :meth:`evaluate`; and if a name is unknown, there are fewer than two runs, two
                runs share fewer than two topics, or the correction is not defined for the test,
                baseline or topics.

        >>> gold = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
        >>> first = {"1": ["d"], "2": ["d"], "3": ["e", "d"]}
        >>> second = {"1": ["e", "d"], "2": ["e", "f", "d"], "3": ["e", "f", "g", "d"]}
        >>> campaign = load(assessments=gold, runs={"a": first, "b": second}, measures="MAep")
        >>> (line,) = campaign.compare()
        >>> line.run, line.baseline, round(line.difference, 4), line.wins, line.losses
        ('a', 'b', 0.4722, 3, 0)
        """
        asked = self.asked("compare", keys)
        return asked.recorded(answers.compare(asked))

    def gate(self, **keys: Any) -> GateAnswer:
        """Check that no run misses a limit; without a limit, that none is significantly worse.

        Args:
            keys: Keys of the sections ``gate`` and ``compare``, such as ``baseline`` and ``max_drop``.
                The baseline can also be an :class:`xcg.Run`.

        Returns:
            What was checked, with ``passed``, ``verdict`` and ``results``.

        Raises:
            UnmappedError: If a result or relevant text does not exist in the corpus.
            XcgError: As :meth:`compare`; and if there is nothing to check, or the gate can never fail.
        """
        own = {key: value for key, value in keys.items() if f"gate.{key}" in KEYS}
        others = {f"compare.{key}": value for key, value in keys.items() if key not in own}
        asked = self.asked("gate", own, others, ("gate", "compare"))
        return asked.recorded(answers.gate(asked))

    def sweep(self, **keys: Any) -> Answer[Any]:
        """Compare the order of runs between user models, or overlap strategies between values of α.

        Args:
            keys: Keys of the section ``sweep``.
        """
        asked = self.asked("sweep", keys)
        return asked.recorded(answers.sweep(asked))

    def curves(self, **keys: Any) -> Answer[Any]:
        """Compute measures as curves over ranks, gain-recall, recall or text.

        Args:
            keys: Keys of the section ``curves``.
        """
        asked = self.asked("curves", keys)
        return asked.recorded(answers.curves(asked))

    def explain(self, **keys: Any) -> Answer[Any]:
        """Explain rank by rank what the results of a run gained, and what the run missed.

        Args:
            keys: Keys of the section ``explain``; ``run`` and ``topic`` are needed.
        """
        asked = self.asked("explain", keys)
        return asked.recorded(answers.explain(asked))

    def ideal(self, **keys: Any) -> Answer[Any]:
        """Return the ideal recall-base: the elements that a system should return.

        Args:
            keys: Keys of the section ``explain``, such as ``topic``.
        """
        asked = self.asked("explain", keys)
        return asked.recorded(answers.ideal(asked))

    def check(self, **keys: Any) -> Answer[Any]:
        """Check the corpus, the assessments and the runs; or count assessments, or review gold.

        Args:
            keys: Keys of the section ``check``.
        """
        asked = self.asked("check", keys)
        return asked.recorded(answers.check(asked))

    def chunks(self, **keys: Any) -> Answer[Any]:
        """Compare chunkers and retrievers on one gold set.

        Args:
            keys: Keys of the section ``chunks``.
        """
        asked = self.asked("chunks", keys)
        return asked.recorded(answers.chunks(asked))

    def report(self, path: str | os.PathLike[str] | BinaryIO, **keys: Any) -> None:
        """Write one HTML page with tables, curves, topics and explanations.

        Args:
            path: The file, or a binary stream.
            keys: Keys of the section ``report``.
        """
        asked = self.asked("report", keys)
        if isinstance(path, (str, os.PathLike)):
            with whole_file(Path(path)) as page:
                answers.write(asked, page)
        else:
            answers.write(asked, path)
        if self.settings.record is not None:
            asked.write_record(Path(self.settings.record))

    def methods(self) -> Answer[Citation]:
        """Return the methods paragraph of a paper about the campaign, with BibTeX."""
        asked = self.asked("report", {})
        return asked.recorded(answers.methods(asked))

    def record(self, *sections: str, folder: Path | None = None) -> dict[str, Any]:
        """Return the record of the method: settings, version of xcg, SHA-256 of the input files."""
        return record_of(self.asked("evaluate", {}), sections, folder)

    def asked(
        self,
        section: str,
        keys: Mapping[str, Any],
        others: Mapping[str, Any] | None = None,
        sections: Sequence[str] = (),
    ) -> Asked:
        """Return a question with the keys of a section, and further dotted keys of all its sections."""
        given = {f"{section}.{key}": value for key, value in keys.items()} | dict(others or {})
        for name in given:
            if name not in KEYS:
                known = [key.rpartition(".")[2] for key in KEYS if key.startswith(f"{section}.")]
                key = name.rpartition(".")[2]
                raise XcgError(f"{key}: unknown key: {nearest(key, known)}")
        stated = self.stated.with_keywords(given) if given else self.stated
        settings = stated.settings() if given else self.settings
        inputs = self._inputs_of_curves if section == "curves" else self.inputs
        return Asked(sections or (section,), stated, settings, inputs, self.progress)


@dataclass(frozen=True)
class Studies:
    """The studies of measures and designs: ``campaign.study.plan(difference=0.05)``.

    Each method takes the keys of its section below ``study``.
    """

    campaign: Campaign

    def plan(self, **keys: Any) -> Answer[Any]:
        """Predict from a pilot campaign which differences a comparison finds, with how many topics."""
        return self._answer("plan", keys)

    def calibrate(self, **keys: Any) -> Answer[Any]:
        """Count the false alarms of tests and gates on exchanged runs (A/A study)."""
        return self._answer("calibrate", keys)

    def assessors(self, **keys: Any) -> Answer[Any]:
        """Compare scores and orders of runs between alternative assessments (KL 6.2.1)."""
        return self._answer("assessors", keys)

    def topics(self, **keys: Any) -> Answer[Any]:
        """Compare runs on disjoint topic sets, and count reversed orders (KL 6.2.2)."""
        return self._answer("topics", keys)

    def perturb(self, **keys: Any) -> Answer[Any]:
        """Insert non-relevant results, and compute the effect on measures (KL 6.1.2)."""
        return self._answer("perturb", keys)

    def levels(self, **keys: Any) -> Answer[Any]:
        """Test whether graded measures depend on the number of relevance levels."""
        return self._answer("levels", keys)

    def laws(self, **keys: Any) -> Answer[Any]:
        """Search for small cases in which a measure breaks a law (needs the extra ``xcg[break]``)."""
        try:
            return self._answer("laws", keys)
        except ModuleNotFoundError as error:
            if error.name != "hypothesis":
                raise
            raise missing_extra("study laws", "hypothesis", "break") from None

    def _answer(self, name: str, keys: Mapping[str, Any]) -> Answer[Any]:
        asked = self.campaign.asked(f"study.{name}", keys)
        answer: Answer[Any] = getattr(answers, name)(asked)
        return asked.recorded(answer)
