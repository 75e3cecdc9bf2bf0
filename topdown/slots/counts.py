"""Counter values of one reading under a model's event names, with their counting mode."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

from topdown.slots.event_names import UNLIKE, canonical, index
from topdown.slots.model import CLOCKS, Model, load

# Events that only one counting mode needs; their presence identifies the mode.
PER_CORE = ("CPU_CLK_UNHALTED.THREAD_ANY", "CPU_CLK_UNHALTED.DISTRIBUTED")
PER_PROCESS = ("CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", "CPU_CLK_UNHALTED.REF_XCLK")

ASSUMED_ALONE = (
    "assumed one thread per core: smt is not given, and CPU_CLK_UNHALTED.THREAD_ANY, which would "
    "show it, is not in the counts"
)


@dataclass(frozen=True, slots=True)
class Flags:
    """The counting mode of a reading; None is derived from the counted events.

    ``ebs_mode``: one process was counted on a core whose two threads share counters (before Ice
    Lake). ``perf_metrics``: slots came from the PERF_METRICS register.
    """

    smt: bool | None = None
    ebs_mode: bool | None = None
    perf_metrics: bool | None = None


@dataclass(frozen=True, slots=True)
class EventCounts:
    """Counts in a file by any spelling of the event; ``absent`` holds reasons for missing ones."""

    where: str
    cpu: str = ""
    midr: int | None = None
    counts: Mapping[str, float] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    running: Mapping[str, float] = field(default_factory=dict)
    flags: Flags = Flags()


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts under the model's names; ``absent`` holds the reasons for missing counts.

    ``running`` is the share of the time, 0..1, in which a multiplexed event was counted.
    """

    values: Mapping[str, float]
    absent: Mapping[str, str]
    running: Mapping[str, float]
    unknown: tuple[str, ...]
    smt: bool
    ebs_mode: bool
    perf_metrics: bool
    notes: tuple[str, ...] = ()  # apply to every value


@cache
def _spellings(key: str) -> Mapping[str, str]:
    return MappingProxyType(index(load(key).events, CLOCKS))


@cache
def _same_code(key: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of event names with the same encoding, in both orders."""
    by_code: dict[str, list[str]] = {}
    for name, encoding in load(key).events.items():
        if not name.endswith(UNLIKE):
            by_code.setdefault(encoding, []).append(name)
    return tuple(
        (name, other)
        for group in by_code.values()
        for name in group
        for other in group
        if name != other
    )


def counts_of(model: Model, reading: EventCounts, notes: tuple[str, ...] = ()) -> Counts:
    """Return the reading's counts under the model's names."""
    spellings = _spellings(model.key)
    values: dict[str, float] = {}
    absent: dict[str, str] = {}
    unknown: list[str] = []
    for spelling, value in reading.counts.items():
        name = spelling if spelling in model.events else spellings.get(canonical(spelling))
        if name is None:
            unknown.append(spelling)
        elif value < 0:
            absent[name] = f"the count of {name} is negative ({value:g})"
        else:
            values.setdefault(name, value)
    for spelling, why in reading.absent.items():
        name = spellings.get(canonical(spelling))
        if name is not None:
            absent[name] = why
    for name, other in _same_code(model.key):
        if name not in values and other in values:
            values[name] = values[other]
    running = {
        name: share
        for spelling, share in reading.running.items()
        if (name := spellings.get(canonical(spelling))) is not None
    }
    smt, ebs_mode, perf_metrics = _mode(model, reading.flags, values)
    if reading.flags.smt is None and "ebs_mode" in model.variants and not smt:
        notes = (*notes, ASSUMED_ALONE)
    return Counts(values, absent, running, tuple(unknown), smt, ebs_mode, perf_metrics, notes)


def _mode(model: Model, flags: Flags, values: Mapping[str, float]) -> tuple[bool, bool, bool]:
    """Return smt, ebs_mode and perf_metrics: from flags, else from the counted events."""
    per_core = any(name in values for name in PER_CORE)
    ebs_mode = flags.ebs_mode
    if ebs_mode is None:
        suggested = not per_core and all(name in values for name in PER_PROCESS)
        ebs_mode = suggested and flags.smt is not False
    ebs_mode = ebs_mode and "ebs_mode" in model.variants
    smt = flags.smt if flags.smt is not None else per_core
    perf_metrics = flags.perf_metrics
    if perf_metrics is None:
        perf_metrics = any(name.startswith("PERF_METRICS.") for name in values)
    return smt or ebs_mode, ebs_mode, perf_metrics


def nearest_events(model: Model, name: str, *, limit: int = 3) -> tuple[str, ...]:
    """Return the model's event names nearest to an unknown name."""
    return tuple(get_close_matches(name.upper(), model.events, n=limit)) or tuple(
        get_close_matches(name.lower(), model.events, n=limit)
    )
