"""The demo's part about the disk: a probe, a response curve, a storm, on files of its own."""

from pathlib import Path

import click

from harness.cli.terminal import colours, printable, wrapped
from harness.io.curve.options import CurveOptions
from harness.io.curve.session import run_curve
from harness.io.probe.options import ProbeRequest
from harness.io.probe.session import run_probe
from harness.labs.storm.options import REFERENCE_LIMIT, StormOptions, TrialOptions
from harness.labs.storm.session import run_storm
from ioprobe.curve.plan import CurvePlan, CurveRequests
from stallscope.errors import StallscopeError

FILE_BYTES = 64 * 2**20
PROBE_S = 1.0
PLAN = CurvePlan(
    most_depth=32, repeats=2, duration_s=0.2, warmup_s=0.05, slo_p99_ns=None
)  # for a look only: `stallscope io curve` takes its time
STORM_ROUNDS = 5
STORM_S = 0.3
STORM_TRIAL = TrialOptions(limits=(64, 48, 32, 16, 8), rounds=8, duration_s=0.2, warmup_s=0.05)
STORM_MAX_S = 12.0
EXPECTED_S = 38.0  # including the time to write the files


def disk_part(folder: Path, room: int, *, disk: str | None = None) -> None:
    """Print what a disk does, the folder's own without; where it cannot be measured, the reason.

    Recordings with their pages are put into the folder.
    """
    path = disk or str(folder)
    heading = (
        "The disk of this directory: one read at a time, then more and more at once, then beside a "
        "storm of writes, on files of its own that are gone at the end."
    )
    click.echo("\n".join(wrapped(heading, room)) + "\n", color=colours())
    try:
        run_probe(_probe(folder, path), as_json=False)
        click.echo()
        run_curve(_curve(folder, path), as_json=False)
        click.echo()
        run_storm(_storm(folder, path), as_json=False)
    except StallscopeError as error:
        why = f"The disk was not measured: {printable(error.message)}; {error.remedy}."
        click.echo("\n".join(wrapped(why, room)))


def _probe(folder: Path, path: str) -> ProbeRequest:
    return ProbeRequest(
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
