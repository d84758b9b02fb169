"""Assessments written in the form of INEX 2004, a file a topic."""

from __future__ import annotations

from lxml import etree

from xcg.judgements.recall_base import RecallBase


def inex_2004(base: RecallBase, topic: str, pool: str = "") -> bytes:
    """Return the assessments of a topic as INEX 2004 XML: files by name, elements in document order.

    Raises ValueError for assessments that are not on the four-point scales.

    >>> base = RecallBase.of({"7": {"d": {"/a": (3, 1)}}})
    >>> print(inex_2004(base, "7").decode().splitlines()[3].strip())
    <path path="/a[1]" exhaustiveness="3" specificity="1"/>
    """
    root = etree.Element("assessments", {"pool": pool, "topic": topic} if pool else {"topic": topic})
    for file, elements in sorted(base.files(topic).items()):
        entry = etree.SubElement(root, "file", {"file": file})
        for path, assessment in elements.items():
            exhaustivity, specificity = assessment.exhaustivity, assessment.specificity
            if assessment.scale != "four-point" or not isinstance(specificity, float):
                raise ValueError(f"{path}: {assessment.label} is not on the scale of INEX 2004")
            grades = {"exhaustiveness": f"{exhaustivity:.0f}", "specificity": f"{specificity:.0f}"}
            etree.SubElement(entry, "path", {"path": path, **grades})
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
