"""Pipeline slots of many hosts: means weighted by cycles, by type of CPU."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.fleet.dataset.parts import Part, read_table
from harness.fleet.query import QueryOptions, query
from harness.fleet.slots.result import FleetSlotCpu, FleetSlotNode, FleetSlotsResult
from stallscope.errors import RecordingError


@dataclass(frozen=True, slots=True)
class PartSlots:
    """The shares of a recording by node; ``cycles`` is None if they were not counted."""

    host: str
    cpu: str
    kind: str
    cycles: float | None
    shares: dict[str, float]


def fleet_slots(options: QueryOptions) -> FleetSlotsResult:
    """Return the shares of slots by type of CPU.

    Raises RecordingError if no recording has them.
    """
    values = query(options, "slots", part_slots)
    rows = [row for part in values.values for row in part]
    kinds: dict[tuple[str, str], list[PartSlots]] = {}
    for row in rows:
        kinds.setdefault((row.cpu, row.kind), []).append(row)
    return FleetSlotsResult(
        directories=tuple(str(directory) for directory in options.directories),
        hosts=values.hosts,
        recordings=len(values.values),
        cpus=tuple(
            _cpu(kinds[key]) for key in sorted(kinds, key=lambda key: (-len(kinds[key]), key))
        ),
        missing=values.missing,
    )


def part_slots(part: Part) -> tuple[PartSlots, ...]:
    """Return the shares of a part; empty if no node was counted.

    Raises RecordingError if the part is damaged.
    """
    frame = read_table(part, "slots").dropna(subset=["value"])
    if len(frame) == 0:
        return ()
    if not frame["value"].between(0, 1).all():
        raise RecordingError(
            "a share of slots is not between 0 and 1",
            f"remove it: it is built again from the recording of {part.host}",
        )
    first = frame.iloc[0]
    cycles = float(first["cycles"]) if first["cycles"] is not None else math.nan
    return (
        PartSlots(
            part.host,
            str(first["cpu"]),
            str(first["kind"]),
            cycles if math.isfinite(cycles) and cycles > 0 else None,
            dict(zip(frame["node"].astype(str), frame["value"].astype(float), strict=True)),
        ),
    )


def _cpu(rows: Sequence[PartSlots]) -> FleetSlotCpu:
    names = sorted({node for row in rows for node in row.shares})
    nodes = [_node(name, [row for row in rows if name in row.shares]) for name in names]
    nodes.sort(key=lambda node: (-(node.highest if node.share is None else node.share), node.node))
    return FleetSlotCpu(
        cpu=rows[0].cpu,
        kind=rows[0].kind,
        hosts=len({row.host for row in rows}),
        recordings=len(rows),
        cycles=math.fsum(row.cycles for row in rows if row.cycles is not None),
        recordings_without_cycles=sum(row.cycles is None for row in rows),
        nodes=tuple(nodes),
    )


def _node(name: str, rows: Sequence[PartSlots]) -> FleetSlotNode:
    lowest = min(rows, key=lambda row: row.shares[name])
    highest = max(rows, key=lambda row: row.shares[name])
    return FleetSlotNode(
        node=name,
        hosts=len({row.host for row in rows}),
        recordings=len(rows),
        share=_weighted_share(name, rows),
        lowest=lowest.shares[name],
        lowest_host=lowest.host,
        highest=highest.shares[name],
        highest_host=highest.host,
    )


def _weighted_share(name: str, rows: Sequence[PartSlots]) -> float | None:
    """Return the mean share weighted by cycles; slots per cycle are equal on a type of CPU."""
    weights = [(row.cycles, row.shares[name]) for row in rows if row.cycles is not None]
    if not weights:
        return None
    cycles = math.fsum(weight for weight, _ in weights)
    return min(1.0, math.fsum(weight * share for weight, share in weights) / cycles)
