"""Measure the time for a document beyond its parsing: python benchmarks/documents.py FOLDER."""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from pathlib import Path

import networkx
from lxml import etree

from xcg.documents.parsing import parse_document, serialise, trees_of

REPEATS = 7


def main() -> None:
    """Print the ratios."""
    data = [file.read_bytes() for file in sorted(Path(sys.argv[1]).rglob("*.*ml"))]
    trees = [parse_document(octets) for octets in data]
    elements = sum(map(len, trees))
    print(f"{len(data)} documents, {elements} elements, {sum(map(len, data)) / 1e6:.1f} MB")

    columns, paths, graphs = [], [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for octets in data:
            etree.fromstring(octets)
        floor = time.perf_counter() - start
        start = time.perf_counter()
        trees = [parse_document(octets) for octets in data]
        columns.append((time.perf_counter() - start) / floor)
        start = time.perf_counter()
        for tree in trees:
            _ = tree.paths
        paths.append((time.perf_counter() - start) / floor)
    start = time.perf_counter()
    for tree in trees:
        networkx.descendants(tree, 0)
    graphs.append((time.perf_counter() - start) / elements)
    median = statistics.median
    print(f"parse and all columns    {median(columns):.2f} × lxml's parse alone")
    print(f"every path as a string   {median(paths):.2f} × more, when asked for")
    print(f"descendants in networkx  {median(graphs) * 1e6:.2f} µs an element")

    tracemalloc.start()
    kept = [tree for octets in data for tree in trees_of([serialise(octets)], [str])]
    print(
        f"columns in memory        {tracemalloc.get_traced_memory()[0] / elements:.0f} bytes an element"
    )
    del kept


if __name__ == "__main__":
    main()
