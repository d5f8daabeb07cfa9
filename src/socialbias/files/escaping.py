"""Text of people or files, made harmless where LaTeX, Markdown or a spreadsheet would run it."""

from __future__ import annotations

import re
from html import escape

FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what begins so is run by spreadsheets
LATEX = {ord(c): f"\\{c}" for c in "&%$#_{}"}
LATEX |= {ord("~"): r"\textasciitilde{}", ord("^"): r"\textasciicircum{}"}
LATEX |= {ord("\\"): r"\textbackslash{}", ord("|"): r"\textbar{}"}
LATEX |= {ord("<"): r"\textless{}", ord(">"): r"\textgreater{}", ord('"'): "''"}
LATEX |= {ord("−"): "$-$", ord("≤"): r"$\le$", ord("ρ"): r"$\rho$", ord("²"): "$^2$"}
LATEX |= {ord("["): "{[}", ord("]"): "{]}", ord("×"): r"$\times$", ord("φ"): r"$\phi$"}
LATEX |= {ord("–"): "--", ord("…"): r"\dots{}", ord("α"): r"$\alpha$", ord("κ"): r"$\kappa$"}
LATEX |= {ord("∞"): r"$\infty$", ord("√"): r"$\surd$", ord("Δ"): r"$\Delta$"}

MARKDOWN = re.compile(r"([\\`*_\[\]|~$])")


def for_latex(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(LATEX)


def for_bibtex(text: str) -> str:
    """Text as `for_latex`; BibTeX counts braces, also those behind a backslash."""
    escaped = for_latex(text)
    return escaped.replace(r"\{", r"\textbraceleft{}").replace(r"\}", r"\textbraceright{}")


def for_markdown(text: str) -> str:
    """Text that Markdown, and the HTML made of it, show as it is."""
    return MARKDOWN.sub(r"\\\1", escape(text, quote=False))


def for_csv(text: str) -> str:
    """Text behind an apostrophe if a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(FORMULAS) else text
