"""A figure that notebooks show; imported only when one is drawn, since it needs Matplotlib."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure that a notebook shows inline, also where pyplot was never imported."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()
