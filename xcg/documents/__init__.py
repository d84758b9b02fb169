"""XML documents as trees of elements: paths, parsing, the tree itself, corpora."""

from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.documents.paths import canonical_file, canonical_path
from xcg.documents.tree import ElementTree

__all__ = ["Corpus", "ElementTree", "canonical_file", "canonical_path", "parse_document"]
