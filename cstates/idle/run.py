"""A recording of idle intervals as it is read again, every field of its document checked."""

from dataclasses import dataclass, replace

from cstates.idle.length_counts import MOST_PLACES, histogram_of
from stallscope.errors import RecordingError
from stallscope.histograms import Histogram
from stallscope.json_fields import REMEDY, Fields
from stallscope.system_files import MAX_CPUS

SCHEMA = "stallscope.cstates.record/1"


@dataclass(frozen=True, slots=True)
class RunState:
    """A state as declared, and its counters during the run, of all CPUs together."""

    index: int
    name: str
    exit_latency_us: int | None
    target_residency_us: int | None
    closed_by: str | None
    entries: int | None
    above: float | None  # entries that were too deep, as the kernel counted
    below: float | None


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Of times in us; None where nothing was counted."""

    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    max_us: float | None


@dataclass(frozen=True, slots=True)
class WakeRow:
    """Wake-ups from one state by one cause; of one process where ``pid`` is not None."""

    state: int
    wake: str
    wakes: int
    too_deep: int
    timed: int  # of these the cause has a time
    awake_sum_ns: int
    awake_squares_us2: float
    awake: Percentiles | None = None
    exits: Percentiles | None = None
    pid: int | None = None
    name: str = ""

    @property
    def awake_mean_us(self) -> float | None:
        """Return the mean time from cause to being awake; None where no cause had a time."""
        return self.awake_sum_ns / self.timed / 1000 if self.timed else None


@dataclass(frozen=True, slots=True)
class IdleRun:
    """What was recorded; without tracepoints only states hold numbers, and ``why`` says so."""

    command: tuple[str, ...]
    seconds: float
    driver: str | None
    governor: str | None
    why_counters_only: str | None
    cpus: tuple[int, ...]
    states: tuple[RunState, ...]
    intervals: int | None
    intervals_kept: int | None
    intervals_discarded: int | None
    lost_events: int | None  # None, too, where the kernel did not tell
    events: int | None
    reader_cpu_s: float | None
    warnings: tuple[str, ...]
    siblings: dict[int, tuple[int, ...]]  # a CPU's SMT siblings, itself among them
    command_cpus: tuple[int, ...]  # where the command's process might run; none: not known
    lengths: dict[tuple[int, int], Histogram]  # by CPU and state
    wakes: tuple[WakeRow, ...]
    processes: tuple[WakeRow, ...]
    states_missing: str | None = None  # why the machine declares none

    @property
    def entries(self) -> int | None:
        """Return how often the CPUs went idle, by the kernel's counters; None if one is unread."""
        counts = [state.entries for state in self.states if state.entries is not None]
        return sum(counts) if counts and len(counts) == len(self.states) else None

    @property
    def never_idle(self) -> bool:
        """Return whether no CPU went idle at all."""
        return not self.intervals and self.entries == 0

    @property
    def shown_states(self) -> tuple[RunState, ...]:
        """Return the states, with those that were traced and none is declared of, as in a guest."""
        declared = {state.index for state in self.states}
        traced = sorted({state for _, state in self.lengths} - declared)
        bare = (RunState(each, f"state{each}", *[None] * 6) for each in traced)
        return (*self.states, *bare)

    def lengths_of(self, state: int) -> Histogram | None:
        """Return the lengths of a state's intervals, of all CPUs; None where there are none."""
        merged: Histogram | None = None
        for (_, each), histogram in self.lengths.items():
            if each == state:
                merged = histogram if merged is None else merged.plus(histogram)
        return merged


def idle_run(fields: Fields) -> IdleRun:
    """Return what idle.json says; RecordingError where it is damaged or of another version."""
    if fields.text("schema", "") != SCHEMA:
        raise RecordingError(f"{fields.where}: the schema is not {SCHEMA}", REMEDY)
    machine, overhead = fields.fields("machine"), fields.fields("overhead")
    why = fields.maybe_text("why_counters_only")
    count = fields.count if why is None else fields.maybe_count  # what is traced is counted
    cpus = machine.objects("cpus")
    return IdleRun(
        command=fields.texts("command"),
        seconds=fields.number("seconds"),
        driver=machine.maybe_text("driver"),
        governor=machine.maybe_text("governor"),
        why_counters_only=why,
        cpus=tuple(cpu.integer("cpu") for cpu in cpus),
        states=_states(cpus),
        intervals=count("intervals"),
        intervals_kept=count("intervals_kept"),
        intervals_discarded=count("intervals_discarded"),
        lost_events=fields.nullable_count("lost_events"),
        events=overhead.maybe_count("events"),
        reader_cpu_s=overhead.maybe_number("reader_cpu_s"),
        warnings=fields.texts("warnings"),
        siblings=_siblings(fields.fields("siblings")),
        command_cpus=_maybe_integers(fields, "command_cpus"),
        lengths={_place(row): _histogram(row.fields("lengths")) for row in fields.objects("idle")},
        wakes=tuple(_wake(row) for row in fields.objects("wakes")),
        processes=tuple(_process(row) for row in fields.objects("processes")),
        states_missing=machine.maybe_text("missing"),
    )


def _siblings(fields: Fields) -> dict[int, tuple[int, ...]]:
    return {
        int(cpu): fields.integers(cpu)
        for cpu in fields.values
        if cpu.isascii() and cpu.isdecimal() and len(cpu) < 6
    }


def _maybe_integers(fields: Fields, key: str) -> tuple[int, ...]:
    return () if fields.values.get(key) is None else fields.integers(key)


def _states(cpus: tuple[Fields, ...]) -> tuple[RunState, ...]:
    by_index: dict[int, list[Fields]] = {}
    for cpu in cpus:
        for state in cpu.objects("states"):
            by_index.setdefault(state.integer("index"), []).append(state)
    return tuple(_state(index, rows) for index, rows in sorted(by_index.items()))


def _state(index: int, rows: list[Fields]) -> RunState:
    activities = [row.fields("over_interval") for row in rows]
    entries = [each.maybe_count("entries") for each in activities]
    known = [count for count in entries if count is not None]
    return RunState(
        index=index,
        name=rows[0].text("name"),
        exit_latency_us=rows[0].maybe_count("exit_latency_us"),
        target_residency_us=rows[0].maybe_count("target_residency_us"),
        closed_by=rows[0].maybe_text("closed_by"),
        entries=sum(known) if len(known) == len(entries) else None,
        above=_shared(activities, "above_share"),
        below=_shared(activities, "below_share"),
    )


def _shared(activities: list[Fields], key: str) -> float | None:
    """Return a share of entries, of all CPUs together; None where nothing was entered."""
    entries = sum(each.maybe_count("entries") or 0 for each in activities)
    parts = [
        (each.maybe_share(key), each.maybe_count("entries") or 0)
        for each in activities
        if each.maybe_count("entries")
    ]
    if not entries or any(share is None for share, _ in parts):
        return None
    return sum((share or 0.0) * count for share, count in parts) / entries


def _place(row: Fields) -> tuple[int, int]:
    cpu, state = row.count("cpu"), row.count("state")
    if cpu >= MAX_CPUS or state > 255:
        raise RecordingError(f"{row.where}: CPU {cpu}, state {state} cannot be", REMEDY)
    return cpu, state


def _histogram(lengths: Fields) -> Histogram:
    counts = lengths.fields("counts")
    places: dict[int, int] = {}
    for key in counts.values:
        if not (key.isascii() and key.isdecimal() and len(key) < 8 and int(key) < MOST_PLACES):
            raise RecordingError(f"{counts.where}: {key[:32]!r} is no place of a count", REMEDY)
        places[int(key)] = min(counts.count(key), 2**40)
    return histogram_of(places)


def _wake(row: Fields) -> WakeRow:
    return WakeRow(
        state=row.count("state"),
        wake=row.text("wake"),
        wakes=row.count("wakes"),
        too_deep=row.count("too_deep"),
        timed=row.count("timed"),
        awake_sum_ns=row.count("awake_sum_ns"),
        awake_squares_us2=row.number("awake_squares_us2"),
        awake=_percentiles(row, "awake_us"),
        exits=_percentiles(row, "exit_us"),
    )


def _process(row: Fields) -> WakeRow:
    """Return a process's row, which has no percentiles."""
    return replace(_wake(row), pid=row.integer("pid"), name=row.text("name"))


def _percentiles(row: Fields, key: str) -> Percentiles | None:
    if row.values.get(key) is None:
        return None
    found = row.fields(key)
    return Percentiles(*(found.maybe_number(name) for name in ("p50", "p90", "p99", "max")))
