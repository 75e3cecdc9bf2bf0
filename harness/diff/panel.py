"""The page of `stallscope diff`: the table first, then the flame graph by change."""

from markupsafe import Markup

from harness.diff.flame import STYLE as FLAME_COLOURS
from harness.diff.result import DiffResult
from harness.diff.text import BASES, heads, shown_rows, side_text, table_cells, verdict_text
from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Head, Panel, render_panels
from topdown.stacks.flame.svg import STYLE as FLAME_STYLE

MAX_ROWS = 200


def diff_page(result: DiffResult, flame: Markup | None) -> str:
    """Return the page, to be written as UTF-8."""
    head = Head(
        "Differences of two recordings", "", "diff", f"measured; {BASES[result.basis]}", "diff"
    )
    rules = "" if flame is None else flame_rules()
    return render_panels([diff_panel(result, flame)], head, {}, rules=rules)


def flame_rules() -> str:
    """Return the CSS of the graph; it is nested, because its class names are generic."""
    return f".diff-flame svg {{{FLAME_STYLE}{FLAME_COLOURS}}}"


def diff_panel(result: DiffResult, flame: Markup | None) -> Panel:
    """Return the panel "Differences"; ``flame`` is the rendered picture, if there is one."""
    rows = shown_rows(result, MAX_ROWS)
    markup = fragment(
        "harness.diff/panel.html",
        hint=f"{result.kind}, {BASES[result.basis]}",
        facts=[
            ("A", side_text(result.a)),
            ("B", side_text(result.b)),
            ("hosts", " / ".join(dict.fromkeys((result.a.host, result.b.host)))),
        ],
        texts=[verdict_text(result)],
        heads=heads(result),
        rows=table_cells(rows, result.unit),
        muted=[n for n, row in enumerate(rows) if not (row.flagged or row.total_flagged)],
        warnings=result.warnings,
        flame=flame or "",
    )
    return Panel(markup, (TABLE_STYLE, ("harness.diff", ("diff.css",))))
