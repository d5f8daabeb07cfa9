"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

from docutils import nodes
from latex2mathml.converter import convert


def _inline(translator, node) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _displayed(translator, node) -> None:
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


def setup(app) -> dict:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
