"""Accesses by the node of the CPU and the node of the memory."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.cpu_lists import cpus_in_list
from topdown.data.accesses import LEVELS, Accesses, MemoryLevel

if TYPE_CHECKING:
    from stallscope._native import MemoryNode

_MAX_NODES = 64


@dataclass(frozen=True, slots=True)
class NodePair:
    """The accesses from the CPUs of one node to the memory of another, beyond the caches."""

    cpu_node: int
    memory_node: int
    accesses: int
    mean_latency: float | None  # cycles; None if not recorded


@dataclass(frozen=True, slots=True)
class NodeMatrix:
    """Accesses by pair of nodes; ``unknown``: of accesses whose node is not known."""

    pairs: tuple[NodePair, ...]
    unknown: int


def node_matrix(accesses: Accesses, nodes: "list[MemoryNode]") -> NodeMatrix | None:
    """Return the accesses to memory by node; None if the recording describes no nodes.

    The node of the memory is that of the physical address.
    """
    nodes = nodes[:_MAX_NODES]
    if not nodes:
        return None
    memory = (LEVELS.index(MemoryLevel.MEMORY), LEVELS.index(MemoryLevel.REMOTE_MEMORY))
    rows = np.flatnonzero(np.isin(accesses.level, memory))
    cpu_nodes = _cpu_nodes(accesses.cpu[rows], nodes)
    memory_nodes = _memory_nodes(accesses.physical[rows], nodes)
    has_nodes = (cpu_nodes >= 0) & (memory_nodes >= 0)
    pairs = []
    for cpu_node in np.unique(cpu_nodes[has_nodes]).tolist():
        for memory_node in np.unique(memory_nodes[has_nodes]).tolist():
            here = rows[has_nodes & (cpu_nodes == cpu_node) & (memory_nodes == memory_node)]
            latencies = accesses.latency[here]
            latencies = latencies[latencies > 0]
            mean = float(latencies.mean()) if len(latencies) else None
            pairs.append(NodePair(cpu_node, memory_node, len(here), mean))
    return NodeMatrix(tuple(pairs), int((~has_nodes).sum()))


def _cpu_nodes(cpus: npt.NDArray[np.int32], nodes: "list[MemoryNode]") -> npt.NDArray[np.int64]:
    numbers = np.full(len(cpus), -1, np.int64)
    for node in nodes:
        numbers[np.isin(cpus, cpus_in_list(node.cpus))] = node.number
    return numbers


def _memory_nodes(
    physical: npt.NDArray[np.uint64], nodes: "list[MemoryNode]"
) -> npt.NDArray[np.int64]:
    numbers = np.full(len(physical), -1, np.int64)
    for node in nodes:
        for start, end in node.memory:
            inside = (physical >= np.uint64(start)) & (physical < np.uint64(end))
            numbers[inside & (physical != 0)] = node.number
    return numbers
