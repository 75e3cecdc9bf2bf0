"""The result of every source of slots: nodes and IPC with intervals and warnings."""

from dataclasses import dataclass
from enum import StrEnum

COUNTS = "events"  # the unit of events requested by name


class Kind(StrEnum):
    """The kind of source; the warnings of "unavailable" contain the reason."""

    MEASURED = "measured"
    MODELLED = "modelled"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of an interval, in the unit of its value; equal without variation."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """A node's value; if it is None, ``warnings`` contains the reason.

    A node's ``unit`` is what it is a share of ("slots", "cycles"). A metric beside the tree has
    ``level`` None. ``above_threshold`` is None if no threshold is published or known, ``interval``
    if there is none. The first warning of an ``impossible`` value is its cause.
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
        """Return whether the node belongs to a tree cut at a level; requested events always do."""
        if level is None or self.unit == COUNTS:
            return True
        return self.level is not None and self.level <= level


@dataclass(frozen=True, slots=True)
class Ipc:
    """Instructions per cycle, with both counts if there are any."""

    value: float
    instructions: float | None = None
    cycles: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """A measurement interval; times in seconds since the start of the measurement."""

    start_s: float
    end_s: float
    nodes: tuple[MeasuredNode, ...]
    ipc: Ipc | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """The tree of slots of one source; ``whole`` is the value of all slots: 1.0, or 100.0 on Arm.

    ``verified``: a self-test of this CPU is in the repository. ``interval_label`` is the meaning
    of the intervals, or why there are none. ``bottleneck`` is the marked path from a root down,
    None without one; ``bottleneck_why`` is the reason. ``facts`` are (label, text) pairs for the
    heading. Nodes are in reading order, parents first.
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
