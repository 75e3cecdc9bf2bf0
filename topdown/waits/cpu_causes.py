"""Causes of time in which threads could run and did not: who used the CPU, throttling, stolen time.

The times add up to the time of the threads in the run queue, throttled and stolen.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from topdown.waits.causes import Cause, ChainStep
from topdown.waits.groups import thread_groups
from topdown.waits.records import WaitRecords
from topdown.waits.run_queue import QueueUserKind, RunQueueUse
from topdown.waits.states import ThreadState

CPU, THROTTLE, STEAL = "cpu", "throttle", "steal"
_NAMES = {
    QueueUserKind.IDLE: "a CPU on its way out of idle",
    QueueUserKind.UNKNOWN: "not recorded",
}


def cpu_causes(
    records: WaitRecords,
    amounts: npt.NDArray[np.int64],
    users: Sequence[RunQueueUse],
    cgroups: Mapping[int, str | None],
) -> list[Cause]:
    """Return the causes, the largest first.

    ``amounts``: (n_threads, n_states). ``users``: what ran meanwhile, in proportion; the kernel
    does not say which of the runnable threads waited for which. ``cgroups``: of processes.
    """
    waiting = amounts[:, ThreadState.RUN_QUEUE]
    causes = _shared_queue(records, waiting, users, cgroups)
    by_cgroup: dict[str, list[int]] = defaultdict(list)
    cgroup_of = {row.thread: row.cgroup for row in records.readings if row.cgroup}
    throttled = amounts[:, ThreadState.THROTTLED]
    for thread in np.flatnonzero(throttled).tolist():
        by_cgroup[cgroup_of.get(thread, "")].append(thread)
    for cgroup, threads in by_cgroup.items():
        time_ns = int(throttled[threads].sum())
        causes.append(_cause(records, throttled, THROTTLE, cgroup or "its cgroup", time_ns))
    stolen = amounts[:, ThreadState.STOLEN]
    if stolen.any():
        causes.append(_cause(records, stolen, STEAL, "hypervisor", int(stolen.sum())))
    return sorted(causes, key=lambda cause: (-cause.wait_ns, cause.kind, cause.name))


def _shared_queue(
    records: WaitRecords,
    waiting: npt.NDArray[np.int64],
    users: Sequence[RunQueueUse],
    cgroups: Mapping[int, str | None],
) -> list[Cause]:
    """Return the causes of time in the run queue; those with one name and cgroup are one."""
    total = int(waiting.sum())
    if not total:
        return []
    sums: dict[str, int] = defaultdict(int)
    for user in users:
        cgroup = None if user.pid is None else cgroups.get(user.pid)
        name = _NAMES.get(user.kind, user.name)
        sums[name if cgroup in (None, "/", "") else f"{name} in {cgroup}"] += user.time_ns
    recorded_ns = sum(sums.values())
    if not recorded_ns:
        sums, recorded_ns = {"not recorded": 1}, 1
    return [
        _cause(records, waiting, CPU, name, round(time_ns * total / recorded_ns))
        for name, time_ns in sums.items()
        if time_ns
    ]


def _cause(
    records: WaitRecords, time_ns: npt.NDArray[np.int64], kind: str, name: str, cost_ns: int
) -> Cause:
    """Return a cause; its chain begins with the group that has most of the time."""
    waiting = np.flatnonzero(time_ns).tolist()
    groups = thread_groups(records.threads, waiting)
    first = max(groups, key=lambda group: int(time_ns[list(group.threads)].sum()))
    steps = (ChainStep(first.name, int(time_ns[list(first.threads)].sum())),)
    return Cause(kind, name, cost_ns, (*steps, ChainStep(name, cost_ns)))
