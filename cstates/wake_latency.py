"""Wake-up latency with sleep states closed, round by round, and whether that gained anything.

States are closed from the deepest up, by a latency limit, which is what a limit buys; and each
alone, by its file, which tells what that state costs. Settings alternate: each round measures all
of them, every other round in reverse, so that what drifts meets all alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from cstates.idle.states import POLL, CpuIdle
from cstates.latency_limit import effective_limit_us
from stallscope.histograms import Histogram

LEAST_ROUNDS = 6  # that all go one way by chance happens then in 3 of 100 times
KINDS = ("timer", "futex", "pipe", "unix", "tcp")


@dataclass(frozen=True, slots=True)
class Setting:
    """What is closed, by name: by a limit to hold, or without one each by its file."""

    name: str
    limit_us: int | None = None
    closed: tuple[str, ...] = ()  # nothing: as it is
    left_open: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WakeTest:
    """What is measured: a timer, or requests over a transport, with a think time before each."""

    kind: str
    think_us: float
    processes: int = 2

    @property
    def name(self) -> str:
        """Return what to call it."""
        chain = ", three processes" if self.processes > 2 else ""
        return f"{self.kind}, {self.think_us:g} us{chain}"


@dataclass(frozen=True, slots=True)
class WakeSample:
    """One run of a test under a setting: its latencies and what the CPUs entered meanwhile."""

    test: WakeTest
    setting: Setting
    latencies: Histogram
    entries: dict[str, int]  # by the state's name, of the test's CPUs; unknown is absent
    cpus: int

    @property
    def p50_us(self) -> float:
        """Return the run's median."""
        return (self.latencies.percentile(50) or 0.0) / 1000


@dataclass(frozen=True, slots=True)
class WakeResult:
    """All rounds of one test under one setting."""

    test: WakeTest
    setting: Setting
    latencies: Histogram
    rounds_p50_us: tuple[float, ...]
    entries: dict[str, int]  # unknown in a round is absent
    allowed_entries: int  # into closed states: those that had begun before


class Found(StrEnum):
    """What the rounds of a setting show against those of "as it is"."""

    LESS = "less"
    MORE = "more"
    NO_DIFFERENCE = "no-difference"
    NEVER_IDLED = "never-idled"
    NOT_COUNTED = "not-counted"
    WITHOUT_EFFECT = "without-effect"
    TOO_FEW = "too-few-rounds"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a setting gained over leaving things as they are; negative is a loss."""

    test: WakeTest
    setting: Setting
    gain_us: float | None  # the median of the rounds' differences of medians
    least_us: float | None
    most_us: float | None
    finding: Found
    text: str


def settings(cpus: Iterable[CpuIdle], global_limit_us: int | None = None) -> tuple[Setting, ...]:
    """Return what is compared: as it is; a limit below each deeper state in turn; each one alone.

    Of the states that are open now, of the first CPU that has any. The deepest alone is what the
    first limit closes, unless others are as deep. POLL is never closed.
    """
    cpu = next((each for each in cpus if each.states), None)
    if cpu is None:
        return (Setting("as it is"),)
    limit = effective_limit_us(global_limit_us, cpu.resume_limit_us)
    exits = {
        state.name: state.exit_latency_us
        for state in cpu.states
        if state.closed_by(limit) is None and state.exit_latency_us is not None
    }
    limited = tuple(_limits(exits))
    done = {setting.closed for setting in limited}
    names = tuple(exits)
    alone = tuple(
        Setting(f"without {name}", None, (name,), tuple(each for each in names if each != name))
        for name in names
        if name != POLL and (name,) not in done and len(names) > 1
    )
    return (Setting("as it is"), *limited, *alone)


def _limits(exits: dict[str, int]) -> Iterator[Setting]:
    """Yield a limit for each exit latency but the greatest, the deepest state first to close."""
    for limit in sorted(set(exits.values()), reverse=True)[1:]:
        left = tuple(name for name, exit_us in exits.items() if exit_us <= limit)
        closed = tuple(name for name, exit_us in exits.items() if exit_us > limit)
        yield Setting(f"up to {left[-1]}", limit, closed, left)


def order(given: Sequence[Setting], rounds: int) -> Iterator[Sequence[Setting]]:
    """Yield the settings of each round, every other one reversed."""
    for number in range(rounds):
        yield given if number % 2 == 0 else given[::-1]


def gather(samples: Sequence[WakeSample]) -> tuple[WakeResult, ...]:
    """Return the samples put together by test and setting, in the order they first came."""
    kinds = dict.fromkeys((sample.test, sample.setting) for sample in samples)
    return tuple(
        _together([each for each in samples if (each.test, each.setting) == kind]) for kind in kinds
    )


def _together(samples: Sequence[WakeSample]) -> WakeResult:
    latencies = samples[0].latencies
    for sample in samples[1:]:
        latencies = latencies.plus(sample.latencies)
    first = samples[0]
    known = [name for name in first.entries if all(name in each.entries for each in samples)]
    return WakeResult(
        test=first.test,
        setting=first.setting,
        latencies=latencies,
        rounds_p50_us=tuple(sample.p50_us for sample in samples),
        entries={name: sum(each.entries[name] for each in samples) for name in known},
        allowed_entries=sum(sample.cpus for sample in samples),
    )


def verdicts(results: Sequence[WakeResult]) -> tuple[Verdict, ...]:
    """Return for each test and setting whether it gained; where CPUs never idled, that none can.

    The rounds' medians are compared in pairs; all must go one way, in six rounds at least.
    """
    usual = {result.test: result for result in results if not result.setting.closed}
    return tuple(
        _verdict(usual[result.test], result)
        for result in results
        if result.setting.closed and result.test in usual
    )


def _verdict(usual: WakeResult, limited: WakeResult) -> Verdict:
    pairs = list(zip(usual.rounds_p50_us, limited.rounds_p50_us, strict=False))
    gains = [before - after for before, after in pairs]
    text, finding = _judged(usual, limited, gains)
    return Verdict(
        test=limited.test,
        setting=limited.setting,
        gain_us=median(gains) if gains else None,
        least_us=min(gains, default=None),
        most_us=max(gains, default=None),
        finding=finding,
        text=text,
    )


def _judged(usual: WakeResult, limited: WakeResult, gains: Sequence[float]) -> tuple[str, Found]:
    nothing = _why_no_verdict(usual, limited, len(gains))
    if nothing is not None:
        return nothing
    rounds = f"in all {len(gains)} rounds"
    if all(gain > 0 for gain in gains):
        return f"{median(gains):.1f} us less in the median, {rounds}", Found.LESS
    if all(gain < 0 for gain in gains):
        return f"{-median(gains):.1f} us more in the median, {rounds}", Found.MORE
    return f"no difference that {len(gains)} rounds show", Found.NO_DIFFERENCE


def _why_no_verdict(
    usual: WakeResult, limited: WakeResult, rounds: int
) -> tuple[str, Found] | None:
    closed = limited.setting.closed
    names = ", ".join(closed)
    if not all(name in each.entries for each in (usual, limited) for name in closed):
        return f"no verdict: entries into {names} were not counted", Found.NOT_COUNTED
    if not sum(usual.entries.values()):
        return "CPUs never idled, nothing to gain", Found.NEVER_IDLED
    if not any(usual.entries[name] for name in closed):
        return f"{names} never entered as it is, nothing to gain", Found.NEVER_IDLED
    entered = sum(limited.entries[name] for name in closed)
    if entered > limited.allowed_entries:
        text = f"no verdict: {entered:,} entries into {names} although closed"
        return f"{text}: the governor passes over that", Found.WITHOUT_EFFECT
    if rounds < LEAST_ROUNDS:
        return f"no verdict: {rounds} rounds, it takes {LEAST_ROUNDS}", Found.TOO_FEW
    return None
