"""CPUs of an experiment: those that this process may use, and one each for server and loader."""

import os
from dataclasses import dataclass

from harness.workload.machine import read_machine
from stallscope.cpu_caches import code_caches
from stallscope.cpu_lists import cpus_in_list, parse_cpu_list
from stallscope.errors import UnableError, UsageError
from stallscope.host import read_host
from stallscope.system_files import Roots, read_text


@dataclass(frozen=True, slots=True)
class Cores:
    """The CPUs of server and loader, and properties of the server's core."""

    server: int
    loader: int
    same_core: bool  # both are threads of the same core and slow each other down
    cpu_model: str
    l1i_bytes: int | None  # None if sysfs does not report it


def usable_cpus(cpu_list: str | None) -> frozenset[int]:
    """Return the CPUs that this process may use, limited to those in the list if there is one.

    Raises UsageError if the list names another CPU.
    """
    allowed = frozenset(os.sched_getaffinity(0))
    if cpu_list is None:
        return allowed
    selected = frozenset(parse_cpu_list(cpu_list))
    if not selected <= allowed:
        missing = ", ".join(map(str, sorted(selected - allowed)[:8]))
        raise UsageError(
            f"--cpus: this process may not use CPU {missing}",
            f"select from {', '.join(map(str, sorted(allowed)[:64]))}",
        )
    return selected


def two_cores(roots: Roots, allowed: frozenset[int]) -> Cores:
    """Return different CPUs for server and loader.

    The loader gets the first CPU, which handles most of a machine's interrupts. Raises UnableError
    if this process may use only one CPU.
    """
    if len(allowed) < 2:
        raise UnableError(
            "server and loader need one CPU each, but this process may use only one",
            "allow two CPUs (taskset, the container's CPU limit)",
        )
    loader, server = read_machine(roots, allowed).cpus[:2]
    level1 = [cache for cache in code_caches(roots.sys, server) if cache.level == 1]
    return Cores(
        server=server,
        loader=loader,
        same_core=loader in _siblings(roots, server),
        cpu_model=read_host(roots).cpu_model,
        l1i_bytes=level1[0].size_bytes if level1 else None,
    )


def _siblings(roots: Roots, cpu: int) -> tuple[int, ...]:
    folder = roots.sys / f"devices/system/cpu/cpu{cpu}/topology"
    return cpus_in_list(read_text(folder / "thread_siblings_list", 4096) or "")
