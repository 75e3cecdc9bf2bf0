"""The machine as an experiment sees it: CPUs in the order of use, NUMA nodes, available memory."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.cpu_caches import CpuCache, data_caches
from stallscope.cpu_lists import cpus_in_list
from stallscope.system_files import Roots, names_in, read_text

_CPUS = "devices/system/cpu"


@dataclass(frozen=True, slots=True)
class NumaNode:
    """A NUMA node, and those of its CPUs that this process may use, in the order of use."""

    number: int
    cpus: tuple[int, ...]
    has_memory: bool


@dataclass(frozen=True, slots=True)
class LabMachine:
    """CPUs, NUMA nodes, caches and memory that an experiment may use."""

    cpus: tuple[int, ...]  # usable CPUs; the first thread of each core comes before its siblings
    nodes: tuple[NumaNode, ...]  # a single node without NUMA
    caches: tuple[CpuCache, ...]  # of the first CPU, from sysfs
    available_bytes: int  # memory available to this machine and to this process's cgroup


def read_machine(roots: Roots, allowed: frozenset[int]) -> LabMachine:
    """Return the machine at the roots, limited to the CPUs that this process may use."""
    cpus = tuple(sorted(allowed, key=lambda cpu: (_thread_index(roots.sys, cpu), cpu)))
    return LabMachine(
        cpus=cpus,
        nodes=_nodes(roots.sys, cpus),
        caches=data_caches(roots.sys, cpus[0]),
        available_bytes=min([_available_bytes(roots.proc), *_cgroup_headroom_bytes(roots)]),
    )


def _thread_index(sysfs: Path, cpu: int) -> int:
    """Return the position of a CPU among the threads of its core: 0 for the first."""
    text = read_text(sysfs / f"{_CPUS}/cpu{cpu}/topology/thread_siblings_list", 4096)
    siblings = cpus_in_list(text or "")
    return siblings.index(cpu) if cpu in siblings else 0


def _nodes(sysfs: Path, cpus: tuple[int, ...]) -> tuple[NumaNode, ...]:
    folder = sysfs / "devices/system/node"
    with_memory = cpus_in_list(read_text(folder / "has_memory", 4096) or "")
    nodes = []
    for name in names_in(folder):
        number = name.removeprefix("node")
        if name.startswith("node") and number.isdecimal():
            node_cpus = set(cpus_in_list(read_text(folder / name / "cpulist", 65536) or ""))
            usable = tuple(cpu for cpu in cpus if cpu in node_cpus)
            nodes.append(NumaNode(int(number), usable, int(number) in with_memory))
    return tuple(sorted(nodes, key=lambda node: node.number)) or (NumaNode(0, cpus, True),)


def _available_bytes(proc: Path) -> int:
    """Return MemAvailable; 0 if the kernel does not report it."""
    return _number_of(proc / "meminfo", "MemAvailable:") * 1024


def _number_of(path: Path, name: str) -> int:
    """Return the number after a name at the begin of a line; 0 if there is none."""
    for line in (read_text(path) or "").splitlines():
        words = line.split()
        if len(words) >= 2 and words[0] == name and words[1].isdecimal():
            return int(words[1])
    return 0


def _cgroup_headroom_bytes(roots: Roots) -> list[int]:
    """Return the unused memory of each limited cgroup (version 2) that contains this process."""
    path = ""
    for line in (read_text(roots.proc / "self/cgroup") or "").splitlines():
        if line.startswith("0::/"):
            path = line.removeprefix("0::/")
    headroom_bytes = []
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for depth in range(len(parts) + 1):
        folder = roots.sys.joinpath("fs/cgroup", *parts[:depth])
        limit = read_text(folder / "memory.max", 64) or ""
        usage = read_text(folder / "memory.current", 64) or ""
        if limit.isdecimal() and usage.isdecimal():
            headroom_bytes.append(max(0, int(limit) - int(usage) + _reclaimable_bytes(folder)))
    return headroom_bytes


def _reclaimable_bytes(folder: Path) -> int:
    """Return the bytes of inactive file pages, which the cgroup reclaims before it fails."""
    return _number_of(folder / "memory.stat", "inactive_file")
