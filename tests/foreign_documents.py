"""Small documents of the kinds that assessors stumbled over, and a topic for them."""

from __future__ import annotations

import json
from pathlib import Path

HTML = """<html><head><title>Hives</title></head><body><h1>Hives</h1>
<table><tr><td>home</td><td>about</td></tr><tr><td>news</td><td>bees</td></tr></table>
<p>Bees dance on the comb
and return to
the field. Then they rest.</p>
<p><img src="comb.png" alt="A comb with bees"> The comb.</p>
<table><tr><th colspan="2">dance</th><th>metres</th></tr>
<tr><td rowspan="2">round</td><td>near</td><td>50</td></tr>
<tr><td>far</td><td>100</td></tr></table>
</body></html>
"""
DOCBOOK = """<!DOCTYPE article [<!ENTITY hive "the hive">]>
<article><title>Keeping bees</title><section><title>Parts</title>
<para>Bees live in &hive; and leave
it in spring. They return.</para>
<programlisting>first line
second line</programlisting></section></article>
"""
MARKDOWN = """# Bees *dance*

- one **strong
  item** here
- see [the comb](https://example.org/comb)

1. First they dance. Then they rest.

Bees dance in `circles`
and in lines. They rest.
"""
HEBREW = """<html><body><h1>דבורים</h1><p>דבורים רוקדות בכוורת
כל היום. הן נחות בלילה.</p><p>An English paragraph.</p><ul><li>אחת</li></ul></body></html>
"""
JAPANESE = """<html><body><h1>蜜蜂</h1><p>蜜蜂は巣で踊る。仲間は見る！本当か？はい。</p></body></html>
"""
ODD = f"""<html><body><h1></h1><h3>Level three</h3><ul>text<ul><li>a</ul></ul><ol></ol><pre>{"x" * 400}
</pre><table><caption>empty</caption></table><table><tr></tr></table><table><thead><tr><th>a</table>
<table><tr><td>{"wide" * 300}</table><dl><dt>t<dd>d</dl><li>alone</li></body></html>
"""
LONG = (
    "<article><fm><ti>A long document</ti></fm><bdy>"
    + "".join(
        f"<sec><st>Section {number}</st>"
        + f"<p>Bees dance in place {number}. The dance is long.</p>" * 12
        + "</sec>"
        for number in range(1, 21)
    )
    + "</bdy></article>"
)
DOCUMENTS = {
    "docbook.xml": DOCBOOK,
    "hebrew.html": HEBREW,
    "hives.html": HTML,
    "japanese.html": JAPANESE,
    "long.xml": LONG,
    "notes.md": MARKDOWN,
    "odd.html": ODD,
    "other.xml": LONG.replace("Bees", "Wasps"),
}


def write_foreign(folder: Path) -> Path:
    """Write the documents, a topic and a run, and return the configuration of ``xcg judge``."""
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8", newline="")
    topic = {"id": "1", "title": "dance of bees", "description": "How do bees dance?"}
    (folder / "topics.jsonl").write_text(json.dumps(topic) + "\n", encoding="utf-8")
    results = [
        {"topic": "1", "doc": name.partition(".")[0], "start": 2, "end": 9, "score": 1}
        for name in DOCUMENTS
    ]
    (folder / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in results))
    config = folder / "judge.yaml"
    config.write_text(
        "corpus: docs\ntopics: {files: topics.jsonl}\nruns: [run.jsonl]\njudge: {assessors: [anna]}\n"
    )
    return config
