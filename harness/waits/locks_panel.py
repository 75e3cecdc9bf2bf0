"""The panel "Locks": locks with owners and signs, waiting functions, and idle threads."""

from harness.page.document import fragment
from harness.page.panels import TABLE_STYLE, Panel
from harness.waits.locks_text import owner_text
from harness.waits.result import LockWaits, WaitsResult
from stallscope.printable import visible_text
from stallscope.quantities import value_text

MAX_LOCKS = 20
MAX_FUNCTIONS = 20
MAX_NAME = 72


def locks_panels(result: WaitsResult) -> list[Panel]:
    """Return the panel; none if no thread waited for a lock and no thread is idle."""
    if not (result.locks or result.kernel_locks or result.idle_pools):
        return []
    markup = fragment(
        "harness.waits/locks_panel.html",
        locks=[_lock_row(lock) for lock in result.locks[:MAX_LOCKS]],
        functions=[
            (
                visible_text(function.function, MAX_NAME),
                value_text(function.inclusive_ns, "ns"),
                value_text(function.attributed_ns, "ns"),
                f"{function.waits:,}",
            )
            for function in result.lock_functions[:MAX_FUNCTIONS]
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


def _lock_row(lock: LockWaits) -> tuple[str, str, str, str]:
    signs = "".join(f"; {sign}" for sign in lock.signs)
    name = f"{lock.kind} {lock.address}"
    return name, value_text(lock.wait_ns, "ns"), f"{lock.waits:,}", owner_text(lock) + signs
