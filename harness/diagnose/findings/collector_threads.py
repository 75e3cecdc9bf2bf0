"""Threads of a runtime that collect garbage, by their names."""

from dataclasses import dataclass

from harness.diagnose.facts import Facts
from topdown.stacks.managed.virtual_machine_threads import work_of_threads

_HOTSPOT = "hotspot"
_WORK = ("[garbage collection", "[VM operation")


@dataclass(frozen=True, slots=True)
class _NamedThread:
    pid: int
    name: bytes


def collector_groups(facts: Facts, pid: int | None = None) -> frozenset[str]:
    """Return the groups of threads that collect garbage, of one process or of all."""
    collections = facts.cpu.collections if facts.cpu is not None else ()
    java = frozenset(
        row.pid for row in collections if row.runtime == _HOTSPOT and pid in (None, row.pid)
    )
    threads = facts.waits.threads if java else ()
    named = [_NamedThread(thread.pid, thread.name.encode()) for thread in threads]
    works = work_of_threads(named, java)
    return frozenset(
        thread.group for thread, work in zip(threads, works, strict=True) if work.startswith(_WORK)
    )
