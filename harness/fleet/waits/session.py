"""Wall time by group of threads and state over many hosts: sums by part, then their sum."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.fleet.dataset.parts import Part, read_table
from harness.fleet.query import QueryOptions, query
from harness.fleet.waits.result import FleetWaitGroup, FleetWaitsResult, FleetWaitState
from stallscope.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

_KEYS = ["process", "group"]


@dataclass(frozen=True, slots=True)
class PartWaits:
    """Times of a part: a frame with process, group, threads, state and time_ns."""

    host: str
    waits: "pd.DataFrame"


def fleet_waits(options: QueryOptions, *, top: int = 20, state: str = "") -> FleetWaitsResult:
    """Return the groups with most time in a state; without ``state``, in all states.

    Raises RecordingError without recordings of waits, and UsageError for an unknown state.
    """
    import pandas as pd  # noqa: PLC0415 - start-up stays light

    values = query(options, "waits", part_waits)
    frame = pd.concat([part.waits.assign(host=part.host) for part in values.values])
    states = sorted(frame["state"].unique())
    if state and state not in states:
        raise UsageError(
            f"no recording has the state {state}", f"the states are: {', '.join(states)}"
        )
    times = frame.groupby([*_KEYS, "state"], sort=True)["time_ns"].sum().reset_index()
    by_group: dict[tuple[str, str], dict[str, int]] = {}
    for row in times.to_dict("records"):
        key = (str(row["process"]), str(row["group"]))
        by_group.setdefault(key, {})[str(row["state"])] = int(row["time_ns"])
    hosts = frame.groupby(_KEYS, sort=True)["host"].nunique()
    # Each state of a group repeats its number of threads.
    parts = [part.waits.drop_duplicates(_KEYS) for part in values.values]
    threads = pd.concat(parts).groupby(_KEYS, sort=True)["threads"].sum()
    keys = [key for key in by_group if not state or state in by_group[key]]
    keys.sort(key=lambda key: (-_ranked_ns(by_group[key], state), key))
    return FleetWaitsResult(
        directories=tuple(str(directory) for directory in options.directories),
        hosts=values.hosts,
        recordings=len(values.values),
        time_ns=int(frame["time_ns"].sum()),
        state=state,
        groups=tuple(
            FleetWaitGroup(
                process=key[0],
                group=key[1],
                hosts=int(hosts[key]),
                threads=int(threads[key]),
                time_ns=sum(by_group[key].values()),
                states=_states(by_group[key]),
            )
            for key in keys[:top]
        ),
        groups_total=len(keys),
        missing=values.missing,
    )


def part_waits(part: Part) -> PartWaits:
    """Return the times of a part. Raises RecordingError if it is damaged."""
    frame = read_table(part, "waits")[[*_KEYS, "threads", "state", "time_ns"]]
    # Categories differ between parts.
    return PartWaits(part.host, frame.astype({"process": str, "group": str, "state": str}))


def _ranked_ns(times: Mapping[str, int], state: str) -> int:
    return times[state] if state else sum(times.values())


def _states(times: Mapping[str, int]) -> tuple[FleetWaitState, ...]:
    total = sum(times.values())
    return tuple(
        FleetWaitState(state=state, time_ns=time_ns, share=time_ns / total if total else 0.0)
        for state, time_ns in sorted(times.items(), key=lambda row: (-row[1], row[0]))
    )
