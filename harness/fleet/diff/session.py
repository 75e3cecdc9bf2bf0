"""Functions of two sets of recordings: shares of the sums, and of the hosts in both sets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.fleet.diff.result import FleetDiffResult, FleetFunctionChange, FleetSet
from harness.fleet.query import QueryOptions, QueryValues, query
from harness.fleet.top.session import PartFunctions, part_functions
from stallscope.errors import RecordingError, UsageError

Function = tuple[str, str]  # name and module
Event = tuple[str, str]  # name and unit


@dataclass(frozen=True, slots=True)
class HostSums:
    """Self values by function of a host or of all hosts, in the unit of the event."""

    value: int
    functions: Mapping[Function, int]

    def share(self, function: Function) -> float:
        """Return a function's share (0..1) of the value; without samples it is 0."""
        return self.functions.get(function, 0) / self.value if self.value else 0.0


def fleet_diff(
    before: QueryOptions, after: QueryOptions, *, top: int = 20, event: str = ""
) -> FleetDiffResult:
    """Return the functions whose share of self time changed most between two sets.

    Without ``event`` it is the event in both sets with most recordings. Raises UsageError if the
    sets have no event in common, RecordingError if one has no samples.
    """
    values = query(before, "samples", part_functions), query(after, "samples", part_functions)
    shown = _common_event(values[0].values, values[1].values, event)
    parts_before, parts_after = (
        [part for part in rows.values if (part.event, part.unit) == shown] for rows in values
    )
    sums = _sums(parts_before), _sums(parts_after)
    for total, options in zip(sums, (before, after), strict=True):
        if total.value == 0:
            raise RecordingError(
                f"{options.directories[0]} has no samples of {shown[0]}", "record for a longer time"
            )
    hosts_before, hosts_after = _by_host(parts_before), _by_host(parts_after)
    # A host without samples in a set has no share to compare.
    pairs = [
        (hosts_before[host], hosts_after[host])
        for host in sorted(hosts_before.keys() & hosts_after.keys())
        if hosts_before[host].value and hosts_after[host].value
    ]
    names = sums[0].functions.keys() | sums[1].functions.keys()
    shares = {name: (sums[0].share(name), sums[1].share(name)) for name in names}
    ranked = sorted(names, key=lambda name: (-abs(shares[name][1] - shares[name][0]), name))
    return FleetDiffResult(
        before=_set(before, values[0], parts_before, sums[0]),
        after=_set(after, values[1], parts_after, sums[1]),
        event=shown[0],
        unit=shown[1],
        hosts_in_both=len(pairs),
        functions=tuple(_change(name, *shares[name], pairs) for name in ranked[:top]),
        functions_total=len(ranked),
    )


def _common_event(
    before: Sequence[PartFunctions], after: Sequence[PartFunctions], event: str
) -> Event:
    counts = [Counter((part.event, part.unit) for part in parts) for parts in (before, after)]
    common = [key for key in counts[0] if key in counts[1] and (not event or key[0] == event)]
    if not common:
        names = [", ".join(sorted({name for name, _ in count})) for count in counts]
        subject = f"the event {event} is not in both sets" if event else "the sets share no event"
        raise UsageError(subject, f"the events are: {names[0]}; and: {names[1]}")
    return max(common, key=lambda key: (counts[0][key] + counts[1][key], key))


def _sums(parts: Sequence[PartFunctions]) -> HostSums:
    functions: Counter[Function] = Counter()
    for part in parts:
        frame = part.functions
        rows = zip(frame["name"], frame["module"], frame["self_value"].tolist(), strict=True)
        for name, module, value in rows:
            if value:
                functions[(str(name), str(module))] += value
    return HostSums(sum(part.value for part in parts), functions)


def _by_host(parts: Sequence[PartFunctions]) -> dict[str, HostSums]:
    hosts: dict[str, list[PartFunctions]] = {}
    for part in parts:
        hosts.setdefault(part.host, []).append(part)
    return {host: _sums(rows) for host, rows in hosts.items()}


def _change(
    function: Function, before: float, after: float, pairs: Sequence[tuple[HostSums, HostSums]]
) -> FleetFunctionChange:
    changes = [later.share(function) - earlier.share(function) for earlier, later in pairs]
    return FleetFunctionChange(
        name=function[0],
        module=function[1],
        share_before=before,
        share_after=after,
        change=after - before,
        hosts_higher=sum(change > 0 for change in changes),
        hosts_lower=sum(change < 0 for change in changes),
    )


def _set(
    options: QueryOptions,
    values: QueryValues[PartFunctions],
    parts: Sequence[PartFunctions],
    sums: HostSums,
) -> FleetSet:
    return FleetSet(
        directory=str(options.directories[0]),
        hosts=len({part.host for part in parts}),
        recordings=len(parts),
        samples=sum(part.samples for part in parts),
        value=sums.value,
        recordings_of_other_events=len(values.values) - len(parts),
        missing=values.missing,
        warnings=values.warnings,
    )
