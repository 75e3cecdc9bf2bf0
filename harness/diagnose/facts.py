"""What the rules of findings read: the waits of a recording, and where its CPU time goes."""

from collections.abc import Iterable
from dataclasses import dataclass

from harness.diagnose.cpu_functions import CpuFunctions
from harness.waits.result import GroupWaits, WaitCause, WaitsResult
from harness.waits.verdict import working_groups

RUNNING = ("user", "system")
LARGEST_LOSS = 0.999  # a thread that only waits has no finite gain


@dataclass(frozen=True, slots=True)
class Facts:
    """A recording; ``cpu`` is None if no CPU sample was taken."""

    waits: WaitsResult
    groups: tuple[GroupWaits, ...]
    working_ns: int
    running_ns: int
    cpu: CpuFunctions | None

    @classmethod
    def of(cls, waits: WaitsResult, cpu: CpuFunctions | None) -> "Facts":
        """Return the facts of a recording."""
        groups = tuple(working_groups(waits))
        return cls(
            waits,
            groups,
            sum(group.wall_ns for group in groups),
            sum(group.states_ns[state] for group in groups for state in RUNNING),
            cpu,
        )

    def causes(self, *kinds: str) -> list[WaitCause]:
        """Return the causes of waits of some kinds, in order of cost."""
        return [cause for cause in self.waits.causes if cause.kind in kinds]

    def share(self, time_ns: float) -> float:
        """Return a part of the wall time of working threads, 0..1."""
        return min(1.0, time_ns / self.working_ns) if self.working_ns else 0.0

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

    def largest_gain(self, causes: Iterable[WaitCause]) -> float | None:
        """Return the factor by which the group that suffers most could become faster at most."""
        group, lost_ns = self.sufferer(causes)
        if group is None or not group.wall_ns:
            return None
        loss = lost_ns / group.wall_ns
        return 1 / (1 - loss) if loss < LARGEST_LOSS else None
