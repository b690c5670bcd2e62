"""Formulas as MathML, which browsers draw by themselves: the site loads nothing from elsewhere."""

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)


def on_page_content(content: str, **_) -> str:
    """Replace what `pymdownx.arithmatex` marked as LaTeX."""
    return FORMULA.sub(lambda found: convert(html.unescape(found[1])), content)
