"""Comparison of expected answers with the node names of any source.

Expected answers (docs/kernels.md) are paths of common words; vendors and the modelled source have
their own names for the same nodes.
"""

from collections.abc import Iterable

from topdown.slots.measurement import Kind, Measurement

UNEXPLAINED = "unexplained"
_MEMORY = "memory_bound"
_CORE = "core_bound"
_LEVELS = ("l1", "l2", "l3", "dram")
_ROOTS = ("retiring", "bad_speculation", "frontend_bound", "backend_bound", UNEXPLAINED)
# Lower-case names of nodes that expected answers call differently.
_COMMON_WORDS = {
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
_KNOWN = frozenset(
    (*_ROOTS, *_LEVELS, *_COMMON_WORDS.values(), "fetch_latency", "branch_mispredicts")
)


def common_path(names: Iterable[str]) -> tuple[str, ...]:
    """Return a path of nodes in common words, up to the first node without one."""
    words: list[str] = []
    for name in names:
        word = _COMMON_WORDS.get(name.lower(), name.lower())
        if word not in _KNOWN:
            break
        if word in _LEVELS and _MEMORY not in words:
            words.append(_MEMORY)
        if word not in words:
            words.append(word)
    return tuple(words)


def diagnosed_path(measurement: Measurement) -> tuple[str, ...] | None:
    """Return the answer of a measurement in common words; None without an answer.

    If no loss is marked and retiring is the largest of level 1, the answer is retiring.
    """
    if measurement.kind is Kind.UNAVAILABLE:
        return None
    if measurement.bottleneck:
        return common_path(measurement.bottleneck) or None
    roots = [node for node in measurement.nodes if node.level == 1 and node.value is not None]
    if not roots:
        return None
    largest = max(roots, key=lambda node: node.value or 0.0)
    path = common_path((largest.name,))
    return path if path in (("retiring",), (UNEXPLAINED,)) else None


def is_right(expected: str, answer: tuple[str, ...], measurement: Measurement) -> bool:
    """Return whether an answer matches the expected one.

    A deeper answer is right if it lies below the expected one. A shallower one is right if the
    source has no deeper nodes there.
    """
    path = tuple(expected.split("/"))
    if answer[: len(path)] == path:
        return True
    if path[: len(answer)] != answer:
        return False
    deeper = path[: len(answer) + 1]
    return all(
        common_path(_path_to(node.name, measurement))[: len(deeper)] != deeper
        for node in measurement.nodes
    )


def _path_to(name: str, measurement: Measurement) -> tuple[str, ...]:
    parents = {node.name: node.parent for node in measurement.nodes}
    path: list[str] = []
    current: str | None = name
    while current is not None and current not in path:
        path.append(current)
        current = parents.get(current)
    return tuple(reversed(path))


def shortened(answer: tuple[str, ...], expected: str) -> str:
    """Return an answer as a path; a right one is cut to the depth of the expected answer."""
    path = expected.split("/")
    depth = len(path) if answer[: len(path)] == tuple(path) else len(answer)
    return "/".join(answer[:depth])
