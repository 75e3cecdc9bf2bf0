"""The panels on wakers and idle pools of the page of off-CPU time."""

from markupsafe import Markup

from harness.page.document import fragment
from harness.page.flame_table import Cell, table
from harness.profile.off_cpu import OffCpuFacts
from stallscope.printable import visible_text
from stallscope.quantities import share_text, value_text
from topdown.stacks.flame.names import function_text

WAKERS_SHOWN = 40
_NAME_LIMIT = 300


def off_cpu_panel(facts: OffCpuFacts) -> Markup:
    """Return the panels; without idle pools the second one is left out."""
    top_wakers = facts.wakers[:WAKERS_SHOWN]
    hint = "by blocking functions and by what ended the wait; time in the run queue is left out"
    if len(top_wakers) < len(facts.wakers):
        hint += f"; {len(top_wakers)} of {len(facts.wakers):,}"
    return fragment(
        "harness.profile/off_cpu_panel.html",
        hint=hint,
        wakers=_wakers(facts),
        missing=facts.missing_wakers,
        rule=facts.pools[0].rule if facts.pools else "",
        pools=_pools(facts) if facts.pools else Markup(),
    )


def _wakers(facts: OffCpuFacts) -> Markup:
    whole = max(1, sum(share.wait_ns for share in facts.wakers))
    head = [Cell("Share", "number"), Cell("Time", "number"), Cell("Waits", "number")]
    head += [Cell("Thread"), Cell("Waits in (innermost first)"), Cell("Ended by")]
    head += [Cell("In the waker's functions")]
    rows = [
        (
            Cell(share_text(share.wait_ns / whole), "number", share.wait_ns / whole),
            Cell(value_text(share.wait_ns, "ns"), "number"),
            Cell(f"{share.waits:,}", "number soft"),
            Cell(visible_text(share.thread, 64), "name"),
            Cell(_chain(share.chain), "name"),
            Cell(visible_text(share.waker, 128), "module"),
            Cell(_chain(share.waker_chain), "name"),
        )
        for share in facts.wakers[:WAKERS_SHOWN]
    ]
    return table(head, rows)


def _chain(functions: tuple[str, ...]) -> str:
    return " \u2190 ".join(function_text(name, 80) for name in functions) or "not recorded"


def _pools(facts: OffCpuFacts) -> Markup:
    head = [Cell("Threads", "number"), Cell("Time", "number"), Cell("Name"), Cell("Process")]
    head += [Cell("Waits in")]
    rows = [
        (
            Cell(f"{pool.threads:,}", "number"),
            Cell(value_text(pool.wall_ns, "ns"), "number"),
            Cell(visible_text(pool.name, 64), "name"),
            Cell(visible_text(pool.process, 64), "module"),
            Cell(function_text(pool.place, _NAME_LIMIT) if pool.place else "not recorded", "name"),
        )
        for pool in facts.pools
    ]
    return table(head, rows)
