"""What `stallscope lab storm` runs: settings of the queue, in rounds to and fro."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from ioprobe.storm import Run, Setting, Streams
from stallscope.sizes import size_text

AGAINST = 128  # the limit that the recommended one is set against
LIMITS = (128, 32, 16, 8)
ALONE = Setting(None, None, writes=False)
READER_SHARES, WRITER_SHARES = 1000, 100


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """The rounds that find the limit to recommend: short ones, since a disk's speed drifts."""

    limits: tuple[int, ...] = (64, 48, 32, 24, 16, 12, 8, 4)
    rounds: int = 20
    duration_s: float = 0.2
    warmup_s: float = 0.05


@dataclass(frozen=True, slots=True)
class StormOptions:
    """What was asked; without ``recommended`` a trial tells it."""

    path: str
    rounds: int = 5
    duration_s: float = 1.0
    warmup_s: float = 0.2
    limits: tuple[int, ...] = LIMITS
    recommended: int | None = None
    shares: tuple[int, int] = (READER_SHARES, WRITER_SHARES)
    first_come: bool = True  # each limit without shares, too
    no_limit: bool = True
    rest_s: float = 0.0  # before each run
    most_s: float | None = None  # ends the rounds, what is finished being kept
    trial: TrialPlan = field(default_factory=TrialPlan)
    streams: Streams = field(default_factory=Streams)
    size_bytes: int = 2**30
    span_bytes: int | None = None
    destroy: str | None = None
    server: bool = False  # the reference server's queries beside its compaction
    output: Path | None = None
    force: bool = False

    @property
    def run_s(self) -> float:
        """Return how long one setting takes in a round, the rest before it included."""
        return self.rest_s + self.writing_s

    @property
    def writing_s(self) -> float:
        """Return how long one setting has requests in a round."""
        return self.warmup_s + self.duration_s


def against(options: StormOptions) -> int | None:
    """Return the limit that the recommended one is set against; None: without a limit.

    The server's compaction has no more than 128 requests at a time by itself.
    """
    return None if options.server else AGAINST


def against_text(limit: int | None) -> str:
    """Return that limit in words."""
    return "no limit" if limit is None else str(limit)


def settings(options: StormOptions, recommended: int) -> tuple[Setting, ...]:
    """Return the settings in the order of a round.

    The two that are set against one another, with shares, stand side by side.
    """
    # The server has a class each at any rate.
    has_fifo = options.first_come and not options.server
    pair = dict.fromkeys((against(options), recommended))
    asked = [*([None] if options.no_limit else []), *options.limits]
    limits = [*(limit for limit in asked if limit not in pair), *pair]
    shared = [Setting(limit, options.shares) for limit in limits]
    first_come = [replace(one, shares=None) for one in shared] if has_fifo else []
    return (ALONE, *first_come, *shared)


def runs(options: StormOptions, recommended: int) -> tuple[Run, ...]:
    """Return all rounds' runs; every other round goes backwards, so that drifts meet all alike."""
    order = settings(options, recommended)
    return tuple(
        Run(f"{number}.{place}", number, setting, options.warmup_s, options.duration_s)
        for number in range(options.rounds)
        for place, setting in enumerate(order if number % 2 == 0 else order[::-1])
    )


def writing_s(options: StormOptions) -> float:
    """Return how long all writes last, about: of the rounds, and of the trial."""
    storms = len(settings(options, options.recommended or 1)) - 1
    trial_s = 0.0
    if options.recommended is None and not options.server:
        plan = options.trial
        trial_s = plan.rounds * (len(plan.limits) + 1) * (plan.duration_s + plan.warmup_s)
    return options.rounds * storms * options.writing_s + trial_s


def asked_text(options: StormOptions) -> str:
    """Return what is set beside what."""
    streams, rounds = options.streams, f"{options.rounds} rounds of {options.duration_s:g} s"
    if options.server:
        return f"GETs of the reference server beside its compaction, {rounds}"
    return (
        f"{streams.reader_depth} read of {size_text(streams.reader_bytes)} beside "
        f"{streams.writer_depth} writes of {size_text(streams.writer_bytes)} at a time, {rounds}"
    )


def setting_text(setting: Setting) -> str:
    """Return a setting in words."""
    if not setting.writes:
        return "reader alone"
    limit = "no limit" if setting.limit is None else f"limit {setting.limit}"
    return f"{limit}, {'first come' if setting.shares is None else 'shares'}"
