"""Wake-up latency with sleep states closed, in rounds, and whether closing them gained anything.

States are closed from the deepest up by a latency limit, which shows what a limit gains, and
individually by their files, which shows the cost of a single state. Each round measures all
settings, every second round in reverse order, so that drift affects all of them equally.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from cstates.idle.states import POLL, CpuIdle
from cstates.latency_limit import effective_limit_us
from stallscope.histograms import Histogram

MIN_ROUNDS = 6  # all rounds agree by chance in 3 of 100 cases
KINDS = ("timer", "futex", "pipe", "unix", "tcp")


@dataclass(frozen=True, slots=True)
class WakeSetting:
    """Names of closed states, closed by holding a limit or, without a limit, by their files."""

    name: str
    limit_us: int | None = None
    closed: tuple[str, ...] = ()  # empty: unchanged
    left_open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WakeTest:
    """A kind of wake-up: a timer, or a request over a transport after a think time."""

    kind: str
    think_us: float
    processes: int = 2

    @property
    def name(self) -> str:
        """Return a name that includes the parameters."""
        chain = ", three processes" if self.processes > 2 else ""
        return f"{self.kind}, {self.think_us:g} us{chain}"


@dataclass(frozen=True, slots=True)
class WakeSample:
    """A run of a test under a setting: its latencies and the states entered during it."""

    test: WakeTest
    setting: WakeSetting
    latencies: Histogram
    entries: dict[str, int]  # by state name, on the test's CPUs; unknown ones are absent
    cpus: int

    @property
    def p50_us(self) -> float:
        """Return the median latency in us."""
        return (self.latencies.percentile(50) or 0.0) / 1000


@dataclass(frozen=True, slots=True)
class WakeResult:
    """All rounds of one test under one setting."""

    test: WakeTest
    setting: WakeSetting
    latencies: Histogram
    rounds_p50_us: tuple[float, ...]
    entries: dict[str, int]  # absent if unknown in any round
    allowed_entries: int  # entries into closed states that may have begun before the run


class WakeFinding(StrEnum):
    """The result of comparing a setting's rounds with those of "as it is"."""

    LESS = "less"
    MORE = "more"
    NO_DIFFERENCE = "no-difference"
    NEVER_IDLED = "never-idled"
    NOT_COUNTED = "not-counted"
    WITHOUT_EFFECT = "without-effect"
    TOO_FEW = "too-few-rounds"


@dataclass(frozen=True, slots=True)
class WakeVerdict:
    """A setting's gain over the unchanged machine; a negative gain is a loss."""

    test: WakeTest
    setting: WakeSetting
    gain_us: float | None  # median over rounds of the difference of medians
    min_us: float | None
    max_us: float | None
    finding: WakeFinding
    text: str


def wake_settings(
    cpus: Iterable[CpuIdle], global_limit_us: int | None = None
) -> tuple[WakeSetting, ...]:
    """Return the settings to compare: unchanged, a limit below each state, each state closed.

    They refer to the open states of the first CPU that has states. The first limit already closes
    the deepest state alone, unless another is as deep. POLL is never closed.
    """
    cpu = next((cpu for cpu in cpus if cpu.states), None)
    if cpu is None:
        return (WakeSetting("as it is"),)
    limit = effective_limit_us(global_limit_us, cpu.resume_limit_us)
    exits = {
        state.name: state.exit_latency_us
        for state in cpu.states
        if state.closed_by(limit) is None and state.exit_latency_us is not None
    }
    limited = tuple(_limits(exits))
    closed_sets = {setting.closed for setting in limited}
    names = tuple(exits)
    alone = tuple(
        WakeSetting(
            f"without {name}", None, (name,), tuple(other for other in names if other != name)
        )
        for name in names
        if name != POLL and (name,) not in closed_sets and len(names) > 1
    )
    return (WakeSetting("as it is"), *limited, *alone)


def _limits(exits: dict[str, int]) -> Iterator[WakeSetting]:
    """Yield a limit for each exit latency except the greatest, closing the deepest state first."""
    for limit in sorted(set(exits.values()), reverse=True)[1:]:
        open_names = tuple(name for name, exit_us in exits.items() if exit_us <= limit)
        closed = tuple(name for name, exit_us in exits.items() if exit_us > limit)
        yield WakeSetting(f"up to {open_names[-1]}", limit, closed, open_names)


def round_orders(settings: Sequence[WakeSetting], rounds: int) -> Iterator[Sequence[WakeSetting]]:
    """Yield the settings in the order of each round; every second round is reversed."""
    for number in range(rounds):
        yield settings if number % 2 == 0 else settings[::-1]


def merge_samples(samples: Sequence[WakeSample]) -> tuple[WakeResult, ...]:
    """Return the samples merged by test and setting, in order of first occurrence."""
    by_kind: dict[tuple[WakeTest, WakeSetting], list[WakeSample]] = {}
    for sample in samples:
        by_kind.setdefault((sample.test, sample.setting), []).append(sample)
    return tuple(_merged(same_kind) for same_kind in by_kind.values())


def _merged(samples: Sequence[WakeSample]) -> WakeResult:
    latencies = samples[0].latencies
    for sample in samples[1:]:
        latencies = latencies.plus(sample.latencies)
    first = samples[0]
    names = [name for name in first.entries if all(name in sample.entries for sample in samples)]
    return WakeResult(
        test=first.test,
        setting=first.setting,
        latencies=latencies,
        rounds_p50_us=tuple(sample.p50_us for sample in samples),
        entries={name: sum(sample.entries[name] for sample in samples) for name in names},
        allowed_entries=sum(sample.cpus for sample in samples),
    )


def verdicts(results: Sequence[WakeResult]) -> tuple[WakeVerdict, ...]:
    """Return the verdict for each test and setting.

    The medians of each round are compared; all rounds, at least six, must agree on the sign.
    """
    baselines = {result.test: result for result in results if not result.setting.closed}
    return tuple(
        _verdict(baselines[result.test], result)
        for result in results
        if result.setting.closed and result.test in baselines
    )


def _verdict(baseline: WakeResult, limited: WakeResult) -> WakeVerdict:
    pairs = list(zip(baseline.rounds_p50_us, limited.rounds_p50_us, strict=False))
    gains = [before - after for before, after in pairs]
    text, finding = _compared(baseline, limited, gains)
    return WakeVerdict(
        test=limited.test,
        setting=limited.setting,
        gain_us=median(gains) if gains else None,
        min_us=min(gains, default=None),
        max_us=max(gains, default=None),
        finding=finding,
        text=text,
    )


def _compared(
    baseline: WakeResult, limited: WakeResult, gains: Sequence[float]
) -> tuple[str, WakeFinding]:
    inconclusive = _why_no_verdict(baseline, limited, len(gains))
    if inconclusive is not None:
        return inconclusive
    rounds = f"in all {len(gains)} rounds"
    if all(gain > 0 for gain in gains):
        return f"{median(gains):.1f} us less in the median, {rounds}", WakeFinding.LESS
    if all(gain < 0 for gain in gains):
        return f"{-median(gains):.1f} us more in the median, {rounds}", WakeFinding.MORE
    return f"no difference shown by {len(gains)} rounds", WakeFinding.NO_DIFFERENCE


def _why_no_verdict(
    baseline: WakeResult, limited: WakeResult, rounds: int
) -> tuple[str, WakeFinding] | None:
    closed = limited.setting.closed
    names = ", ".join(closed)
    if not all(name in result.entries for result in (baseline, limited) for name in closed):
        return f"no verdict: entries into {names} were not counted", WakeFinding.NOT_COUNTED
    if not sum(baseline.entries.values()):
        return "CPUs never idled, nothing to gain", WakeFinding.NEVER_IDLED
    if not any(baseline.entries[name] for name in closed):
        return f"{names} never entered as it is, nothing to gain", WakeFinding.NEVER_IDLED
    entered = sum(limited.entries[name] for name in closed)
    if entered > limited.allowed_entries:
        text = f"no verdict: {entered:,} entries into {names} although closed"
        return f"{text}: the governor ignores that", WakeFinding.WITHOUT_EFFECT
    if rounds < MIN_ROUNDS:
        return f"no verdict: {rounds} rounds, {MIN_ROUNDS} are needed", WakeFinding.TOO_FEW
    return None
