"""Results by cluster and data set, for a terminal."""

from collections.abc import Iterator, Sequence

from harness.bench.matrix.sections import MatrixSection
from harness.cli.terminal import printable


def section_lines(parts: Sequence[MatrixSection]) -> Iterator[str]:
    """Yield headings and rows, columns aligned over all sections."""
    width = max((len(row.name) for part in parts for row in part.rows), default=0)
    room = max((len(row.summary) for part in parts for row in part.rows), default=0)
    for part in parts:
        yield printable(part.heading)
        for row in part.rows:
            yield f"{printable(row.name):<{width}}  {row.summary:>{room}}"
        yield ""
