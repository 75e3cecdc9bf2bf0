"""The panel "Locks": locks with owners and signs, waiting functions, and idle threads."""

from dataclasses import dataclass

from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel
from harness.waits.binned import BinnedValues
from harness.waits.cells import Cells, NumberCell
from harness.waits.ended_text import functions_text, plain_name
from harness.waits.locks_text import SHOWN_NEIGHBOURS, holds_text, owner_text
from harness.waits.result import CauseLink, KernelLockWaits, LockFunction, LockWaits, WaitsResult
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
    cells: tuple[NumberCell, ...]
    texts: tuple[str, ...]


def locks_panels(result: WaitsResult, binned: BinnedValues | None = None) -> list[Panel]:
    """Return the panel; none if no thread waited for a lock and no thread is idle.

    ``binned``: values by time, to select a period.
    """
    cells = Cells(binned)
    parts = (result.locks, result.kernel_locks, result.idle_pools, result.spinning)
    if not any(parts):
        return []
    markup = fragment(
        "harness.waits/locks_panel.html",
        lock_heads=LOCK_HEADS,
        locks=[_lock_row(lock, cells) for lock in result.locks[:MAX_LOCKS]],
        functions=[
            _function_row(function, cells) for function in result.lock_functions[:MAX_FUNCTIONS]
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
        kernel_locks=[_kernel_row(lock, cells) for lock in result.kernel_locks[:MAX_LOCKS]],
        pools=[
            (f"{pool.process}/{pool.name}", f"{pool.threads:,}", pool.place)
            for pool in result.idle_pools
        ],
        rule=result.idle_pools[0].rule if result.idle_pools else "",
    )
    return [Panel(markup, (TABLE_STYLE, ("harness.waits", ("graph.css",))))]


def _links(links: tuple[CauseLink, ...]) -> str:
    return ", ".join(
        f"{functions_text([link.name])} {value_text(link.wait_ns, 'ns')}"
        for link in links[:SHOWN_NEIGHBOURS]
    )


def _function_row(function: LockFunction, cells: Cells) -> tuple[str | NumberCell, ...]:
    key = ("function", function.function)
    return (
        visible_text(plain_name(function.function), MAX_NAME),
        cells.time(function.inclusive_ns, key),
        cells.time(function.attributed_ns, (*key, "attributed")),
        cells.count(function.waits, key),
        _links(function.callers),
        _links(function.callees),
    )


def _kernel_row(lock: KernelLockWaits, cells: Cells) -> tuple[str | NumberCell, ...]:
    key = ("kernel", lock.address, lock.kind, lock.function)
    name = f"{lock.kind} {lock.address}"
    return name, cells.time(lock.wait_ns, key), cells.count(lock.waits, key), lock.function


def _lock_row(lock: LockWaits, cells: Cells) -> LockRow:
    key = ("lock", lock.address, lock.kind)
    woken = lock.woken_per_wake_up
    count = sum(hold.holds for hold in lock.holds)
    mean_ns = sum(hold.mean_ns * hold.holds for hold in lock.holds) / count if count else 0
    return LockRow(
        name=f"{lock.kind} {lock.address}",
        cells=(
            cells.time(lock.wait_ns, key),
            cells.count(lock.waits, key),
            NumberCell(f"{lock.waiters:,}" if lock.waiters else ""),
            NumberCell(value_text(lock.longest_ns, "ns") if lock.longest_ns else ""),
            NumberCell("" if woken is None else f"{woken:.1f}"),
            NumberCell(value_text(round(mean_ns), "ns") if count else ""),
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
