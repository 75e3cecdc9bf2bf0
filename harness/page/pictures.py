"""From a drawing to the bytes of a picture: matplotlib, loaded only here and only when asked."""

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
_DOTS_PER_INCH = 120


def picture_bytes(
    draw: "Callable[[Figure], None]", file_format: str, size_inches: tuple[float, float]
) -> bytes:
    """Return what ``draw`` draws, as SVG or PNG: the same bytes for the same drawing.

    Every text is drawn as it is: none is read as a formula.
    """
    import matplotlib as mpl  # noqa: PLC0415 - heavy

    mpl.use("agg")
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(
        {"svg.hashsalt": "stallscope", "svg.fonttype": "none", "text.parse_math": False}
    ):
        figure = Figure(figsize=size_inches, layout="constrained")
        draw(figure)
        target = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None} if file_format == "svg" else {}
        figure.savefig(target, format=file_format, dpi=_DOTS_PER_INCH, metadata=metadata)
    return target.getvalue()
