"""Work of a Java virtual machine's own threads: collectors, compilers and safepoints.

HotSpot names these threads the same way in every version from 17 to 25; the kernel keeps 15 bytes.
"""

import re
from collections.abc import Iterable
from typing import Protocol

_COLLECTORS = (
    ("G1", r"G1 "),
    ("ZGC", r"[XZ](Worker|Driver|Director|Stat|Uncommitter|Unmapper)"),
    ("Shenandoah", r"Shenandoah"),
)
_COMPILER = re.compile(r"(C[12]) Compiler")
_GC_WORKER = "GC Thread#"  # of G1 and of the parallel collector
_VM_THREAD = "VM Thread"
_AT_SAFEPOINT = "[VM operation at a safepoint]"
# The serial collector has no threads: it runs in the VM thread.
_SERIAL = "[VM operation at a safepoint or serial garbage collection]"


class NamedThread(Protocol):
    """A thread of a capture."""

    @property
    def pid(self) -> int:
        """Return the process."""

    @property
    def name(self) -> bytes:
        """Return the name that the kernel keeps, not trusted."""


def work_of_threads(threads: Iterable[NamedThread], java_pids: frozenset[int]) -> list[str]:
    """Return what each thread does for the virtual machine, empty for other threads."""
    listed = [(thread.pid, thread.name.decode("ascii", "replace")) for thread in threads]
    collector_of: dict[int, str] = {}
    for pid, name in listed:
        if collector := _collector(name):
            collector_of[pid] = collector
        elif name.startswith(_GC_WORKER):
            collector_of.setdefault(pid, "parallel")
    return [
        _work(name, collector_of.get(pid, "")) if pid in java_pids else "" for pid, name in listed
    ]


def _collector(name: str) -> str:
    for collector, pattern in _COLLECTORS:
        if re.match(pattern, name):
            return collector
    return ""


def _work(name: str, collector: str) -> str:
    if _collector(name) or name.startswith(_GC_WORKER):
        return f"[garbage collection: {collector}]"
    if compiler := _COMPILER.match(name):
        return f"[compiling: {compiler[1]}]"
    if name == _VM_THREAD:
        return _AT_SAFEPOINT if collector else _SERIAL
    return ""
