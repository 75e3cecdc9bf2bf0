"""CPU time of system calls that wait for a disk: a part of the disk's cost, not of a call storm."""

from harness.diagnose.facts import Facts
from harness.diagnose.kernel_ways import KernelTime

LEAST_WAITS = 0.05  # of the wall time, for a disk
FLUSHES = ("fsync", "fdatasync", "sync_file_range", "msync", "syncfs")
DISK_CALLS = (
    *FLUSHES,
    *(f"{way}{name}" for way in ("", "p") for name in ("read", "write", "readv", "writev")),
    *("pread64", "pwrite64", "preadv2", "pwritev2"),
    *("io_submit", "io_getevents", "io_uring_enter"),
)


def waits_for_disk(facts: Facts) -> bool:
    """Return whether threads wait for a disk for a considerable time."""
    return facts.share(sum(cause.wait_ns for cause in facts.disk_causes)) >= LEAST_WAITS


def without_disk_calls(facts: Facts, time: KernelTime) -> KernelTime:
    """Return the time in system calls without those that wait for a disk.

    The kernel does not show the name of each call, but the functions that call are those that wait.
    """
    waiting = {
        name for row in facts.waits.ended_waits if row.waker == "disk" for name in row.functions
    }
    named = sum(share for name, share in time.calls if name in DISK_CALLS)
    called = sum(share for name, share in time.callers if name in waiting)
    return KernelTime(
        max(0.0, time.share - max(named, called)),
        tuple(row for row in time.calls if row[0] not in DISK_CALLS),
        tuple(row for row in time.callers if row[0] not in waiting),
        time.removable,
    )


def flush_cpu_ns(facts: Facts) -> float:
    """Return the CPU time in calls that flush."""
    calls = facts.cpu.system_calls.calls if facts.cpu is not None else ()
    return facts.running_ns * min(1.0, sum(share for name, share in calls if name in FLUSHES))
