"""A run of `stallscope bench run`: servers, measurement, recording, output."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec import structs

from cstates.fingerprint import Fingerprint
from harness.bench.plan.commands import BenchCommand
from harness.bench.plan.servers import running_servers, with_ports
from harness.bench.run.conditions import (
    RunConditions,
    clock_resolution_ns,
    command_warnings,
    machine_warnings,
    settings_warnings,
)
from harness.bench.run.counters import count_commands, missing_counters
from harness.bench.run.measurement import (
    CommandRunner,
    Measured,
    Rounds,
    is_stable,
    measure,
)
from harness.bench.run.options import BenchRunOptions
from harness.bench.run.recording import make_directory, write_manifest, write_page, write_results
from harness.bench.run.result import BenchRunResult, CommandCounters, command_runs
from harness.bench.run.sleep_entries import SleepEntries
from harness.bench.run.text import lines
from harness.cli.brief import document_text
from harness.cli.result_output import print_result
from harness.cli.terminal import LiveLine, note, printable, report_command
from harness.recordings.directory import remove_empty
from harness.recordings.settings_text import settings_lines, settings_now, settings_since
from stallscope.errors import ExitCode
from stallscope.launcher import Launcher


@dataclass(frozen=True, slots=True)
class BenchSession:
    """What a session measured."""

    commands: tuple[BenchCommand, ...]
    measured: Measured
    counters: tuple[CommandCounters, ...]
    warnings: tuple[str, ...]
    interrupted: bool


def run_bench(options: BenchRunOptions) -> int:
    """Return the exit code after the runs, with the recording written and the result printed."""
    words = tuple(" ".join(command.arguments) for command in options.plan.commands)
    make_directory(options.directory, force=options.force)
    before = settings_now()
    begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    write_manifest(options.directory, begin_ns, words)
    if not options.as_json:
        note(f"seed {options.seed}")
    try:
        session = run_session(options)
    except BaseException:
        remove_empty(options.directory)
        raise
    settings = settings_since(before)
    result = bench_result(options, session, settings)
    write_results(options.directory, result, session.measured)
    write_manifest(options.directory, begin_ns, words, result, settings)
    page = write_page(options.directory, result, settings)
    show_result(result, settings, options.directory, page, as_json=options.as_json)
    if not options.as_json:
        note(f"to see it again: {report_command(options.directory)}")
    return int(ExitCode.INTERRUPTED if session.interrupted else ExitCode.DONE)


def run_session(options: BenchRunOptions) -> BenchSession:
    """Return what was measured, also if Ctrl-C ended it early.

    Raises TargetError if a command fails, KeyboardInterrupt if nothing was measured yet.
    """
    measured, live = Measured(), LiveLine()
    conditions = RunConditions.now()
    rounds = Rounds(
        runs=options.runs, warmup=options.warmup, max_runs=options.max_runs, seed=options.seed
    )
    count = len(options.plan.commands)
    counters = missing_counters("the measurement was interrupted", count)
    interrupted = False
    with running_servers(options.plan.servers) as ports, Launcher() as launcher:
        commands = with_ports(options.plan.commands, ports)
        runner = CommandRunner(launcher, commands, options.limits)
        try:
            live.show("bench: warming up")
            measure(
                runner,
                count,
                rounds,
                measured,
                lambda number: live.show("bench: measuring", done=number, whole=options.max_runs),
            )
            warnings = tuple(machine_warnings(conditions, RunConditions.now()))
            counters = count_commands(runner, launcher.pid, count)
        except KeyboardInterrupt:
            if not measured.runs:
                raise
            interrupted = True
            warnings = tuple(machine_warnings(conditions, RunConditions.now()))
        finally:
            live.clear()
    return BenchSession(commands, measured, counters, warnings, interrupted)


def bench_result(
    options: BenchRunOptions, session: BenchSession, settings: Fingerprint | None
) -> BenchRunResult:
    """Return the result of a session."""
    measured = session.measured
    states = SleepEntries().names
    rows = tuple(
        command_runs(index, command, measured, states, session.counters[index])
        for index, command in enumerate(session.commands)
    )
    stable = is_stable(measured, len(rows)) if options.until_stable else None
    missing = "" if states else (settings.idle_missing if settings else None) or "no cpuidle"
    return BenchRunResult(
        source="measured",
        complete=not session.interrupted,
        seed=options.seed,
        warmup=options.warmup,
        rounds=max((row.wall_ns.n + row.failed for row in rows), default=0),
        stable=stable,
        sleep_states=states,
        sleep_states_missing=missing,
        commands=rows,
        runs=tuple(measured.runs),
        clock_resolution_ns=clock_resolution_ns(),
        warnings=(
            *(text for row in rows for text in command_warnings(row)),
            *_output_warnings(session.commands, measured),
            *options.plan.warnings,
            *session.warnings,
            *settings_warnings(settings),
        ),
    )


def _output_warnings(commands: Sequence[BenchCommand], measured: Measured) -> list[str]:
    left = [
        f"{commands[index].name}: left {number} processes running, which were ended"
        for index, number in measured.leftovers.items()
    ]
    junk = [
        f"{commands[index].name}: a malformed benchmark line is left out: {printable(line)}"
        for index, line in measured.junk.items()
    ]
    return left + junk


def show_result(
    result: BenchRunResult,
    settings: Fingerprint | None,
    recording: Path,
    page: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print a result as JSON or as text, with the machine's settings and the paths."""
    if as_json:
        report = None if page is None else str(page)
        click.echo(
            document_text(
                structs.replace(result, settings=settings, recording=str(recording), report=report)
            )
        )
        return
    print_result(
        result,
        lambda shown, room: [*lines(shown, room), *settings_lines(settings, room)],
        as_json=False,
    )
    click.echo(f"\nrecording  {printable(str(recording))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")
