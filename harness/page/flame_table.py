"""Tables of a page that need no script."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.page.document import escaped


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell: text, CSS class, and a bar of this share (0..1) unless it is None."""

    text: str
    look: str = ""
    bar: float | None = None


def _bar(share: float) -> str:
    width = f"{100 * min(1.0, max(0.0, share)):.2f}"
    return (
        '<svg class="bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="bar-self" width="{width}" height="3"/></svg>'
    )


def table(head: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """Return the markup of a table; every text is escaped."""

    def cells(tag: str, row: Sequence[Cell]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        return "".join(
            f'<{tag}{scope} class="{cell.look}">'
            f"{'' if cell.bar is None else _bar(cell.bar)}{escaped(cell.text)}</{tag}>"
            for cell in row
        )

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead>\n<tbody>{body}</tbody></table>"
