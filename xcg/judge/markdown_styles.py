"""Find the inline markup of a Markdown source, so that the source can be shown with its styles.

markdown-it states the lines of blocks, but no positions of inline markup. Its rules for emphasis, code,
links and images are wrapped here, and write the positions at which they matched into the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from xcg.documents.markup import LINE_BREAK, line_spans, markdown_parser

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    Rule = Callable[[StateInline, bool], bool]


_STYLES = ("bold", "italic", "link", "markup", "monospace")
_MAYBE_MARKUP = re.compile(r"[*_`\[]")


class Style(NamedTuple):
    """Characters start to end - 1 of a source, and their classes in the style sheet."""

    start: int
    end: int
    classes: str


def markdown_styles(text: str) -> Iterator[Style]:
    """Yield the styles of a Markdown source in order, without overlap; markup is a style too.

    >>> for start, end, classes in markdown_styles("- a **b *c***"):
    ...     print(start, end, classes)
    0 2 markup
    4 6 markup
    6 8 bold
    8 9 markup
    9 10 bold italic
    10 11 markup
    11 13 markup
    """
    shown = bytearray(len(text))  # the styles of each character

    def add(start: int, end: int, style: str) -> None:
        for at in range(start, end):
            shown[at] |= 1 << _STYLES.index(style)

    lines, parser = list(line_spans(text)), _parser()
    references: dict[str, Any] = {}
    for above, token in pairwise(parser.parse(LINE_BREAK.sub("\n", text), references)):
        if token.type != "inline" or not token.map or above.type in ("th_open", "td_open"):
            continue
        block, content = lines[slice(*token.map)], token.content.split("\n")
        starts = [text.rfind(line, *span) for line, span in zip(content, block, strict=False)]
        if min(starts) < 0:  # tabs may have been expanded
            continue
        positions: list[int] = []  # of the characters of the content and its line breaks
        for (first, _), start, line in zip(block, starts, content, strict=False):
            if text[first:start].strip():
                add(first, start, "markup")
            positions += range(start, start + len(line) + 1)
        tokens: list[Token] = []
        if _MAYBE_MARKUP.search(token.content):
            parser.inline.parse(token.content, parser, references, tokens)
        for start, end, style in _of_tokens(tokens):
            if start < end:
                add(positions[start], positions[end - 1] + 1, style)
    for run in re.finditer(rb"([^\0])\1*", shown):
        names = [name for bit, name in enumerate(_STYLES) if run[1][0] >> bit & 1]
        yield Style(*run.span(), "markup" if "markup" in names else " ".join(names))


def _of_tokens(tokens: list[Token]) -> Iterator[Style]:
    """Yield the styles of inline tokens; positions are those of the content."""
    opened: list[int] = []
    for token in tokens:
        yield from token.meta.get("styles", ())
        size = len(token.markup)
        if token.type in ("em_open", "strong_open"):  # the last marker of the opening ones
            opened.append(token.meta["at"] + 1)
            yield Style(opened[-1] - size, opened[-1], "markup")
        elif token.type in ("em_close", "strong_close"):  # the first marker of the closing ones
            at = token.meta["at"]
            yield Style(opened.pop(), at, "italic" if size == 1 else "bold")
            yield Style(at, at + size, "markup")


def _parser() -> MarkdownIt:
    parser = markdown_parser()
    ruler = parser.inline.ruler
    for name, rule in zip(ruler.get_active_rules(), ruler.getRules(""), strict=True):
        if name in ("emphasis", "backticks", "link", "image"):
            ruler.at(name, _recording(rule))
    return parser


def _recording(rule: Rule) -> Rule:
    """Return a rule that also writes the positions of what it finds into its tokens."""

    def record(state: StateInline, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        is_match = rule(state, silent)
        if not is_match or silent or len(state.tokens) == count:
            return is_match
        end, last, first = state.pos, state.tokens[-1], state.src[start]
        if first in "*_":
            for at, token in enumerate(state.tokens[start - end :], start):
                token.meta["at"] = at
            return True
        if first == "`":
            size, kind = len(last.markup), "monospace"
            inner, inner_end = start + size, end - size
        else:
            inner, kind = start + 1 + (first == "!"), "link"
            inner_end = state.md.helpers.parseLinkLabel(state, inner - 1, first == "[")
        last.meta["styles"] = (
            Style(start, inner, "markup"),
            Style(inner, inner_end, kind),
            Style(inner_end, end, "markup"),
        )
        return True

    return record
