"""One sentence about an interval: the largest cost, and what to run next."""

from collections.abc import Sequence

from harness.top.result import DiskRow, RunQueue, WaitShare

# Below it, a share of the machine, or the average number of threads in a state, is not named.
LEAST = 0.2
_BUSY_DISK = 0.8
_NEXT = {
    "running": "`stallscope profile` and `stallscope topdown` show where",
    "run queue": "`stallscope waits` shows what runs meanwhile",
    "disk": "`stallscope io watch` shows the requests",
    "uninterruptible (disk)": "`stallscope waits` shows the calls",
    "memory lock": "`stallscope waits` shows the calls",
    "file lock": "`stallscope waits` shows the owner",
    "user code": "`stallscope profile -a` shows where",
    "kernel": "`stallscope profile -a` shows where",
    "interrupts": "`stallscope profile -a` shows where",
    "stolen by the hypervisor": "other guests use the CPUs, and only the host can change that",
    "idle, disk in flight": "`stallscope io watch` shows the requests",
}
# Idle threads are in these states too, so they are named only if nothing else is.
_AMBIGUOUS = {"lock or condition", "read", "network", "completion", "other process"}


def verdict(
    waits: Sequence[WaitShare],
    queue: RunQueue,
    disks: Sequence[DiskRow],
    *,
    threads: int | None,
) -> str:
    """Return the sentence. ``threads``: of the process; None if the waits are of all CPUs.

    States in which idle threads rest as well are never blamed.
    """
    if not waits:
        return "The waits are not readable, so there is no verdict."
    amounts = {wait.category: wait.share * (threads or 1) for wait in waits}
    clear = {name: amount for name, amount in amounts.items() if name in _NEXT}
    largest = max(clear, key=lambda name: clear[name], default=None)
    if largest is None or clear[largest] < LEAST:
        sentence = "Nothing stands out."
        unclear = max(_AMBIGUOUS & amounts.keys(), key=lambda name: amounts[name], default=None)
        if unclear is not None and amounts[unclear] >= LEAST:
            sentence += (
                f" Threads rest in {unclear}, as idle ones do; `stallscope waits` shows the cause."
            )
    elif threads is None:
        sentence = f"{clear[largest]:.0%} of the CPU time is {largest}; {_NEXT[largest]}."
    else:
        sentence = f"{clear[largest]:.2f} of {threads} threads on average: {largest}; "
        sentence += f"{_NEXT[largest]}."
    slow = [disk for disk in disks if disk.busy_share >= _BUSY_DISK]
    if slow:
        sentence += f" Disk {slow[0].name} is busy {slow[0].busy_share:.0%} of the time."
    elif queue.running is not None and queue.running > 2 * queue.cpus:
        sentence += f" {queue.running} threads are ready to run on {queue.cpus} CPUs."
    return sentence
