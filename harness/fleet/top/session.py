"""The hottest functions of many hosts: partial sums by part, then their sum."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.fleet.dataset.parts import Part, read_table
from harness.fleet.query import QueryOptions, query
from harness.fleet.top.result import FleetFunction, FleetTopResult, OtherEvent

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class PartFunctions:
    """Sums by function of a part: a frame with name, module, self_value, total_value, samples."""

    host: str
    event: str
    unit: str
    samples: int
    value: int
    functions: "pd.DataFrame"


def fleet_top(options: QueryOptions, *, top: int = 20, event: str = "") -> FleetTopResult:
    """Return the functions with most self time over all recordings of an event.

    Without ``event`` it is the one with most recordings. Raises RecordingError if there is none.
    """
    import pandas as pd  # noqa: PLC0415 - start-up stays light

    values = query(options, "samples", part_functions)
    events = Counter((part.event, part.unit) for part in values.values)
    matching = [key for key in events if key[0] == event] if event else list(events)
    if not matching:
        from stallscope.errors import UsageError  # noqa: PLC0415

        names = ", ".join(sorted(name for name, _ in events))
        raise UsageError(f"no recording has the event {event}", f"the events are: {names}")
    selected = max(matching, key=lambda key: (events[key], key))
    parts = [part for part in values.values if (part.event, part.unit) == selected]
    frame = pd.concat([part.functions.assign(host=part.host) for part in parts])
    keys = ["name", "module"]
    sums = frame.groupby(keys, sort=True)[["self_value", "total_value", "self_samples"]].sum()
    sums["hosts"] = frame.groupby(keys, sort=True)["host"].nunique()
    ranked = sums.reset_index().sort_values(
        ["self_value", "total_value", "name", "module"], ascending=[False, False, True, True]
    )
    value = sum(part.value for part in parts)
    return FleetTopResult(
        directories=tuple(str(directory) for directory in options.directories),
        hosts=len({part.host for part in parts}),
        recordings=len(parts),
        event=selected[0],
        unit=selected[1],
        samples=sum(part.samples for part in parts),
        value=value,
        functions=tuple(
            FleetFunction(
                name=str(row["name"]),
                module=str(row["module"]),
                self_value=int(row["self_value"]),
                total_value=int(row["total_value"]),
                self_samples=int(row["self_samples"]),
                self_share=int(row["self_value"]) / value if value else 0.0,
                total_share=int(row["total_value"]) / value if value else 0.0,
                hosts=int(row["hosts"]),
            )
            for row in ranked.head(top).to_dict("records")
        ),
        functions_total=len(ranked),
        other_events=tuple(
            OtherEvent(event=name, recordings=count)
            for (name, unit), count in sorted(events.items())
            if (name, unit) != selected
        ),
        missing=values.missing,
        warnings=values.warnings,
    )


def part_functions(part: Part) -> PartFunctions:
    """Return the sums by function of a part. Raises RecordingError if it is damaged."""
    import pandas as pd  # noqa: PLC0415

    samples, stacks = read_table(part, "samples"), read_table(part, "stacks")
    by_stack = samples.groupby("stack", sort=True)[["samples", "value"]].sum()
    rows = stacks.set_index("stack").join(by_stack, how="inner")
    exploded = rows.explode(["functions", "modules"])
    exploded = exploded.rename(columns={"functions": "name", "modules": "module"}).dropna(
        subset=["name"]
    )
    keys = ["name", "module"]
    once = exploded.reset_index().drop_duplicates(["stack", *keys])
    total = once.groupby(keys, sort=True)["value"].sum()
    leaves = exploded[~exploded.index.duplicated(keep="last")]
    leaf = leaves.groupby(keys, sort=True)[["value", "samples"]].sum()
    frame = pd.DataFrame({"total_value": total}).join(leaf)
    frame = frame.rename(columns={"value": "self_value", "samples": "self_samples"})
    first = samples.iloc[0] if len(samples) else None
    return PartFunctions(
        part.host,
        "" if first is None else str(first["event"]),
        "" if first is None else str(first["unit"]),
        int(samples["samples"].sum()),
        int(samples["value"].sum()),
        frame.fillna(0).astype("int64").reset_index(),
    )
