"""What the rules of findings read: waits, CPU time, slots, and the kernel's counters."""

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import structs

from harness.diagnose.cpu_functions import CpuFunctions
from harness.diagnose.disk_waits import DiskWaits
from harness.diagnose.path_probe import PathProbe
from harness.diagnose.readings.activity import MachineActivity
from harness.diagnose.slots import SlotFacts
from harness.diagnose.spins import Spin
from harness.waits.result import GroupWaits, WaitCause, WaitsResult
from harness.waits.verdict import working_groups
from stallscope.statistics.intervals import wilson_interval

RUNNING = ("user", "system")
DISK_STATES = ("disk_read", "disk_write")
# States of threads that could run, and the kinds of their causes.
_RUNNABLE = ("run_queue", "throttled", "stolen")
_CPU_CAUSES = ("cpu", "throttle", "steal")
LARGEST_LOSS = 0.999  # a thread that only waits has no finite gain
LARGEST_GAIN = 1 / (1 - LARGEST_LOSS)


@dataclass(frozen=True, slots=True)
class Measurements:
    """What was measured beside the waits; a part that was not is None."""

    cpu: CpuFunctions | None = None
    slots: SlotFacts | None = None
    machine: MachineActivity | None = None
    disk: DiskWaits | None = None
    probe: PathProbe | None = None
    spins: tuple[Spin, ...] = ()
    slots_missing: str = ""  # why there are no slots
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """A recording; ``cpu`` is None if no CPU sample was taken."""

    waits: WaitsResult
    groups: tuple[GroupWaits, ...]
    working_ns: int
    running_ns: int
    cpu: CpuFunctions | None
    slots: SlotFacts | None = None
    machine: MachineActivity | None = None
    disk: DiskWaits | None = None
    probe: PathProbe | None = None
    spins: tuple[Spin, ...] = ()

    @classmethod
    def of(
        cls,
        waits: WaitsResult,
        cpu: CpuFunctions | None,
        measurements: Measurements = Measurements(),
    ) -> "Facts":
        """Return the facts of a recording; ``cpu`` or that of ``measurements``."""
        groups = tuple(_without_idle(waits, group) for group in working_groups(waits))
        return cls(
            _within_waits(waits, groups),
            groups,
            sum(group.wall_ns for group in groups),
            sum(group.states_ns[state] for group in groups for state in RUNNING),
            cpu or measurements.cpu,
            measurements.slots,
            measurements.machine,
            measurements.disk,
            measurements.probe,
            measurements.spins,
        )

    def causes(self, *kinds: str) -> list[WaitCause]:
        """Return the causes of waits of some kinds, in order of cost."""
        return [cause for cause in self.waits.causes if cause.kind in kinds]

    @property
    def disk_causes(self) -> list[WaitCause]:
        """Return the causes that end at disks.

        Random windows are shorter than long waits, whose states readings of /proc show; then the
        causes have at least the time in states of disks.
        """
        causes = self.causes("disk")
        state_ns = self.state_ns(*DISK_STATES, "page_fault")
        caused_ns = sum(cause.wait_ns for cause in causes)
        in_windows = any(group.errors_ns is not None for group in self.groups)
        if not in_windows or not caused_ns or caused_ns >= state_ns:
            return causes
        factor = state_ns / caused_ns
        return [structs.replace(cause, wait_ns=round(cause.wait_ns * factor)) for cause in causes]

    def share(self, time_ns: float) -> float:
        """Return a part of the wall time of working threads, 0..1."""
        return min(1.0, time_ns / self.working_ns) if self.working_ns else 0.0

    def state_ns(self, *states: str) -> int:
        """Return the time of working threads in some states."""
        return sum(group.states_ns[state] for group in self.groups for state in states)

    @property
    def paging_share(self) -> float:
        """Return the part of the waits for disks, 0..1, that is waits for pages of memory."""
        paging_ns = self.state_ns("page_fault")
        whole_ns = paging_ns + self.state_ns(*DISK_STATES)
        return paging_ns / whole_ns if whole_ns else 0.0

    @property
    def major_share(self) -> float:
        """Return the part of the target's page faults, 0..1, for which a page was read."""
        machine = self.machine
        if machine is None or machine.minor_faults is None:
            return 0.0
        major = machine.major_faults or 0
        return major / (major + machine.minor_faults) if major else 0.0

    def group_named(self, name: str) -> GroupWaits | None:
        """Return the group that a chain of waits names."""
        for group in self.groups:
            if name in (group.name, f"{group.process}/{group.name}"):
                return group
        return None

    def sufferer(self, causes: Iterable[WaitCause]) -> tuple[GroupWaits | None, int]:
        """Return the group that waits most for some causes, and its waiting time for them."""
        lost: dict[str, int] = {}
        for cause in causes:
            if cause.chain:
                first = cause.chain[0].name
                lost[first] = lost.get(first, 0) + cause.wait_ns
        if not lost:
            return None, 0
        name = max(lost, key=lambda name: lost[name])
        return self.group_named(name), lost[name]

    def unexplained_ns(self, group: GroupWaits, state: str) -> int:
        """Return the time of a group in a state of which no cause was recorded."""
        causes = (cause for cause in self.waits.causes if cause.kind not in _CPU_CAUSES)
        known_ns = sum(
            cause.wait_ns
            for cause in causes
            if cause.chain and self.group_named(cause.chain[0].name) == group
        )
        return max(0, group.states_ns[state] - known_ns)

    def largest_gain(
        self,
        causes: Iterable[WaitCause],
        part: float = 1.0,
        *,
        with_system: bool = False,
        run_ns: float = 0.0,
        more_ns: float = 0.0,
    ) -> float | None:
        """Return the factor by which the group that suffers most could become faster at most.

        ``part``: the part of the waiting time that could be saved, 0..1. ``with_system``: the time
        in the kernel may go with the waits, as that of the calls that wait. ``run_ns``: running
        time that may go. ``more_ns``: further waiting time of the group that may go.
        """
        group, lost_ns = self.sufferer(causes)
        if group is None or not group.wall_ns:
            return None
        states = group.states_ns
        running_ns = sum(states[state] for state in RUNNING)
        # Other groups may wait for the causes as well.
        waited_ns = min(lost_ns + more_ns, group.wall_ns - running_ns - states["run_queue"])
        system_ns = min(running_ns, self._most_system_ns(group)) if with_system else 0.0
        gone_run_ns = system_ns + min(run_ns, running_ns - system_ns)
        # A thread is queued after a wait, so that its time in the run queue may go as well.
        gone_ns = part * waited_ns + states["run_queue"] + gone_run_ns
        gain = gain_without(gone_ns / group.wall_ns)
        return smaller_gain(gain, self._gain_of_cpus(group, running_ns - gone_run_ns))

    def _gain_of_cpus(self, group: GroupWaits, run_ns: float) -> float | None:
        """Return how many times faster threads become if all CPUs run what is left of their work.

        The number of threads does not matter: N threads cannot run more than the CPUs do.
        """
        cpus = 0 if self.machine is None else self.machine.header.cpus
        if not cpus or not group.threads:
            return None
        capacity_ns = cpus * group.wall_ns / group.threads
        return max(1.0, capacity_ns / run_ns) if run_ns > capacity_ns / LARGEST_GAIN else None

    def _most_system_ns(self, group: GroupWaits) -> float:
        """Return the time of a group in the kernel, the upper end of its 95 % interval.

        Samples divide the running time.
        """
        system_ns = group.states_ns["system"]
        running_ns = sum(group.states_ns[state] for state in RUNNING)
        if self.cpu is None or not running_ns or not self.running_ns:
            return float(system_ns)
        samples = max(1, round(self.cpu.samples * min(1.0, running_ns / self.running_ns)))
        _, high = wilson_interval(round(samples * system_ns / running_ns), samples)
        return high * running_ns

    def queue_gain(self, behind_ns: float = 0.0) -> float | None:
        """Return how many times faster the group with the longest queue for a CPU becomes at most.

        Fewer runnable threads of the target also wait less behind others, so that all of the queue
        may go. ``behind_ns``: waits of all groups for threads in the queue.
        """
        gain: float | None = 1.0
        for group in self.groups:
            if group.wall_ns:
                lost_ns = group.states_ns["run_queue"] + min(behind_ns, waiting_ns(group))
                gain = larger_gain(gain, gain_without(lost_ns / group.wall_ns))
        return gain

    def cpu_gain(self, share: float) -> float | None:
        """Return how many times faster threads become at most without a share of the CPU time.

        The time in which they could run and did not shrinks with it.
        """
        return gain_without(self.share(share * (self.running_ns + self.state_ns(*_RUNNABLE))))


def waiting_ns(group: GroupWaits) -> int:
    """Return the time in which threads of a group could not run."""
    return sum(
        time_ns for state, time_ns in group.states_ns.items() if state not in (*RUNNING, *_RUNNABLE)
    )


def _without_idle(waits: WaitsResult, group: GroupWaits) -> GroupWaits:
    """Return a group without its idle threads: threads of a runtime may all have one name.

    The document counts idle threads by group; they are those that run least.
    """
    key = (group.process, group.name)
    idle = sum(pool.threads for pool in waits.idle_pools if (pool.process, pool.name) == key)
    threads = [row for row in waits.threads if (row.process, row.group) == key]
    if not idle or len(threads) != group.threads:
        return group
    threads.sort(key=lambda row: sum(row.states_ns.get(state, 0) for state in RUNNING))
    working = threads[idle:]
    return structs.replace(
        group,
        threads=len(working),
        wall_ns=sum(row.wall_ns for row in working),
        states_ns={
            state: sum(row.states_ns.get(state, 0) for row in working) for state in group.states_ns
        },
    )


def _within_waits(waits: WaitsResult, groups: tuple[GroupWaits, ...]) -> WaitsResult:
    """Return waits whose causes add up to at most the waiting time of working threads.

    Causes of random windows are scaled by the length of the windows, the time in states is fitted
    to the kernel's counters as well.
    """
    whole_ns = sum(map(waiting_ns, groups))
    caused_ns = sum(cause.wait_ns for cause in waits.causes if cause.kind not in _CPU_CAUSES)
    if caused_ns <= whole_ns or not caused_ns:
        return waits
    factor = whole_ns / caused_ns
    causes = tuple(
        cause
        if cause.kind in _CPU_CAUSES
        else structs.replace(cause, wait_ns=round(cause.wait_ns * factor))
        for cause in waits.causes
    )
    return structs.replace(waits, causes=causes)


def gain_without(share: float) -> float | None:
    """Return how many times faster work becomes without a share of its time (Amdahl)."""
    return 1 / (1 - share) if share < LARGEST_LOSS else None


def smaller_gain(first: float | None, second: float | None) -> float | None:
    """Return the smaller of two gains; None, which is not finite, only if both are."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def larger_gain(first: float | None, second: float | None) -> float | None:
    """Return the larger of two gains; None if one of them is not finite."""
    return None if first is None or second is None else max(first, second)
