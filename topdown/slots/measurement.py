"""What every source of slots returns and every renderer reads: nodes, IPC, how sure they are."""

from dataclasses import dataclass
from enum import StrEnum

COUNTS = "events"  # the unit of events that a person asked for by name


class Kind(StrEnum):
    """Where the numbers come from; "unavailable" has the reason in its warnings."""

    MEASURED = "measured"
    MODELLED = "modelled"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval, in the unit of its value; equal where nothing varied."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """One node's value; ``value`` is None where ``warnings`` says why there is none.

    ``level`` is None of a metric beside the tree, whose ``unit`` is then its own; of a node the
    unit says what it is a share of ("slots", "cycles"). ``above_threshold`` is None where none is
    published or known, ``interval`` where there is none to give. A value that cannot be is
    ``impossible``, with its cause the first of the warnings.
    """

    name: str
    level: int | None
    parent: str | None
    value: float | None
    unit: str
    above_threshold: bool | None = None
    interval: Interval | None = None
    warnings: tuple[str, ...] = ()
    impossible: bool = False

    def within(self, level: int | None) -> bool:
        """Return whether it is shown down to a level: of what is beside the tree, asked events."""
        if level is None or self.unit == COUNTS:
            return True
        return self.level is not None and self.level <= level


@dataclass(frozen=True, slots=True)
class Ipc:
    """Instructions per cycle, with the counts it was made of, where there were counts."""

    value: float
    instructions: float | None = None
    cycles: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """One interval of a measurement; times in seconds since its start."""

    start_s: float
    end_s: float
    nodes: tuple[MeasuredNode, ...]
    ipc: Ipc | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """Where slots went, by one source. ``whole`` is what all slots are: 1.0, or 100.0 on Arm.

    ``verified``: whether a self-test of this CPU is in the repository. ``interval_label`` names
    what the intervals are of, or why there are none. ``bottleneck`` is the marked path from a
    root down, None where none is marked; ``bottleneck_why`` says by what, or why not. ``facts``
    are (label, text) pairs for the heading; nodes stand in reading order, parents first.
    """

    kind: Kind
    source: str
    cpu: str
    title: str
    whole: float
    nodes: tuple[MeasuredNode, ...]
    ipc: Ipc | None
    interval_label: str
    bottleneck: tuple[str, ...] | None
    bottleneck_why: str
    verified: bool = False
    slices: tuple[Slice, ...] = ()
    warnings: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
