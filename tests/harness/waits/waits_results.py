"""Documents of waits for tests of texts and pages."""

from typing import Any

from harness.waits.result import (
    CauseLink,
    GraphEdge,
    LockCaller,
    LockOwner,
    LockWaits,
    WaitCause,
    WaitForGraph,
    WaitsResult,
)

MS = 1_000_000
HOSTILE = '<script>x</script>\x1b[31m"&'


def links(*steps: tuple[str, int]) -> tuple[CauseLink, ...]:
    """Return a chain of (name, milliseconds)."""
    return tuple(CauseLink(name=name, wait_ns=time * MS) for name, time in steps)


def cause(kind: str, name: str, time: int, *steps: tuple[str, int]) -> WaitCause:
    """Return a cause of ``time`` milliseconds."""
    return WaitCause(kind=kind, name=name, wait_ns=time * MS, chain=links(*steps))


def edge(waiter: str, target: str, time: int) -> GraphEdge:
    """Return an edge of ``time`` milliseconds."""
    return GraphEdge(waiter=waiter, cause=target, wait_ns=time * MS)


def graph(*edges: GraphEdge, **changes: Any) -> WaitForGraph:
    """Return a wait-for graph."""
    values: dict[str, Any] = {
        "edges": edges,
        "knots": (),
        "wait_ns": 1000 * MS,
        "unexplained_ns": 0,
        "missing": (),
        "followed_share": 1.0,
        **changes,
    }
    return WaitForGraph(**values)


def lock(**changes: Any) -> LockWaits:
    """Return a mutex with an owner."""
    owner = LockOwner(tid=11, name="hog", stack=("hash", "insert"), stack_source="at the switch")
    values: dict[str, Any] = {
        "address": "0x5000",
        "kind": "mutex",
        "wait_ns": 20 * MS,
        "waits": 2,
        "owner": owner,
        "callers": (LockCaller(function="insert", attributed_ns=20 * MS, inclusive_ns=20 * MS),),
        **changes,
    }
    return LockWaits(**values)


def waits_result(**changes: Any) -> WaitsResult:
    """Return a result with one cause."""
    values: dict[str, Any] = {
        "title": "server",
        "wall_ns": 2000 * MS,
        "threads": (),
        "groups": (),
        "locks": (lock(),),
        "causes": (cause("disk", "disk", 900, ("victim", 950), ("holder", 950), ("disk", 900)),),
        "idle_pools": (),
        "run_queue": (),
        "timeline": None,
        "graph": graph(edge("victim", "holder", 950), edge("holder", "disk", 900)),
        "unattributed_share": 0.0,
        "sources": (),
        "missing": (),
        "warnings": (),
        "recording": "run",
        "report": None,
        **changes,
    }
    return WaitsResult(**values)
