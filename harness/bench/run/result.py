"""The result of `stallscope bench run`."""

from collections.abc import Sequence

from harness.bench.plan.commands import BenchCommand, MatrixPlace
from harness.bench.run.bench_text import operation_times_ns
from harness.bench.run.measurement import Measured, MeasuredRun
from harness.recordings.results import RecordedResult
from stallscope.documents import Count, Natural, Number, Record, field
from stallscope.statistics.estimate import Estimate, median_estimate

_TITLE_NAMES = 5


class CommandCounters(Record, frozen=True, kw_only=True):
    """Counters of one further run of a command; all values are None if they are unavailable."""

    instructions: Number | None = None
    ipc: Number | None = None
    slots: dict[str, Number | None] = field(
        default_factory=dict
    )  # first level, as shares of all slots
    unavailable: str = ""


class CommandRuns(Record, frozen=True, kw_only=True):
    """A command, and the medians of its runs."""

    name: str
    arguments: tuple[str, ...]
    server: str  # empty: none
    failed: Count
    wall_ns: Estimate
    user_us: Estimate
    system_us: Estimate
    cpu_us: Estimate  # user and system time together
    max_rss_bytes: Estimate
    minor_faults: Estimate
    major_faults: Estimate
    voluntary_switches: Estimate
    involuntary_switches: Estimate
    sleep_entries: dict[str, Estimate]  # per run, by sleep state, of all CPUs
    counters: CommandCounters
    printed_lines: Count  # benchmark lines that its runs printed
    operation_ns: tuple[Number, ...] = ()  # times per operation in the lines of the first name
    place: MatrixPlace | None = None  # in a bench.toml


class BenchRunResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.bench.run/1"):
    """The runs of all commands, in the order of the measurement."""

    seed: Count
    warmup: Count
    rounds: Count
    stable: bool | None  # None without --until-stable
    sleep_states: tuple[str, ...]
    sleep_states_missing: str  # why there are none
    commands: tuple[CommandRuns, ...]
    runs: tuple[MeasuredRun, ...]
    clock_resolution_ns: Natural

    @property
    def title(self) -> str:
        """Return the subject for a page."""
        names = [command.name for command in self.commands]
        more = f" and {len(names) - _TITLE_NAMES} more" if len(names) > _TITLE_NAMES else ""
        return ", ".join(names[:_TITLE_NAMES]) + more


_QUANTITIES = (
    "wall_ns",
    "user_us",
    "system_us",
    "max_rss_bytes",
    "minor_faults",
    "major_faults",
    "voluntary_switches",
    "involuntary_switches",
)


def command_runs(
    index: int,
    command: BenchCommand,
    measured: Measured,
    states: Sequence[str],
    counters: CommandCounters,
) -> CommandRuns:
    """Return the medians of a command's successful runs."""
    runs = measured.of(index)
    estimates = {
        name: median_estimate([float(getattr(run, name)) for run in runs]) for name in _QUANTITIES
    }
    return CommandRuns(
        name=command.name,
        arguments=command.arguments,
        server=command.server,
        failed=sum(run.failed for run in measured.runs if run.command == index),
        cpu_us=median_estimate([float(run.user_us + run.system_us) for run in runs]),
        sleep_entries={
            state: median_estimate([float(run.sleep_entries[place]) for run in runs])
            for place, state in enumerate(states)
        },
        counters=counters,
        printed_lines=sum(
            len(printed.lines) for printed in measured.printed if printed.command == index
        ),
        operation_ns=tuple(
            time_ns
            for printed in measured.printed
            if printed.command == index
            for time_ns in operation_times_ns(printed.lines)
        ),
        place=command.place,
        **estimates,
    )
