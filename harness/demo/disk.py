"""The disk part of the demo: a probe, a response curve and a storm, on temporary files."""

from collections.abc import Callable
from pathlib import Path

import click

from harness.cli.terminal import colours, printable, wrapped
from harness.demo.index import DemoPage
from harness.io.curve.options import CurveOptions
from harness.io.curve.result import CurveResult
from harness.io.curve.session import run_curve
from harness.io.probe.options import ProbeOptions
from harness.io.probe.result import ProbeResult
from harness.io.probe.session import run_probe
from harness.io.recording import PAGE
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
STORM_MAX_S = 12.0
EXPECTED_S = 38.0  # including the time to write the files


def disk_part(folder: Path, room: int, *, disk: str | None = None) -> list[DemoPage]:
    """Measure the disk of the folder, or ``disk``, and return its pages with verdicts.

    Recordings and their pages are written into the folder. If the disk cannot be measured, the
    reason is printed.
    """
    path = disk or str(folder)
    heading = (
        "The disk of this directory: one read at a time, then growing depths, then beside a storm "
        "of writes, on temporary files."
    )
    click.echo("\n".join(wrapped(heading, room)) + "\n", color=colours())
    pages: list[DemoPage] = []
    try:
        run_probe(_probe(folder, path), as_json=False)
        pages.append(_page(folder, "probe", "Disk: one request at a time", _probe_verdict))
        click.echo()
        run_curve(_curve(folder, path), as_json=False)
        pages.append(_page(folder, "curve", "Disk: response curve", _curve_verdict))
        click.echo()
        run_storm(_storm(folder, path), as_json=False)
        pages.append(_page(folder, "storm", "Disk: reads beside a storm of writes", _storm_verdict))
    except StallscopeError as error:
        why = f"The disk was not measured: {printable(error.message)}; {error.remedy}."
        click.echo("\n".join(wrapped(why, room)))
        pages.append(DemoPage("Disk", None, why))
    return pages


def _page(folder: Path, verb: str, title: str, verdict: Callable[[Path], str]) -> DemoPage:
    recording = folder / f"disk-{verb}"
    return DemoPage(title, recording / PAGE, verdict(recording / f"{verb}.json"))


def _probe_verdict(document: Path) -> str:
    latency = read_document(document, ProbeResult).latency_ns
    if latency is None:
        return "no read completed"
    p50, p99 = value_text(round(latency.p50), "ns"), value_text(round(latency.p99), "ns")
    return f"a read takes {p50}, p99 {p99}"


def _curve_verdict(document: Path) -> str:
    result = read_document(document, CurveResult)
    return "; ".join([f"{result.verdict}", *(finding.text for finding in result.findings[:1])])


def _storm_verdict(document: Path) -> str:
    result = read_document(document, StormResult)
    return f"{result.verdict}: {result.verdict_reason}"


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
