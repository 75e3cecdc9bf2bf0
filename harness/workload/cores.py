"""The cores that the stages and scale labs take: the server's and the loader's, apart."""

from harness.labs.memory.machine import gather
from harness.labs.stages.results import Cores
from stallscope.cpu_caches import code_caches
from stallscope.cpu_lists import cpus_in_list
from stallscope.errors import UnableError
from stallscope.host import read_host
from stallscope.system_files import Roots, read_text


def two_cores(roots: Roots, allowed: frozenset[int]) -> Cores:
    """Return a core for the server and another one for the loader.

    The first CPU goes to the loader: it has most of a machine's interrupts. Raises UnableError
    where this process may use one CPU only.
    """
    if len(allowed) < 2:
        raise UnableError(
            "server and loader need a CPU each, and this process may use one only",
            "give it two CPUs (taskset, the container's CPU limit)",
        )
    loader, server = gather(roots, allowed).cpus[:2]
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
