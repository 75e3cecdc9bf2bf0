"""The measurement: commands in shuffled rounds, one at a time, by the launcher."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from harness.bench.plan.commands import BenchCommand
from harness.bench.run.sleep_entries import SleepEntries
from stallscope.documents import Count, Record
from stallscope.errors import TargetError
from stallscope.launcher import CompletedRun, LaunchedCommand, Launcher, resolve_program
from stallscope.statistics.estimate import median_estimate

OUTPUT_LIMIT_BYTES = 1 << 20
STABLE_SHARE = 0.01  # half the width of the median's interval, as a share of the median


class MeasuredRun(Record, frozen=True, kw_only=True):
    """One run of a command; times of CLOCK_MONOTONIC."""

    command: Count  # index of the command
    begin_ns: Count
    wall_ns: Count
    user_us: Count
    system_us: Count
    max_rss_bytes: Count
    minor_faults: Count
    major_faults: Count
    voluntary_switches: Count
    involuntary_switches: Count
    failed: bool = False
    sleep_entries: tuple[Count, ...] = ()  # into each sleep state, all CPUs together


@dataclass(frozen=True, slots=True)
class PrintedLines:
    """Benchmark lines that a run printed."""

    command: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class Measured:
    """What was measured so far; it is kept if the measurement is interrupted."""

    runs: list[MeasuredRun] = field(default_factory=list)
    printed: list[PrintedLines] = field(default_factory=list)
    leftovers: dict[int, int] = field(default_factory=dict)  # processes, by command
    junk: dict[int, str] = field(default_factory=dict)  # a malformed benchmark line, by command
    order: list[int] = field(default_factory=list)

    def of(self, command: int) -> list[MeasuredRun]:
        """Return the successful runs of a command, in order."""
        return [run for run in self.runs if run.command == command and not run.failed]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How failures, hangs and noise are handled."""

    time_limit_s: float | None = None
    ignore_failure: bool = False
    offers_ignoring: bool = True  # whether the command has the option --ignore-failure


class CommandRunner:
    """Runs the commands; checks each run, and collects the benchmark lines it prints."""

    def __init__(
        self, launcher: Launcher, commands: Sequence[BenchCommand], limits: RunLimits
    ) -> None:
        """Resolve the programs; TargetError if one does not exist."""
        self._launcher = launcher
        self._commands = commands
        self._limits = limits
        self._programs = [
            resolve_program(command.arguments, command.directory) for command in commands
        ]
        self._environments = [command.full_environment() for command in commands]
        self._prints: dict[int, bool] = {}  # whether a command prints benchmark lines

    def run(self, index: int, *, padding_bytes: int = 0) -> tuple[CompletedRun, bool]:
        """Return a run and whether it failed; TargetError without ``ignore_failure``.

        Output is read until a run shows that the command prints no benchmark lines. The padding is
        a variable of the environment, which moves the stack.
        """
        environment = self._environments[index]
        if padding_bytes:
            environment = {**environment, "STALLSCOPE_PADDING": "x" * padding_bytes}
        reads_output = self._prints.get(index, True)
        completed = self._launcher.run(
            LaunchedCommand(
                arguments=self._programs[index],
                environment=environment,
                directory=self._commands[index].directory,
                time_limit_s=self._limits.time_limit_s,
                output_limit_bytes=OUTPUT_LIMIT_BYTES if reads_output else 0,
            )
        )
        if reads_output:
            self._prints[index] = b"Benchmark" in completed.output
        failed = completed.timed_out or completed.exit_status != 0
        if failed and not self._limits.ignore_failure:
            raise TargetError(*self._failure(index, completed))
        return completed, failed

    def _failure(self, index: int, completed: CompletedRun) -> tuple[str, str]:
        name = self._commands[index].name
        if completed.timed_out:
            return (
                f"{name} ran longer than {self._limits.time_limit_s:g} s and was ended",
                "raise --timeout" + self._ignoring("leave such runs out"),
            )
        lines = completed.output.decode("utf-8", "replace").strip().splitlines()
        last = f": {lines[-1][:200]}" if lines else ""
        return (
            f"{name} failed with exit status {completed.exit_status}{last}",
            "run it by hand" + self._ignoring("leave failed runs out"),
        )

    def _ignoring(self, purpose: str) -> str:
        return f", or add --ignore-failure to {purpose}" if self._limits.offers_ignoring else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """How often all commands run."""

    runs: int
    warmup: int
    max_runs: int  # with --until-stable: the limit; otherwise equal to ``runs``
    seed: int


def measure(
    runner: CommandRunner,
    count: int,
    rounds: Rounds,
    measured: Measured,
    on_run: Callable[[int], None],
) -> None:
    """Run rounds of ``count`` commands in random order, and add the runs to ``measured``."""
    generator = random.Random(rounds.seed)  # noqa: S311 - an order, not a secret
    for _ in range(rounds.warmup):
        for index in generator.sample(range(count), count):
            runner.run(index)
    sleep_entries = SleepEntries()
    for number in range(rounds.max_runs):
        if number >= rounds.runs and is_stable(measured, count):
            return
        for index in generator.sample(range(count), count):
            on_run(number)
            before = sleep_entries.read()
            completed, failed = runner.run(index)
            after = sleep_entries.read()
            entries = tuple(max(0, new - old) for old, new in zip(before, after, strict=True))
            measured.order.append(index)
            measured.runs.append(_measured_run(index, completed, failed, entries))
            _add_output(measured, index, completed, failed)


def is_stable(measured: Measured, count: int) -> bool:
    """Return whether the interval of each median wall time is narrow."""
    for index in range(count):
        estimate = median_estimate([run.wall_ns for run in measured.of(index)])
        if estimate.median is None or estimate.low is None or estimate.high is None:
            return False
        if estimate.warnings or (estimate.high - estimate.low) / 2 > STABLE_SHARE * estimate.median:
            return False
    return True


def _measured_run(
    index: int, completed: CompletedRun, failed: bool, entries: tuple[int, ...]
) -> MeasuredRun:
    return MeasuredRun(
        command=index,
        begin_ns=completed.begin_ns,
        wall_ns=completed.wall_ns,
        user_us=completed.user_us,
        system_us=completed.system_us,
        max_rss_bytes=completed.max_rss_bytes,
        minor_faults=completed.minor_faults,
        major_faults=completed.major_faults,
        voluntary_switches=completed.voluntary_switches,
        involuntary_switches=completed.involuntary_switches,
        failed=failed,
        sleep_entries=entries,
    )


def _add_output(measured: Measured, index: int, completed: CompletedRun, failed: bool) -> None:
    from harness.bench.run.bench_text import benchmark_lines  # noqa: PLC0415 - rarely any

    if completed.leftovers and not completed.timed_out:
        measured.leftovers[index] = measured.leftovers.get(index, 0) + completed.leftovers
    if failed or b"Benchmark" not in completed.output:
        return
    lines, junk = benchmark_lines(completed.output)
    if junk:
        measured.junk.setdefault(index, junk)
    if lines:
        measured.printed.append(PrintedLines(index, lines))
