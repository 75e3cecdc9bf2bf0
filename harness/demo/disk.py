"""The disk part of the demo: a probe, a response curve and a storm, on temporary files."""

from pathlib import Path

import click

from harness.cli.terminal import colours, printable, wrapped
from harness.demo.report import DemoPart
from harness.io.curve import panel as curve_panel
from harness.io.curve.options import CurveOptions
from harness.io.curve.result import CurveResult
from harness.io.curve.session import run_curve
from harness.io.probe import panel as probe_panel
from harness.io.probe.options import ProbeOptions
from harness.io.probe.result import ProbeResult
from harness.io.probe.session import run_probe
from harness.io.recording import PAGE
from harness.labs.storm import panel as storm_panel
from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions, TrialOptions
from harness.labs.storm.result import StormResult
from harness.labs.storm.session import run_storm
from ioprobe.curve.plan import CurvePlan, CurveRequests
from stallscope.documents import read_document
from stallscope.errors import StallscopeError
from stallscope.quantities import value_text

FILE_BYTES = 64 * 2**20
PROBE_S = 1.0
PLAN = CurvePlan(
    max_depth=32, repeats=2, duration_s=0.2, warmup_s=0.05, slo_p99_ns=None
)  # a short curve; `stallscope io curve` measures longer
STORM_ROUNDS = 5
STORM_S = 0.3
STORM_TRIAL = TrialOptions(
    limits=(64, 48, 32, 16, 8), rounds=8, max_repeats=0, duration_s=0.2, warmup_s=0.05
)
STORM_MAX_S = 8.0
EXPECTED_S = 34.0  # including the time to write the files


def disk_part(folder: Path, room: int, *, disk: str | None = None) -> list[DemoPart]:
    """Measure the disk of the folder, or ``disk``, and return its parts with verdicts.

    Recordings and their pages are written into the folder. If the disk cannot be measured, the
    reason is printed.
    """
    path = disk or str(folder)
    heading = (
        "The disk of this directory: one read at a time, then growing depths, then beside a storm "
        "of writes, on temporary files."
    )
    click.echo("\n".join(wrapped(heading, room)) + "\n", color=colours())
    parts: list[DemoPart] = []
    try:
        run_probe(_probe(folder, path), as_json=False)
        parts.append(_probe_part(folder))
        click.echo()
        run_curve(_curve(folder, path), as_json=False)
        parts.append(_curve_part(folder))
        click.echo()
        run_storm(_storm(folder, path), as_json=False)
        parts.append(_storm_part(folder))
    except StallscopeError as error:
        why = f"The disk was not measured: {printable(error.message)}; {error.remedy}."
        click.echo("\n".join(wrapped(why, room)))
        parts.append(DemoPart("disk", "Disk", None, why))
    return parts


def _probe_part(folder: Path) -> DemoPart:
    result = read_document(folder / "disk-probe" / "probe.json", ProbeResult)
    latency = result.latency_ns
    verdict = "no read completed"
    if latency is not None:
        p50, p99 = value_text(round(latency.p50), "ns"), value_text(round(latency.p99), "ns")
        verdict = f"a read takes {p50}, p99 {p99}"
    title = "Disk: one request at a time"
    page = folder / "disk-probe" / PAGE
    return DemoPart("probe", title, page, verdict, probe_panel.panels(result))


def _curve_part(folder: Path) -> DemoPart:
    result = read_document(folder / "disk-curve" / "curve.json", CurveResult)
    verdict = "; ".join([f"{result.verdict}", *(finding.text for finding in result.findings[:1])])
    page = folder / "disk-curve" / PAGE
    return DemoPart("curve", "Disk: response curve", page, verdict, curve_panel.panels(result))


def _storm_part(folder: Path) -> DemoPart:
    result = read_document(folder / "disk-storm" / "storm.json", StormResult)
    verdict = f"{result.verdict}: {result.verdict_reason}"
    title = "Disk: reads beside a storm of writes"
    page = folder / "disk-storm" / PAGE
    return DemoPart("storm", title, page, verdict, storm_panel.panels(result))


def _probe(folder: Path, path: str) -> ProbeOptions:
    return ProbeOptions(
        path=path,
        duration_s=PROBE_S,
        file_bytes=FILE_BYTES,
        output=folder / "disk-probe",
    )


def _curve(folder: Path, path: str) -> CurveOptions:
    return CurveOptions(
        path=path,
        plan=PLAN,
        requests=CurveRequests(block_bytes=4096, pattern="random", kind="reads"),
        size_bytes=FILE_BYTES,
        span_bytes=None,
        destroy=None,
        output=folder / "disk-curve",
        io_properties=None,
        force=False,
    )


def _storm(folder: Path, path: str) -> StormOptions:
    return StormOptions(
        path=path,
        rounds=STORM_ROUNDS,
        duration_s=STORM_S,
        warmup_s=0.1,
        limits=(REFERENCE_LIMIT,),
        first_come=False,
        no_limit=False,
        trial=STORM_TRIAL,
        max_s=STORM_MAX_S,
        size_bytes=FILE_BYTES,
        output=folder / "disk-storm",
    )
