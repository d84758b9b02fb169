"""The roles of elements for display, by their names in common vocabularies.

The vocabularies are IEEE (INEX), JATS, TEI, DocBook, HTML, Bosak's plays, and the elements to which xcg
converts Markdown and plain text.
"""

from __future__ import annotations

_NAMES = {
    # Blocks that contain other blocks
    "section": (
        "sec ss1 ss2 ss3 ss4 abs abstract trans-abstract app ack bib ref-list glossary div "
        "div1 div2 div3 div4 div5 section sect1 sect2 sect3 sect4 sect5 chapter part appendix "
        "preface bibliography act scene prologue epilogue listbibl notes fn-group"
    ),
    "group": (
        "article front fm body bdy bm back app-group floats-group front-stub article-meta "
        "title-group tig tei teiheader filedesc titlestmt text html main header footer nav "
        "aside form book play table-wrap-foot personae pgroup lg sp speech verse-group info "
        "articleinfo bookinfo"
    ),
    "metadata": (
        "journal-meta article-categories article-id history permissions counts "
        "custom-meta-group funding-group pub-date volume issue elocation-id fpage lpage issn isbn "
        "kwd-group hdr fno doi publicationstmt sourcedesc encodingdesc profiledesc revisiondesc "
        "editionstmt author-notes supplement related-article self-uri aff affiliation "
        "object-id"
    ),
    "quote": "quote disp-quote blockquote epigraph cit boxed-text sidebar",
    "note": "fn en note footnote endnote footnotes tip warning caution important",
    "figure": ("fig figure fig-group informalfigure mediaobject supplementary-material media example"),
    "caption": "caption fgc figcaption figdesc",
    "list": (
        "list ul itemizedlist simplelist l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb-list lc ld le item-list menu"
    ),
    "ordered list": "ol orderedlist procedure",
    "definitions": "def-list dl variablelist glosslist deflist",
    "item": (
        "item list-item li listitem item-both item-bold item-diamond item-bullet item-numpara member"
    ),
    "definition": "def dd",
    "table": "table tbl tgroup informaltable table-wrap",
    "heading rows": "thead",
    "rows": "tbody tfoot",
    "row": "row tr",
    "cell": "cell td entry",
    "heading cell": "th",
    # Blocks of text
    "title": ("ti st title article-title atl head h h1 h2 h3 h4 h5 h6 h1a h2a bridgehead"),
    "subtitle": "subtitle alt-title trans-title playsubt",
    "paragraph": (
        "p p1 p2 p3 ip1 ip2 ip3 ip4 ip5 ilrj para simpara formalpara ab pdt license-p scndescr summary"
    ),
    "authors": "au contrib-group author authorgroup byline docauthor editor",
    "term": "term dt",
    "line": "l line verse-line persona grpdescr",
    "speaker": "speaker",
    "stage": "stage stagedir",
    "code": "code pre preformat programlisting screen literallayout synopsis eg",
    "formula": "disp-formula fd equation informalequation disp-formula-group tf",
    "reference": "ref bb bibl biblstruct biblfull biblioentry bibliomixed",
    "list label": "label",
    "graphic": "graphic img imagedata art pb",
    # Parts of a line
    "italic": "it italic i em emph emphasis hi cite citetitle var dfn foreign firstterm",
    "bold": "b bold strong",
    "underline": "underline u ins",
    "small capitals": "sc scp",
    "subscript": "sub subscript",
    "superscript": "sup super superscript",
    "monospace": (
        "tt monospace kbd samp literal command filename option constant function varname "
        "classname tex-math gi att"
    ),
    "link": "xref ext-link uri email a ulink link ptr url",
    "inline": (
        "span name surname given-names named-content styled-content bdi bdo small big abbr "
        "mark time data q rs persname placename date num inline-formula "
        "inlineequation formula fnm snm"
    ),
    "break": "br lb break",
    "rule": "hr",
    "math": "math",
}

ROLES = {name: role for role, names in _NAMES.items() for name in names.split()}
"""Local name in lower case → role."""

_INLINE = "italic,bold,underline,small capitals,subscript,superscript,monospace,link,inline,break,math"
INLINE_ROLES = frozenset(_INLINE.split(","))
"""Roles of parts of a line."""

_TEXT = (
    "title,subtitle,paragraph,authors,term,line,speaker,stage,code,formula,reference,list label,"
    "metadata"
)
TEXT_ROLES = INLINE_ROLES.union(_TEXT.split(","))
"""Roles of elements with running text: an element without a known role is a part of a line there."""

ROLES_IN_TEXT = {
    **dict.fromkeys(
        ("title", "subtitle", "metadata", "authors", "list label", "graphic", "reference", "quote"),
        "inline",
    ),
    "code": "monospace",
    "term": "italic",
}
"""Role → role of elements with the same names inside running text."""

_MATH_NAMES = (
    "math mrow mi mo mn mtext ms mspace mfrac msqrt mroot msub msup msubsup mover munder "
    "munderover mtable mtr mtd mstyle mpadded menclose mmultiscripts mprescripts"
)
MATH_NAMES = frozenset(_MATH_NAMES.split())
"""Elements of MathML that are displayed as formulas."""

MATH_TOKENS = frozenset(("mi", "mo", "mn", "mtext", "ms"))
"""Elements of MathML that contain text."""

ARIA_ROLES = {
    "figure": "figure",
    "note": "note",
    "list": "list",
    "ordered list": "list",
    "table": "table",
}
"""Role → ARIA role of a block that needs no particular parent."""

ARIA_ROLES_WITHIN = {
    "item": ("listitem", ("list", "ordered list")),
    "rows": ("rowgroup", ("table",)),
    "heading rows": ("rowgroup", ("table",)),
    "row": ("row", ("table", "rows", "heading rows")),
    "cell": ("cell", ("row",)),
    "heading cell": ("columnheader", ("row",)),
}
"""Role → ARIA role, and the roles of parents that it needs."""


HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
"""Name of a heading in HTML → its level."""
