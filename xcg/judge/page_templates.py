"""Fill in the templates of pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

_FOLDER = Path(__file__).parent / "templates"


@cache
def environment() -> jinja2.Environment:
    """Return the templates. Every value is escaped, and an unknown name in a template is an error."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["number"] = _number
    return templates


def _number(value: float) -> str:
    """Write a value with three decimals, and a dash for NaN.

    >>> _number(0.12345), _number(float("nan"))
    ('0.123', '–')
    """
    return "–" if value != value else f"{value:.3f}"  # noqa: PLR0124 - only NaN differs from itself


def render_page(template: str, **values: object) -> str:
    """Return a page.

    Args:
        template: The name of a file in ``templates/``.
        values: The names in the template. The base of all pages needs ``breadcrumbs``, pairs of a name
            and a URL (None for the page itself), and ``person``, an assessor or None.
    """
    return environment().get_template(template).render(**values)
