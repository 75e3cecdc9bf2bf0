"""The words of expected answers, found in the node names of any source, and compared.

Expected answers (docs/kernels.md) are paths in common words; vendors and the modelled source call
the same nodes by their own names.
"""

from collections.abc import Iterable

from topdown.slots.measurement import Kind, Measurement

UNEXPLAINED = "unexplained"
_MEMORY = "memory_bound"
_CORE = "core_bound"
_LEVELS = ("l1", "l2", "l3", "dram")
_ROOTS = ("retiring", "bad_speculation", "frontend_bound", "backend_bound", UNEXPLAINED)
# Names of nodes, in lower case, that mean what an expected answer calls otherwise.
_WORDS = {
    "backend_bound_memory": _MEMORY, "backend_bound_by_memory": _MEMORY,
    "backend_bound_cpu": _CORE, "backend_bound_by_cpu": _CORE,
    "core_dependency": _CORE, "divider": _CORE, "execution_units": _CORE,
    "ports_utilization": _CORE,
    "l1_bound": "l1", "l1_latency": "l1", "l2_bound": "l2", "l3_bound": "l3",
    "l3_miss_bound": "dram", "dram_bound": "dram", "dram_bandwidth": "dram", "dram_latency": "dram",
    "bad_speculation_mispredicts": "branch_mispredicts",
    "bad_speculation_from_mispredicts": "branch_mispredicts",
    "frontend_bound_latency": "fetch_latency", "frontend_bound_by_latency": "fetch_latency",
    "icache_misses": "fetch_latency",
}  # fmt: skip
_KNOWN = frozenset((*_ROOTS, *_LEVELS, *_WORDS.values(), "fetch_latency", "branch_mispredicts"))


def in_answers_words(path: Iterable[str]) -> tuple[str, ...]:
    """Return a marked path in the words of expected answers, up to the first that has none."""
    words: list[str] = []
    for name in path:
        word = _WORDS.get(name.lower(), name.lower())
        if word not in _KNOWN:
            break
        if word in _LEVELS and _MEMORY not in words:
            words.append(_MEMORY)
        if word not in words:
            words.append(word)
    return tuple(words)


def found_in(measurement: Measurement) -> tuple[str, ...] | None:
    """Return what a measurement says, in the words of expected answers; None where nothing.

    Where no loss is marked and retiring is the greatest of level 1, retiring is what it says.
    """
    if measurement.kind is Kind.UNAVAILABLE:
        return None
    if measurement.bottleneck:
        return in_answers_words(measurement.bottleneck) or None
    roots = [node for node in measurement.nodes if node.level == 1 and node.value is not None]
    if not roots:
        return None
    greatest = max(roots, key=lambda node: node.value or 0.0)
    words = in_answers_words((greatest.name,))
    return words if words in (("retiring",), (UNEXPLAINED,)) else None


def is_right(expected: str, found: tuple[str, ...], measurement: Measurement) -> bool:
    """Return whether what was found is the expected answer.

    A deeper answer is right where it lies below the expected one; one less deep where the source
    has no deeper nodes there.
    """
    wanted = tuple(expected.split("/"))
    if found[: len(wanted)] == wanted:
        return True
    if wanted[: len(found)] != found:
        return False
    below = wanted[: len(found) + 1]
    return all(
        in_answers_words(_path_to(node.name, measurement))[: len(below)] != below
        for node in measurement.nodes
    )


def _path_to(name: str, measurement: Measurement) -> tuple[str, ...]:
    parents = {node.name: node.parent for node in measurement.nodes}
    path: list[str] = []
    at: str | None = name
    while at is not None and at not in path:
        path.append(at)
        at = parents.get(at)
    return tuple(reversed(path))


def cut(found: tuple[str, ...], expected: str) -> str:
    """Return what was found as a path, no deeper than the expected answer where that is right."""
    wanted = expected.split("/")
    deep = len(wanted) if found[: len(wanted)] == tuple(wanted) else len(found)
    return "/".join(found[:deep])
