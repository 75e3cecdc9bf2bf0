"""Tables of a page that need no script."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup
from msgspec import Struct

from harness.page.document import fragment


class Cell(Struct, frozen=True):
    """A table cell: text, CSS class, and a bar of this share (0..1) unless it is None."""

    text: str
    look: str = ""
    bar: float | None = None


def table(head: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> Markup:
    """Return the markup of a table; every text is escaped."""
    return fragment("harness.page/flame_table.html", head=head, rows=rows)
