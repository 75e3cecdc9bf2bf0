"""`stallscope record`: make a recording."""

import sys
from typing import TYPE_CHECKING, Any

import click

from harness.cli.continuous_options import continuous_choices
from harness.cli.flight_options import flight_choices
from harness.cli.json_option import json_option
from harness.cli.number_options import ShareRange
from harness.cli.recording_options import collector_options, target_options
from harness.cli.terminal import note, printable, report_command

if TYPE_CHECKING:
    from harness.continuous.options import ContinuousOptions
    from harness.flight.options import FlightOptions
    from stallscope.collector import CollectorOptions

EXAMPLES = """\b
Examples:
  stallscope record -p 4711 --duration 30 -o slow-query
  stallscope record -F 99 -a --duration 60
  stallscope record -G system.slice/nginx.service
  stallscope record -- make -j8
  stallscope record --waits -p 4711 -o slow && stallscope diagnose slow

\b
The last 30 s before a trigger:
  stallscope record -p 4711 --flight 30s --on 'psi.io>20%' --on signal
  stallscope record -p 4711 --flight 30s --on 'p99>5ms:load/intended.hlog'
  stallscope record -p 4711 --flight 30s --on 'p99>5ms' --waits
  stallscope record -a --flight 10s --on 'command:check-slow' --repeat 5
  stallscope record --flight 60s --on exit -- ./crashes-sometimes

\b
All the time, for at most 1 % of a CPU and 250 MB:
  stallscope record --continuous --budget 1% -a -o always
  stallscope record --continuous -p 4711 -o always --otlp http://localhost:4318
"""


@click.command(epilog=EXAMPLES)
@target_options
@click.option(
    "--waits",
    is_flag=True,
    help="Also record context switches and wake-ups, for diagnose and waits. Not with -a, -C, -G.",
)
@click.option(
    "--max-cost",
    type=ShareRange(0.001, 1),
    metavar="SHARE",
    help="With --waits: largest cost of recording them, as a share of the target's CPU time; above "
    "it, switches are recorded in random windows only. Default: 0.05, with --flight 0.01.",
)
@flight_choices
@continuous_choices
@json_option
def command(waits: bool, max_cost: float | None, as_json: bool, **values: Any) -> int:
    """Record a process, command, CPUs or cgroup.

    The recording is a directory. Show it with `stallscope report`, or with `perf report
    --no-inline -i DIR/samples.perf`. Ctrl-C ends the measurement and keeps the samples.

    With --flight, samples stay in memory and are overwritten, until a trigger (--on) writes the
    last seconds. Ctrl-C before a trigger then writes nothing.

    With --continuous, the directory holds numbered recordings, each of a minute or longer
    (--segment). It may be that of an earlier continuous recording, which goes on.
    """
    from harness.continuous.options import continuous_options  # noqa: PLC0415 - start-up stays light
    from harness.flight.options import flight_options  # noqa: PLC0415 - start-up stays light
    from stallscope.errors import UsageError  # noqa: PLC0415

    endless = values["flight"] is not None or values["continuous"]
    if endless and values["duration"] is None:
        values["duration"] = 0.0  # until a trigger, or Ctrl-C
    options = collector_options(values)
    continuous = continuous_options(options, values | {"waits": waits})
    if continuous is not None:
        return _record_continuous(continuous, as_json)
    flight = flight_options(options, values)
    if waits:
        options = _with_waits(options, max_cost, values["slots"])
    elif max_cost is not None:
        raise UsageError("--max-cost limits the cost of waits", "add --waits")
    if flight is not None:
        return _record_flight(_with_flight_waits(flight, max_cost) if waits else flight, as_json)
    return _record(options, values["slots"], as_json)


def _with_waits(
    options: "CollectorOptions", max_cost: float | None, slots: bool
) -> "CollectorOptions":
    """Return the options of a recording with waits. Raises UsageError if it cannot have them."""
    from dataclasses import replace  # noqa: PLC0415 - start-up stays light

    from stallscope.errors import UsageError  # noqa: PLC0415

    if slots or not (options.pids or options.command):
        raise UsageError(
            "--waits is for a recording of a process or a command, without --slots",
            "stallscope record --waits -p PID",
        )
    return replace(options, waits=True, max_cost=max_cost)


def _with_flight_waits(flight: "FlightOptions", max_cost: float | None) -> "FlightOptions":
    """Return the options of the last seconds with waits, whose cost has a lower limit."""
    from dataclasses import replace  # noqa: PLC0415 - start-up stays light

    from harness.flight.options import MAX_COST_OF_WAITS  # noqa: PLC0415

    limit = max_cost or MAX_COST_OF_WAITS
    collector = replace(flight.collector, waits=True, max_cost=limit, owner_share=limit)
    return replace(flight, collector=collector)


def _record_continuous(continuous: "ContinuousOptions", as_json: bool) -> int:
    from harness.cli.brief import document_text  # noqa: PLC0415
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.continuous.session import run_continuous  # noqa: PLC0415
    from harness.continuous.text import lines  # noqa: PLC0415
    from stallscope.errors import ExitCode  # noqa: PLC0415

    result = run_continuous(continuous)
    click.echo(document_text(result) if as_json else "\n".join(lines(result, width())))
    return int(ExitCode.DONE)


def _record_flight(flight: "FlightOptions", as_json: bool) -> int:
    from harness.cli.brief import document_text  # noqa: PLC0415
    from harness.flight.session import record_flight  # noqa: PLC0415

    result, code = record_flight(flight, sys.stderr if as_json else None)
    if as_json:
        click.echo(document_text(result))
    else:
        for recording in result.flight or ():
            click.echo(f"{recording.samples:,} samples, in {printable(recording.recording)}")
    return code


def _record(options: "CollectorOptions", slots: bool, as_json: bool) -> int:
    from harness.cli.brief import document_text  # noqa: PLC0415
    from harness.cli.target_status import exit_code, explain  # noqa: PLC0415
    from harness.profile.group_recorder import record_group  # noqa: PLC0415
    from harness.profile.record_result import RecordResult  # noqa: PLC0415
    from harness.profile.recorder import interrupted_once  # noqa: PLC0415 - start-up stays light

    with interrupted_once(options):
        recording, end = record_group(options, slots=slots, as_json=as_json, print_warnings=True)
    manifest = recording.manifest
    assert manifest is not None
    if as_json:
        result = RecordResult(
            recording=str(recording.path),
            samples=manifest.samples,
            lost=manifest.lost_samples,
            complete=manifest.complete,
            end=manifest.end_reason,
            target_status=manifest.target_status or None,
        )
        click.echo(document_text(result))
    else:
        click.echo(
            f"{manifest.samples:,} samples of {printable(manifest.source.event)}, "
            f"{manifest.lost_samples:,} lost, in {printable(str(recording.path))}"
        )
        note(f"show it with: {report_command(recording.path)}")
    explain(manifest, end)
    return exit_code(manifest, end)
