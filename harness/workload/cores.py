"""CPUs of an experiment: those that this process may use, divided among server and loader."""

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

    server: int  # of its first thread
    loader: int
    same_core: bool  # both are threads of the same core and slow each other down
    cpu_model: str
    l1i_bytes: int | None  # None if sysfs does not report it
    more_servers: tuple[int, ...] = ()  # of further threads
    more_loaders: tuple[int, ...] = ()

    @property
    def server_cpus(self) -> tuple[int, ...]:
        """Return the CPUs of the server's threads."""
        return (self.server, *self.more_servers)

    @property
    def loader_cpus(self) -> tuple[int, ...]:
        """Return the CPUs of the loader's threads."""
        return (self.loader, *self.more_loaders)

    @property
    def shared(self) -> bool:
        """Return whether server and loader have to share CPUs: times then mean nothing."""
        return not set(self.server_cpus).isdisjoint(self.loader_cpus)


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


def two_cores(roots: Roots, allowed: frozenset[int], *, threads: int = 1) -> Cores:
    """Return different CPUs for the threads of server and loader.

    The loader gets the first CPU, which handles most of a machine's interrupts. Several threads of
    the server share their CPUs with those of the loader if there are too few. Raises UnableError
    if this process may use only one CPU, or fewer than the server has threads.
    """
    if len(allowed) < 2:
        raise UnableError(
            "server and loader need one CPU each, but this process may use only one",
            "allow two CPUs (taskset, the container's CPU limit)",
        )
    if len(allowed) < threads:
        raise UnableError(
            f"{threads} threads of the server need {threads} CPUs, but this process may use "
            f"{len(allowed)}",
            "reduce --threads, or allow more CPUs (--cpus, taskset, the container's CPU limit)",
        )
    cpus = read_machine(roots, allowed).cpus
    loaders = cpus[:threads]
    servers = cpus[threads : 2 * threads] if len(cpus) >= 2 * threads else cpus[::-1][:threads]
    loader, server = loaders[0], servers[0]
    level1 = [cache for cache in code_caches(roots.sys, server) if cache.level == 1]
    return Cores(
        server=server,
        loader=loader,
        same_core=loader in _siblings(roots, server),
        cpu_model=read_host(roots).cpu_model,
        l1i_bytes=level1[0].size_bytes if level1 else None,
        more_servers=servers[1:],
        more_loaders=loaders[1:],
    )


def _siblings(roots: Roots, cpu: int) -> tuple[int, ...]:
    folder = roots.sys / f"devices/system/cpu/cpu{cpu}/topology"
    return cpus_in_list(read_text(folder / "thread_siblings_list", 4096) or "")
