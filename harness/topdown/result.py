"""The result of `stallscope topdown`: the tree of slots, instructions per cycle, intervals."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import structs

from cstates.fingerprint import Fingerprint
from stallscope.documents import (
    LARGEST,
    UNSET,
    Count,
    Document,
    Number,
    Record,
    UnsetType,
)
from topdown.slots.measurement import (
    COUNTS,
    Interval,
    Ipc,
    Kind,
    MeasuredNode,
    Measurement,
    Slice,
)

SourceKind = Literal["measured", "modelled", "unavailable"]


class SlotInterval(Record, frozen=True, kw_only=True):
    """The ends of a 95 % interval, in the unit of its value."""

    low: Number
    high: Number


class IpcRecord(Record, frozen=True, kw_only=True):
    """Instructions per cycle, with both counts if there are any."""

    value: Number
    instructions: Number | None
    cycles: Number | None
    interval: SlotInterval | None


class NodeRecord(Record, frozen=True, kw_only=True):
    """A node of the tree, or a metric beside it with level None.

    If the value is None, the warnings contain the reason.
    """

    value: Number | None
    level: Count | None
    parent: str | None
    unit: str
    above_threshold: bool | None
    interval: SlotInterval | None
    impossible: bool
    warnings: tuple[str, ...]
    kind: SourceKind

    def within(self, level: int | None) -> bool:
        """Return whether the node belongs to a tree cut at a level; requested events always do."""
        if level is None or self.unit == COUNTS:
            return True
        return self.level is not None and self.level <= level

    @property
    def possible(self) -> float | None:
        """Return the value; None if there is none, or if it is impossible."""
        return None if self.impossible else self.value


Nodes = Mapping[str, NodeRecord]  # by name, in reading order, parents first


class SliceRecord(Record, frozen=True, kw_only=True):
    """The tree of one interval; times in seconds since the start of the measurement."""

    start_s: Number
    end_s: Number
    ipc: IpcRecord | None
    nodes: dict[str, NodeRecord]


class Fact(Record, frozen=True, kw_only=True):
    """A line of the heading."""

    label: str
    text: str


class TopdownResult(Document, frozen=True, kw_only=True, tag="stallscope.topdown/1"):
    """The tree of slots of one source; values are shares of ``whole``, which is 1 or 100.

    ``settings``, ``recording`` and ``report`` are set only by `stallscope report --json`.
    """

    cpu: str
    title: str
    source: str
    kind: SourceKind
    verified: bool
    whole: Annotated[float, msgspec.Meta(gt=0, le=LARGEST)]
    ipc: IpcRecord | None
    nodes: dict[str, NodeRecord]
    bottleneck: tuple[str, ...] | None
    bottleneck_why: str
    interval_label: str
    intervals: tuple[SliceRecord, ...]
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    settings: Fingerprint | UnsetType | None = UNSET
    recording: str | UnsetType = UNSET
    report: str | UnsetType | None = UNSET

    def to_level(self, level: int | None) -> "TopdownResult":
        """Return the result without the metrics and the nodes below a level; None: all of it."""
        if level is None:
            return self
        return structs.replace(
            self,
            nodes=_to_level(self.nodes, level),
            intervals=tuple(
                structs.replace(time_slice, nodes=_to_level(time_slice.nodes, level))
                for time_slice in self.intervals
            ),
        )


def first_level(nodes: Nodes) -> dict[str, NodeRecord]:
    """Return the nodes of the first level."""
    return {name: node for name, node in nodes.items() if node.level == 1}


def _to_level(nodes: Nodes, level: int) -> dict[str, NodeRecord]:
    return {name: node for name, node in nodes.items() if node.within(level)}


def topdown_result(measurement: Measurement) -> TopdownResult:
    """Return the result of a measurement."""
    return TopdownResult(
        cpu=measurement.cpu,
        title=measurement.title,
        source=measurement.source,
        kind=measurement.kind.value,
        verified=measurement.verified,
        whole=measurement.whole,
        ipc=_ipc(measurement.ipc),
        nodes=_nodes(measurement.nodes, measurement.kind),
        bottleneck=measurement.bottleneck,
        bottleneck_why=measurement.bottleneck_why,
        interval_label=measurement.interval_label,
        intervals=tuple(
            slice_record(time_slice, measurement.kind) for time_slice in measurement.slices
        ),
        facts=tuple(Fact(label=label, text=text) for label, text in measurement.facts),
        warnings=measurement.warnings,
    )


def slice_record(time_slice: Slice, kind: Kind) -> SliceRecord:
    """Return an interval of a measurement of that kind."""
    return SliceRecord(
        start_s=time_slice.start_s,
        end_s=time_slice.end_s,
        ipc=_ipc(time_slice.ipc),
        nodes=_nodes(time_slice.nodes, kind),
    )


def _ipc(ipc: Ipc | None) -> IpcRecord | None:
    if ipc is None:
        return None
    return IpcRecord(
        value=ipc.value,
        instructions=ipc.instructions,
        cycles=ipc.cycles,
        interval=_interval(ipc.interval),
    )


def _interval(interval: Interval | None) -> SlotInterval | None:
    return None if interval is None else SlotInterval(low=interval.low, high=interval.high)


def _nodes(nodes: Iterable[MeasuredNode], kind: Kind) -> dict[str, NodeRecord]:
    return {
        node.name: NodeRecord(
            value=node.value,
            level=node.level,
            parent=node.parent,
            unit=node.unit,
            above_threshold=node.above_threshold,
            interval=_interval(node.interval),
            impossible=node.impossible,
            warnings=node.warnings,
            kind=Kind.UNAVAILABLE.value if node.value is None else kind.value,
        )
        for node in nodes
    }
