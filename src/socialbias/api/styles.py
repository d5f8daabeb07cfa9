"""The look of pages that need no other file: that of a run's pages."""

from __future__ import annotations

from pathlib import Path

from socialbias.errors import UserError

CSS = Path(__file__).parents[1] / "reporting" / "page" / "page.css"
# The bars, in the colours of the page; and where a run's pages are laid out otherwise.
OWN_CSS = """
body { display: block; } /* there is no bar at the side, as a run's pages have */
main { max-width: 80rem; margin: 0 auto; }
td:last-child:not(.n) { min-width: 17rem; }
.bar { position: relative; width: 12rem; height: 1.1rem; display: inline-block; }
.bar i { position: absolute; top: .45rem; height: .2rem; background: var(--soft); }
.bar b { position: absolute; top: .2rem; width: .2rem; height: .7rem; background: var(--near); }
.bar u { position: absolute; top: 0; width: 1px; height: 1.1rem; background: var(--bad); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; }
h1, h2, p, dd { overflow-wrap: anywhere; }
dt { color: var(--soft); } dd { margin: 0; }
.lead { max-width: 52rem; }
"""


def styles() -> str:
    """Return the look of a run's pages, with bars."""
    try:
        return CSS.read_text("utf-8") + OWN_CSS
    except OSError as error:
        raise UserError(f"{CSS}: cannot be read ({error.strerror}): install again") from None
