"""Runs a command at each count: rounds in alternating order, so that drift does not follow N."""

import os
import shlex
from collections.abc import Iterator

from harness.bench.scale.benchmark_lines import (
    base_unit,
    default_unit,
    lines_of_output,
    rate_unit,
    reading,
)
from harness.bench.scale.options import PLACEHOLDER, RunOptions, Work
from harness.bench.scale.readings import CountMeasurement
from harness.cli.terminal import LiveLine
from stallscope.errors import TargetError
from stallscope.launcher import CompletedRun, LaunchedCommand, Launcher, resolve_program

_NS = 1e9
_US = 1e6
_MAX_OUTPUT_BYTES = 2**20
_SHOWN_OUTPUT = 300


def run_order(options: RunOptions) -> Iterator[int]:
    """Yield the count of every measured run; every second round is reversed."""
    for number in range(options.rounds):
        yield from options.counts if number % 2 == 0 else options.counts[::-1]


def measure(options: RunOptions, unit: str | None) -> tuple[list[CountMeasurement], str, list[str]]:
    """Return the readings, the unit of X and warnings; Ctrl-C keeps what was measured.

    Raises TargetError if the command fails or exceeds its time, unless failures are ignored.
    """
    readings: list[CountMeasurement] = []
    units: list[str] = []
    warnings: list[str] = []
    order = [options.counts[0]] * options.warmup + list(run_order(options))
    live = LiveLine()
    with Launcher() as launcher:
        try:
            for number, count in enumerate(order):
                live.show(f"{count}: {options.command[0]}", done=number, whole=len(order))
                run = _run(launcher, options, count)
                if run.leftovers:
                    warnings.append("The command left processes behind, which were ended.")
                problem = _problem(options, run)
                if problem and not options.ignore_failure:
                    raise TargetError(*problem)
                if problem:
                    warnings.append(f"Left out: {problem[0]}.")
                elif number >= options.warmup:
                    measured, used = _reading(run, options, count, unit)
                    readings.append(measured)
                    units.append(used)
        except KeyboardInterrupt:
            warnings.append("Interrupted: later runs are missing.")
        finally:
            live.clear()
    if not readings:
        raise TargetError("no run of the command was measured", "see what it prints on its own")
    if len(set(units)) > 1:
        raise TargetError(
            f"the command printed rates in different units: {', '.join(sorted(set(units)))}",
            "choose one with --unit",
        )
    return readings, units[0], list(dict.fromkeys(warnings))


def _run(launcher: Launcher, options: RunOptions, count: int) -> CompletedRun:
    words = [word.replace(PLACEHOLDER, str(count)) for word in options.command]
    return launcher.run(
        LaunchedCommand(
            arguments=resolve_program(words, None),
            time_limit_s=options.timeout_s,
            output_limit_bytes=_MAX_OUTPUT_BYTES,
        )
    )


def _problem(options: RunOptions, run: CompletedRun) -> tuple[str, str] | None:
    """Return message and remedy if a run failed."""
    command = shlex.join(options.command)[:120]
    if run.timed_out:
        message = f"{command} did not end within {options.timeout_s:g} s"
        return message, "raise --timeout, or use a smaller workload"
    if run.exit_status:
        end = run.output[-_SHOWN_OUTPUT:].decode("utf-8", "replace").strip()
        printed = f": {end}" if end else ""
        return (
            f"{command} ended with exit status {run.exit_status}{printed}",
            "run it on its own, or use --ignore-failure",
        )
    return None


def _reading(
    run: CompletedRun, options: RunOptions, count: int, unit: str | None
) -> tuple[CountMeasurement, str]:
    """Return the reading of a run, and its unit: a printed rate, or runs per second."""
    place = f"the run at {count}"
    wall_s = run.wall_ns / _NS
    busy = (run.user_us + run.system_us) / _US / wall_s
    lines = lines_of_output(run.output, place)
    used = base_unit(unit) or default_unit(lines)
    for line in lines:
        if used in line.values:
            printed = reading(line, used, count, 1)
            return CountMeasurement(
                count, printed.throughput, place, printed.response_s, busy
            ), rate_unit(used)
    if unit is not None:
        raise TargetError(
            f"the command printed no benchmark line with the unit {unit}",
            "the format is: BenchmarkName 1 <value> <unit>",
        )
    amount = count if options.work is Work.PER_THREAD else 1
    return CountMeasurement(count, amount / wall_s, place, None, busy), "runs/s"


def usable_cpus() -> int:
    """Return the number of CPUs that the command may use."""
    return len(os.sched_getaffinity(0))
