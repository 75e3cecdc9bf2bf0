"""Pictures by matplotlib, which is imported only if a picture is written."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.outputs import check_place
from harness.page.matplotlib_settings import default_settings
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
SUFFIXES = tuple(f".{file_format}" for file_format in FORMATS)
_DOTS_PER_INCH = 120
# What differs between times and versions.
_OMITTED_METADATA = {"svg": ("Date", "Creator"), "png": ("Software",)}


def picture_bytes(
    draw: "Callable[[Figure], None]", file_format: str, size_inches: tuple[float, float]
) -> bytes:
    """Return the picture that ``draw`` draws, as SVG or PNG; equal drawings give equal bytes.

    Texts are drawn literally, not as formulas. ``draw`` runs with another current directory.
    """
    with default_settings():
        import matplotlib as mpl  # noqa: PLC0415 - heavy

        mpl.use("agg")
        from matplotlib.figure import Figure  # noqa: PLC0415

        with mpl.rc_context(
            {"svg.hashsalt": "stallscope", "svg.fonttype": "none", "text.parse_math": False}
        ):
            figure = Figure(figsize=size_inches, layout="constrained")
            draw(figure)
            target = io.BytesIO()
            metadata: dict[str, Any] = dict.fromkeys(_OMITTED_METADATA[file_format])
            figure.savefig(target, format=file_format, dpi=_DOTS_PER_INCH, metadata=metadata)
        return target.getvalue()


def split_outputs(paths: Sequence[Path]) -> tuple[Path | None, tuple[Path, ...]]:
    """Return the directory of a recording, if there is one, and the picture files.

    Raises UsageError for a second directory, or for a picture that cannot be written there.
    """
    pictures = tuple(path for path in paths if path.suffix.lower() in SUFFIXES)
    directories = [path for path in paths if path not in pictures]
    if len(directories) > 1:
        raise UsageError(
            f"-o names two directories: {directories[0]} and {directories[1]}",
            f"name one directory; pictures end in {' or '.join(SUFFIXES)}",
        )
    for picture in pictures:
        check_place(picture)
    return (directories[0] if directories else None), pictures
