"""Measure the text of documents in characters, words or tokens."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import CharacterConverter, TextUnit, UnitConverter
from xcg.errors import InputError, XcgError
from xcg.gains.span_reader import UnitSpan
from xcg.user_model.model import UserModel

_KEPT_CONVERTERS = 2000
_KEPT_SPANS = 1 << 16  # in units: about 20 MB


class Texts:
    """The texts of the documents of an evaluation, which all topics share.

    Args:
        corpus: The documents, None without any.
    """

    def __init__(self, corpus: Corpus | None) -> None:
        self.corpus = corpus
        self._characters = CharacterConverter()
        self._converters: dict[object, UnitConverter] = {}
        self._amounts: dict[object, float] = {}
        self._in_units: dict[object, Callable[[str, float, float], UnitSpan]] = {}

    def required_corpus(self) -> Corpus:
        """Return the documents; XcgError without any."""
        if self.corpus is None:
            raise XcgError("needs the documents: expected a corpus")
        return self.corpus

    def length(self, file: str) -> int | None:
        """Return the length of a document in characters; None if the corpus lacks it."""
        if self.corpus is None or file not in self.corpus:
            return None
        return int(self.corpus.tree(file).characters[0])

    @cached_property
    def mean_length(self) -> float:
        """The mean length of all documents in characters, 0 without documents."""
        if self.corpus is None:
            return 0.0
        lengths = [int(self.corpus.tree(file).characters[0]) for file in self.corpus]
        return sum(lengths) / len(lengths)

    def converter(self, model: UserModel, unit: TextUnit, file: str) -> UnitConverter:
        """Return how the text of a document is measured in a unit.

        Raises:
            XcgError: If documents are missing, or the tokenizer of the user model fails.
        """
        if unit == "characters":
            return self._characters
        tokenizer = model.effort.tokenizer
        key = file, unit, unit == "tokens" and tokenizer.key
        if key not in self._converters:
            while len(self._converters) >= _KEPT_CONVERTERS:
                del self._converters[next(iter(self._converters))]
            corpus = self.required_corpus()
            try:
                self._converters[key] = UnitConverter.of(corpus.tree(file).text, unit, tokenizer)
            except XcgError as error:
                raise InputError(f"{corpus.label}, {file}", str(error)) from None
        return self._converters[key]

    def amount(self, model: UserModel, unit: TextUnit, text: str) -> float:
        """Return the amount of a text that is not in a document."""
        if unit == "characters":
            return float(len(text))
        key = unit, model.effort.tokenizer.key, text
        if key not in self._amounts:
            self._amounts[key] = UnitConverter.of(text, unit, model.effort.tokenizer).amount(len(text))
        return self._amounts[key]

    def in_units(self, model: UserModel, unit: TextUnit) -> Callable[[str, float, float], UnitSpan]:
        """Return a function (document, start, end) → start and end of the text in a unit.

        It remembers spans, because runs return the same chunks for many topics.
        """
        key = unit, model.effort.tokenizer.key
        if key not in self._in_units:

            def in_units(file: str, start: float, end: float) -> UnitSpan:
                converter = self.converter(model, unit, file)
                return converter.amount(start), converter.amount(end)

            self._in_units[key] = lru_cache(_KEPT_SPANS)(in_units)
        return self._in_units[key]
