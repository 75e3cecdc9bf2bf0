"""A run of `stallscope fleet top`: functions by host as a table, added up by pandas.

One recording is read at a time, so that memory is bounded by the functions and not by the samples.
With a Dask scheduler its workers read the recordings; the rows are the same, and so is the answer.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from harness.fleet.top.options import FleetTopOptions
from harness.fleet.top.result import FailedRecording, FleetFunction, FleetTopResult
from stallscope.errors import RecordingError, StallscopeError, UnableError
from stallscope.printable import printable
from stallscope.recordings import open_recording

if TYPE_CHECKING:
    import pandas as pd


class HostFunctions(Struct, frozen=True):
    """The functions of a recording: (name, module, self, total) in ``unit``; or a reason."""

    host: str
    unit: str = ""
    samples: int = 0
    value: int = 0
    rows: tuple[tuple[str, str, int, int], ...] = ()
    failure: str = ""


def functions_of(host: str, path: Path) -> HostFunctions:
    """Return the functions of a recording; a damaged one has the reason instead."""
    from harness.profile.analysis import analyze  # noqa: PLC0415 - workers import it, too

    try:
        analysis = analyze(open_recording(path))
    except StallscopeError as error:
        return HostFunctions(host, failure=error.message)
    profile = analysis.profile
    rows = tuple(
        (
            printable(profile.functions[row.index].name),
            printable(profile.functions[row.index].module),
            row.self_value,
            row.total_value,
        )
        for row in analysis.ranking.functions[:]
    )
    value = int(profile.weight_value.sum())
    return HostFunctions(host, profile.source.unit, profile.samples, value, rows)


def top_functions(options: FleetTopOptions) -> FleetTopResult:
    """Return the hottest functions; RecordingError if no recording can be read."""
    parts = list(_parts(options))
    failed = [
        FailedRecording(host=part.host, reason=part.failure) for part in parts if part.failure
    ]
    read = [part for part in parts if not part.failure and part.value]
    if not read:
        reasons = "; ".join(f"{row.host}: {row.reason}" for row in failed[:3]) or "no samples"
        raise RecordingError(f"no recording can be read: {reasons}", "record again")
    units = [part.unit for part in read]
    unit = max(sorted(set(units)), key=units.count)
    for part in read:
        if part.unit != unit:
            reason = f"its weights are in {part.unit}, not in {unit}"
            failed.append(FailedRecording(host=part.host, reason=reason))
    return _result([part for part in read if part.unit == unit], unit, failed, options.top)


def _parts(options: FleetTopOptions) -> Iterator[HostFunctions]:
    if not options.scheduler:
        for host, path in options.recordings:
            yield functions_of(host, path)
        return
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise UnableError(
            "--scheduler needs Dask, which is not installed", "pip install 'stallscope[cluster]'"
        ) from error
    with Client(options.scheduler) as client:
        futures = [
            (host, client.submit(functions_of, host, path.absolute(), pure=False, retries=1))
            for host, path in options.recordings
        ]
        for host, future in futures:
            try:
                yield future.result()
            except Exception as error:  # noqa: BLE001 - a lost worker costs its part
                yield HostFunctions(host, failure=f"its worker failed: {error}"[:300])


def function_table(parts: Sequence[HostFunctions]) -> "pd.DataFrame":
    """Return columns host, name, module, own, total and share (of the host's weight)."""
    import pandas as pd  # noqa: PLC0415 - start-up stays light

    rows = [(part.host, *row, row[2] / part.value) for part in parts for row in part.rows]
    return pd.DataFrame(rows, columns=["host", "name", "module", "own", "total", "share"])


def _result(
    parts: Sequence[HostFunctions], unit: str, failed: Sequence[FailedRecording], top: int
) -> FleetTopResult:
    table = function_table(parts)
    value = sum(part.value for part in parts)
    groups = table.groupby(["name", "module"], sort=False)
    sums = groups[["own", "total"]].sum()
    sums["hosts"] = groups["host"].nunique()
    hottest = table.loc[groups["share"].idxmax()].set_index(["name", "module"])
    sums["hottest_host"], sums["hottest_share"] = hottest["host"], hottest["share"]
    ordered = sums.reset_index().sort_values(
        ["own", "total", "name", "module"], ascending=[False, False, True, True]
    )
    functions = tuple(
        FleetFunction(
            name=row.name,
            module=row.module,
            self_share=int(row.own) / value,
            total_share=min(1.0, int(row.total) / value),
            hosts=int(row.hosts),
            hottest_host=row.hottest_host,
            hottest_share=min(1.0, float(row.hottest_share)),
        )
        for row in _rows(ordered.head(top))
    )
    return FleetTopResult(
        hosts=len({part.host for part in parts}),
        samples=sum(part.samples for part in parts),
        value=value,
        unit=unit,
        functions=functions,
        functions_in_all=len(sums),
        failed=tuple(failed),
    )


class _Row(Struct):
    name: str
    module: str
    own: int
    total: int
    hosts: int
    hottest_host: str
    hottest_share: float


def _rows(table: "pd.DataFrame") -> Iterator[_Row]:
    columns = ["name", "module", "own", "total", "hosts", "hottest_host", "hottest_share"]
    for values in table[columns].itertuples(index=False, name=None):
        yield _Row(*values)
