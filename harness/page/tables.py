"""Panels of facts and tables of numbers; all text arguments are escaped here."""

from collections.abc import Iterable, Sequence

from harness.page.document import escaped

TABLE_STYLES = ("harness.page", ("tables.css",))  # for Panel
MUTED = "muted-row"


def panel(name: str, title: str, hint: str, body: str) -> str:
    """Return the markup of a panel; ``hint`` and ``body`` are markup."""
    return (
        f'<section class="panel" id="{name}" aria-labelledby="{name}-title">'
        f'<div class="panel-head"><h2 id="{name}-title">{escaped(title)}</h2>'
        f'<p class="hint">{hint}</p></div><div class="table-panel">{body}</div></section>'
    )


def facts_list(rows: Iterable[tuple[str, str]]) -> str:
    """Return labels and texts as a list; an empty text if there are none."""
    cells = "".join(f"<dt>{escaped(label)}</dt><dd>{escaped(text)}</dd>" for label, text in rows)
    return f'<dl class="fact-list">{cells}</dl>' if cells else ""


def table(heads: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table; the rows are markup, as returned by ``row``."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in heads)
    return (
        f'<div class="scroll"><table class="data-table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(cells: Sequence[str], style: str = "") -> str:
    """Return a table row with its first cell as head; ``style`` is a class."""
    start = f'<tr class="{style}">' if style else "<tr>"
    rest = "".join(f"<td>{escaped(cell)}</td>" for cell in cells[1:])
    return f'{start}<th scope="row">{escaped(cells[0])}</th>{rest}</tr>'
