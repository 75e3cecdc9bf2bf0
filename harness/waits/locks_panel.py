"""The panel "Locks": locks with owners and signs, waiting functions, and idle threads."""

from dataclasses import dataclass

from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel
from harness.waits.locks_text import SHOWN_NEIGHBOURS, holds_text, owner_text
from harness.waits.result import CauseLink, LockWaits, WaitsResult
from stallscope.printable import visible_text
from stallscope.quantities import share_text, value_text

MAX_LOCKS = 20
MAX_FUNCTIONS = 20
MAX_NAME = 72
LOCK_HEADS = (
    "Object",
    "Wait time",
    "Waits",
    "Threads",
    "Longest",
    "Woken per wake-up",
    "Mean hold",
)


@dataclass(frozen=True, slots=True)
class LockRow:
    """A lock: its numbers, and texts on its owner, hold times and signs."""

    name: str
    cells: tuple[str, ...]
    texts: tuple[str, ...]


def locks_panels(result: WaitsResult) -> list[Panel]:
    """Return the panel; none if no thread waited for a lock and no thread is idle."""
    parts = (result.locks, result.kernel_locks, result.idle_pools, result.spinning)
    if not any(parts):
        return []
    markup = fragment(
        "harness.waits/locks_panel.html",
        lock_heads=LOCK_HEADS,
        locks=[_lock_row(lock) for lock in result.locks[:MAX_LOCKS]],
        functions=[
            (
                visible_text(function.function, MAX_NAME),
                value_text(function.inclusive_ns, "ns"),
                value_text(function.attributed_ns, "ns"),
                f"{function.waits:,}",
                _links(function.callers),
                _links(function.callees),
            )
            for function in result.lock_functions[:MAX_FUNCTIONS]
        ],
        spinning=[
            (
                visible_text(spin.function, MAX_NAME),
                f"{spin.threads:,}",
                value_text(spin.cpu_ns, "ns"),
                share_text(spin.share),
            )
            for spin in result.spinning
        ],
        kernel_locks=[
            (
                f"{lock.kind} {lock.address}",
                value_text(lock.wait_ns, "ns"),
                f"{lock.waits:,}",
                lock.function,
            )
            for lock in result.kernel_locks[:MAX_LOCKS]
        ],
        pools=[
            (f"{pool.process}/{pool.name}", f"{pool.threads:,}", pool.place)
            for pool in result.idle_pools
        ],
        rule=result.idle_pools[0].rule if result.idle_pools else "",
    )
    return [Panel(markup, (TABLE_STYLE, ("harness.waits", ("graph.css",))))]


def _links(links: tuple[CauseLink, ...]) -> str:
    return ", ".join(
        f"{visible_text(link.name, MAX_NAME)} {value_text(link.wait_ns, 'ns')}"
        for link in links[:SHOWN_NEIGHBOURS]
    )


def _lock_row(lock: LockWaits) -> LockRow:
    woken = lock.woken_per_wake_up
    count = sum(hold.holds for hold in lock.holds)
    mean_ns = sum(hold.mean_ns * hold.holds for hold in lock.holds) / count if count else 0
    return LockRow(
        name=f"{lock.kind} {lock.address}",
        cells=(
            value_text(lock.wait_ns, "ns"),
            f"{lock.waits:,}",
            f"{lock.waiters:,}" if lock.waiters else "",
            value_text(lock.longest_ns, "ns") if lock.longest_ns else "",
            "" if woken is None else f"{woken:.1f}",
            value_text(round(mean_ns), "ns") if count else "",
        ),
        texts=tuple(
            text
            for text in (
                owner_text(lock),
                holds_text(lock),
                *(f"sign: {sign}" for sign in lock.signs),
            )
            if text
        ),
    )
