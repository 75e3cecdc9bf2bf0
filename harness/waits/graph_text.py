"""The causes of waits for a terminal: the chain to each cause with its times."""

from collections.abc import Iterator, Sequence

from harness.cli.terminal import percent, printable, wrapped
from harness.waits.result import WaitCause, WaitForGraph
from stallscope.quantities import share_text, value_text

KIND_TEXTS = {
    "thread": "thread, while it runs",
    "process": "thread of another process",
    "run_queue": "thread that waits for a CPU",
    "disk": "disk",
    "network": "network",
    "sleep": "thread that sleeps while others wait for it",
    "interrupt": "interrupt",
    "unknown": "thread whose own wait has no recorded cause",
    "cycle": "thread in a cycle of waits",
    "cpu": "used the CPU of threads that could run",
    "throttle": "quota of the cgroup",
    "steal": "took the CPU",
}
_WITHIN_GROUP = {
    "thread": "its threads wait for each other while one of them runs",
    "run_queue": "its threads wait for each other while one of them waits for a CPU",
}
CPU_KINDS = ("cpu", "throttle", "steal")  # not waits of the graph
SHOWN_CAUSES = 10
LEAST_KNOT_SHARE = 0.1  # of the waits


def cause_text(cause: WaitCause) -> str:
    """Return a cause in words: "middle (thread, while it runs)"."""
    name = printable(cause.name)
    words = KIND_TEXTS.get(cause.kind, cause.kind)
    if _within_group(cause):
        words = _WITHIN_GROUP.get(cause.kind, words)
    if 0 < cause.confidence < 1:
        words += f"; sender inferred, confidence {cause.confidence:.2f}"
    return name if name == words else f"{name} ({words})"


def _within_group(cause: WaitCause) -> bool:
    """Return whether the threads that wait and those that they wait for have the same name."""
    return len(cause.chain) == 1 and cause.chain[0].name == cause.name


def chain_text(cause: WaitCause) -> str:
    """Return the chain with the time of each step: "victim -> holder 1.20 s -> disk 1.10 s".

    Empty for a chain of one step, which the cause names already.
    """
    if len(cause.chain) < 2:
        return ""
    first, *others = cause.chain
    steps = (f"{printable(link.name)} {value_text(link.wait_ns, 'ns')}" for link in others)
    return " -> ".join((printable(first.name), *steps))


def whole_ns(causes: Sequence[WaitCause], graph: WaitForGraph) -> int:
    """Return the time of which causes have shares: waits, and time in which threads could run."""
    return graph.wait_ns + sum(row.wait_ns for row in causes if row.kind in CPU_KINDS)


def lines(
    causes: Sequence[WaitCause], graph: WaitForGraph, width: int, shown: int = SHOWN_CAUSES
) -> Iterator[str]:
    """Yield the causes in order of cost with their chains, the knots and the missing edges."""
    if not causes:
        yield "Causes: no wait of a working thread has a recorded cause."
    else:
        yield "Causes of waits, in order of cost (the ends of the chains of waits):"
    all_ns = whole_ns(causes, graph)
    for place, cause in enumerate(causes[:shown], 1):
        share = percent(cause.wait_ns / all_ns) if all_ns else ""
        cost = value_text(cause.wait_ns, "ns")
        yield from wrapped(f"{place:3}. {cost:>8} {share:>7}  {cause_text(cause)}", width, " " * 23)
        if chain := chain_text(cause):
            yield from wrapped(f"{' ' * 23}{chain}", width, " " * 25)
    if len(causes) > shown:
        yield f"     {len(causes) - shown} further causes are in the document (--json)."
    yield from _remarks(causes, graph, width)


def weighty_knots(causes: Sequence[WaitCause], graph: WaitForGraph) -> list[tuple[str, ...]]:
    """Return the knots at which a part of the waits ends that is worth a sentence."""
    least_ns = LEAST_KNOT_SHARE * graph.wait_ns
    weight: dict[str, int] = {}
    for cause in causes:
        weight[cause.name] = weight.get(cause.name, 0) + cause.wait_ns
    return [knot for knot in graph.knots if sum(weight.get(name, 0) for name in knot) >= least_ns]


def _remarks(causes: Sequence[WaitCause], graph: WaitForGraph, width: int) -> Iterator[str]:
    for knot in weighty_knots(causes, graph):
        names = ", ".join(printable(name) for name in knot)
        if not graph.edges or any(edge.waiter not in knot for edge in graph.edges):
            yield from wrapped(f"All others wait, directly or not, for: {names}", width, "  ")
    if graph.unexplained_ns and graph.wait_ns:
        share = share_text(graph.unexplained_ns / graph.wait_ns)
        yield from wrapped(
            f"Without a recorded cause: {value_text(graph.unexplained_ns, 'ns')}, {share} of the "
            "waits.",
            width,
            "  ",
        )
    if graph.followed_share < 1:
        yield from wrapped(
            f"Random periods with {share_text(graph.followed_share)} of the waits were followed; "
            "the times are scaled to all waits.",
            width,
            "  ",
        )
    for missing in graph.missing:
        yield from wrapped(f"missing edges: {missing}", width, "  ")
