"""A run of `bench scale --network`: reads, solves, prints and draws networks."""

from collections.abc import Iterator
from pathlib import Path

from harness.bench.scale.network_file import read_networks
from harness.bench.scale.network_result import NetworkCase, NetworkResult, network_result
from harness.cli.outputs import write_whole
from harness.cli.result_output import print_result
from harness.cli.table import columns
from harness.cli.terminal import note, percent, printable
from stallscope.documents import encode
from stallscope.errors import ExitCode, UsageError

CSV_HEAD = "case,N,X,R,linear,saturation"


def run_network(path: Path, outputs: tuple[Path, ...], *, as_json: bool) -> int:
    """Return the exit code after solving, printing and writing the files."""
    for output in outputs:
        if output.suffix.lower() == ".html":
            raise UsageError(f"-o {output}: a network has no page", "use .svg, .png, .csv or .json")
    result = network_result(read_networks(path), path.name)
    print_result(result, lines, as_json=as_json)
    for output in outputs:
        write_whole(output, [_content(result, output.suffix.lower())])
        note(f"wrote {output}")
    return int(ExitCode.DONE)


def lines(result: NetworkResult, width: int) -> Iterator[str]:  # noqa: ARG001 - cells are not cut
    """Yield the cases side by side, then points and centres of each case."""
    yield f"{printable(result.title)}: closed network, {result.kind}"
    yield ""
    rows = [("Case", "N", "Think, s", "X", "R, s", "Change", "Bottleneck", "Knee")]
    for case in result.cases:
        change = "" if case.change is None else f"{100 * case.change:+.1f} %"
        rows.append(
            (
                printable(case.name),
                str(case.customers),
                f"{case.think_time_s:g}",
                f"{case.throughput:,.6g}",
                f"{case.response_s:.5g}",
                change,
                printable(case.bottleneck) or "none",
                "none" if case.knee is None else f"{case.knee:.4g}",
            )
        )
    yield from columns(rows)
    for case in result.cases:
        yield ""
        yield from columns(list(_centre_rows(case)))
    yield ""
    yield from columns(list(_point_rows(result.cases[0])))


def _centre_rows(case: NetworkCase) -> Iterator[tuple[str, ...]]:
    yield (printable(case.name), "Demand, s", "Customers", "Busy", "Utilization")
    for centre in case.centres:
        share = "delay" if centre.utilization is None else percent(centre.utilization)
        yield (
            printable(centre.name),
            f"{centre.demand_s:.4g}",
            f"{centre.customers:.4g}",
            f"{centre.busy:.4g}",
            share,
        )


def _point_rows(case: NetworkCase) -> Iterator[tuple[str, ...]]:
    yield ("N", "X", "R, s", "Linear bound", "Saturation")
    for point in case.points:
        saturation = "none" if point.saturation is None else f"{point.saturation:,.5g}"
        yield (
            str(point.n),
            f"{point.throughput:,.6g}",
            f"{point.response_s:.5g}",
            f"{point.linear:,.5g}",
            saturation,
        )


def _content(result: NetworkResult, suffix: str) -> str | bytes:
    if suffix == ".json":
        return encode(result) + "\n"
    if suffix == ".csv":
        return "\n".join(csv_lines(result)) + "\n"
    from harness.bench.plots.scalability import (  # noqa: PLC0415 - loads matplotlib
        BoundLine,
        ModelCurve,
        Scalability,
        scalability_picture,
    )

    curves = [
        ModelCurve(
            case.name,
            [point.n for point in case.points],
            [point.throughput for point in case.points],
        )
        for case in result.cases
    ]
    first = result.cases[0]
    counts = [point.n for point in first.points]
    bounds = [BoundLine("linear", counts, [point.linear for point in first.points])]
    saturation = first.points[0].saturation
    if saturation is not None:
        bounds.append(BoundLine("saturation", counts, [saturation] * len(counts)))
    data = Scalability(
        (), curves, bounds, "customers", "rounds/s", f"{result.title} ({result.kind})"
    )
    return scalability_picture(data, suffix.lstrip("."))


def csv_lines(result: NetworkResult) -> Iterator[str]:
    """Yield the points of all cases."""
    yield CSV_HEAD
    for case in result.cases:
        name = case.name.replace('"', '""')
        for point in case.points:
            saturation = "" if point.saturation is None else f"{point.saturation:.8g}"
            yield (
                f'"{name}",{point.n},{point.throughput:.8g},{point.response_s:.8g},'
                f"{point.linear:.8g},{saturation}"
            )
