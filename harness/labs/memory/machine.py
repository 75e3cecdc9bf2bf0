"""The machine as the memory lab needs it: CPUs in the order of use, nodes, memory to be had."""

from dataclasses import dataclass
from pathlib import Path

from stallscope.cpu_caches import CpuCache, data_caches
from stallscope.cpu_lists import cpus_in_list
from stallscope.system_files import Roots, names_in, read_text

# Rings take no more than this share of the memory that is available: the others live on.
MEMORY_SHARE = 0.25
_CPUS = "devices/system/cpu"


@dataclass(frozen=True, slots=True)
class Node:
    """A NUMA node: its number, and those of its CPUs that may be used, in the order of use."""

    number: int
    cpus: tuple[int, ...]
    has_memory: bool


@dataclass(frozen=True, slots=True)
class LabMachine:
    """What the plan is made for."""

    cpus: tuple[int, ...]  # that may be used; one of each core before their siblings
    nodes: tuple[Node, ...]  # one without NUMA
    caches: tuple[CpuCache, ...]  # of the first CPU, as sysfs tells
    available_bytes: int  # of memory, of this machine and this process's cgroup


def gather(roots: Roots, allowed: frozenset[int]) -> LabMachine:
    """Return the machine at the roots, with the CPUs that this process may use."""
    cpus = tuple(sorted(allowed, key=lambda cpu: (_place_in_core(roots.sys, cpu), cpu)))
    return LabMachine(
        cpus=cpus,
        nodes=_nodes(roots.sys, cpus),
        caches=data_caches(roots.sys, cpus[0]),
        available_bytes=min([_available(roots.proc), *_left_in_cgroups(roots)]),
    )


def _place_in_core(sysfs: Path, cpu: int) -> int:
    """Return which of its core's threads a CPU is: 0 for the first."""
    text = read_text(sysfs / f"{_CPUS}/cpu{cpu}/topology/thread_siblings_list", 4096)
    siblings = cpus_in_list(text or "")
    return siblings.index(cpu) if cpu in siblings else 0


def _nodes(sysfs: Path, cpus: tuple[int, ...]) -> tuple[Node, ...]:
    folder = sysfs / "devices/system/node"
    with_memory = cpus_in_list(read_text(folder / "has_memory", 4096) or "")
    found = []
    for name in names_in(folder):
        number = name.removeprefix("node")
        if name.startswith("node") and number.isdecimal():
            own = set(cpus_in_list(read_text(folder / name / "cpulist", 65536) or ""))
            mine = tuple(cpu for cpu in cpus if cpu in own)
            found.append(Node(int(number), mine, int(number) in with_memory))
    return tuple(sorted(found, key=lambda node: node.number)) or (Node(0, cpus, True),)


def _available(proc: Path) -> int:
    """Return MemAvailable; 0 where the kernel does not tell."""
    for line in (read_text(proc / "meminfo") or "").splitlines():
        words = line.split()
        if len(words) >= 2 and words[0] == "MemAvailable:" and words[1].isdecimal():
            return int(words[1]) * 1024
    return 0


def _left_in_cgroups(roots: Roots) -> list[int]:
    """Return what each cgroup (version 2) that holds this process, and limits it, leaves."""
    path = ""
    for line in (read_text(roots.proc / "self/cgroup") or "").splitlines():
        if line.startswith("0::/"):
            path = line.removeprefix("0::/")
    left = []
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for depth in range(len(parts) + 1):
        folder = roots.sys.joinpath("fs/cgroup", *parts[:depth])
        most = read_text(folder / "memory.max", 64) or ""
        used = read_text(folder / "memory.current", 64) or ""
        if most.isdecimal() and used.isdecimal():
            left.append(max(0, int(most) - int(used) + _file_pages(folder)))
    return left


def _file_pages(folder: Path) -> int:
    """Return the bytes of files that the cgroup would give up before it refuses memory."""
    for line in (read_text(folder / "memory.stat") or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "inactive_file" and words[1].isdecimal():
            return int(words[1])
    return 0
