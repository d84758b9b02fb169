"""Configuration of Sphinx, which builds the manual: ``sphinx-build -W docs build/site``."""

from __future__ import annotations

import sys
from pathlib import Path

import xcg

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "xcg"
author = "The xcg developers"
copyright = "the xcg developers"  # noqa: A001 - a name that Sphinx reads
release = xcg.__version__
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "mathml",
    "api_references",
    "commands",
    "definitions",
]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_mock_imports = ["haystack", "langchain_core", "llama_index", "pydantic"]
python_maximum_signature_line_length = 80  # longer signatures have one argument per line
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_attr_annotations = False  # the signature of the class states the types

copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["start.css"]
html_title = f"xcg {release}"
html_math_renderer = "mathml"  # needs no script and no network
html_search_scorer = str(Path(__file__).parent / "extensions" / "search_ranking.js")
html_show_sphinx = False
