"""Causes, locks and idle pools for a terminal, below the table of states."""

from collections.abc import Iterator

from harness.waits import ended_text, graph_text, locks_text
from harness.waits.result import WaitsResult

SHORT_CAUSES = 3
SHORT_LOCKS = 3


def wait_lines(result: WaitsResult, width: int, *, graph: bool) -> Iterator[str]:
    """Yield the first causes and locks; with ``graph`` all causes, chains and functions."""
    if result.graph is not None:
        causes = len(result.causes) if graph else SHORT_CAUSES
        yield from graph_text.lines(result.causes, result.graph, width, causes)
    if result.ended_waits:
        yield ""
        waits = ended_text.SHOWN_WAITS if graph else ended_text.SHORT_WAITS
        unavailable = result.wakers_unavailable
        yield from ended_text.lines(result.ended_waits, unavailable, width, waits)
    if result.locks or graph:
        yield ""
        locks = locks_text.SHOWN_LOCKS if graph else SHORT_LOCKS
        yield from locks_text.lines(result.locks, width, locks)
    if graph:
        yield from locks_text.function_lines(result.lock_functions, width)
    yield from locks_text.spin_lines(result.spinning, width)
    if result.kernel_locks:
        yield ""
        yield from locks_text.kernel_lock_lines(result.kernel_locks)
    if result.idle_pools:
        yield ""
        yield from locks_text.pool_lines(result.idle_pools, width)
