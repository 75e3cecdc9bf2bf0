"""The result of `stallscope bench run` for a terminal."""

from collections.abc import Iterator, Sequence

from harness.bench.matrix.sections import sections
from harness.bench.matrix.text import section_lines
from harness.bench.run.result import BenchRunResult, CommandRuns
from harness.cli.table import fitting_rows
from harness.cli.terminal import printable, wrapped
from stallscope.quantities import microseconds_text, size_text
from stallscope.statistics.estimate import Estimate

HEADS = ("command", "wall", "95 % interval", "user", "system", "memory", "faults", "switches", "n")
MAX_NOTED = 20  # commands whose counters are printed
OPTIONAL = ("switches", "faults", "system", "user", "memory", "95 % interval")


def lines(result: BenchRunResult, room: int) -> Iterator[str]:
    """Yield the table of medians, counters and warnings for ``room`` columns."""
    yield (
        f"medians of {result.rounds} rounds in random order ({result.source_text}), seed "
        f"{result.seed}; rounds of warm-up: {result.warmup}"
    )
    if result.stable is not None:
        yield "stable: yes" if result.stable else "stable: no, the limit of runs was reached"
    yield ""
    yield from section_lines(sections(result, "local"))
    yield from fitting_rows([HEADS, *table_rows(result.commands)], room, OPTIONAL)
    yield ""
    for line in note_texts(result):
        yield from wrapped(line, room, "  ")
    for warning in result.warnings:
        yield from wrapped(f"warning: {warning}", room, "  ")


def table_rows(commands: Sequence[CommandRuns]) -> list[tuple[str, ...]]:
    """Return the cells of every command."""
    return [
        (
            printable(command.name),
            _time(command.wall_ns, 1e3),
            _interval(command.wall_ns),
            _time(command.user_us),
            _time(command.system_us),
            _size(command.max_rss_bytes),
            _count(command.minor_faults, command.major_faults),
            _count(command.voluntary_switches, command.involuntary_switches),
            str(command.wall_ns.n),
        )
        for command in commands
    ]


def note_texts(result: BenchRunResult) -> Iterator[str]:
    """Yield counters, sleep states, and the reasons why there are none."""
    reasons = {command.counters.unavailable for command in result.commands}
    for reason in sorted(reasons - {""}):
        yield f"counters and slots: unavailable: {reason}"
    if len(result.commands) > MAX_NOTED:
        yield f"{len(result.commands)} commands: their counters and sleep states are in bench.json"
    for command in result.commands if len(result.commands) <= MAX_NOTED else ():
        counters = command.counters
        if not counters.unavailable:
            slots = ", ".join(
                f"{name} {'n/a' if share is None else f'{share:.0%}'}"
                for name, share in counters.slots.items()
            )
            ipc = "n/a" if counters.ipc is None else f"{counters.ipc:.2f}"
            yield f"{command.name}: IPC {ipc}; slots: {slots or 'n/a'}"
        if command.printed_lines:
            yield f"{command.name}: {command.printed_lines} benchmark lines, copied to bench.txt"
        if command.sleep_entries:
            entries = ", ".join(
                f"{state} {'n/a' if entries.median is None else f'{entries.median:g}'}"
                for state, entries in command.sleep_entries.items()
            )
            yield f"{command.name}: entries into sleep states per run, all CPUs: {entries}"
    if result.sleep_states_missing:
        yield f"sleep states: unavailable: {result.sleep_states_missing}"


def _time(estimate: Estimate, per_us: float = 1.0) -> str:
    return "n/a" if estimate.median is None else microseconds_text(estimate.median / per_us)


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "n/a"
    low, high = microseconds_text(estimate.low / 1e3), microseconds_text(estimate.high / 1e3)
    return f"{low} to {high}"


def _size(estimate: Estimate) -> str:
    return "n/a" if estimate.median is None else size_text(int(estimate.median))


def _count(first: Estimate, second: Estimate) -> str:
    if first.median is None or second.median is None:
        return "n/a"
    return f"{first.median:g}+{second.median:g}"
