"""Which event of a capture is folded: its samples, and where their numbers come from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stallscope.errors import UsageError
from stallscope.printable import printable
from topdown.stacks.profile import ProfileWarning, Source

if TYPE_CHECKING:
    from stallscope._native import Attribute, Capture

_CLOCKS = frozenset({"cpu-clock", "task-clock"})
_SOFTWARE, _CLOCK_CONFIGS = 1, (0, 1)  # PERF_TYPE_SOFTWARE; CPU_CLOCK and TASK_CLOCK


@dataclass(frozen=True, slots=True)
class ChosenEvent:
    """An event's samples, as ascending rows of the capture, and its source."""

    rows: npt.NDArray[np.intp]
    source: Source
    warnings: tuple[ProfileWarning, ...] = ()


def choose_event(capture: "Capture", wanted: int | str | None) -> ChosenEvent:
    """Return the event asked for by name or attribute; None: the first that has samples.

    Attributes of one event that differ only in what they sample (some processes' stacks are
    copied, others' are not) are one. Raises UsageError where there is no such event.
    """
    if not capture.attributes and wanted is None:
        return ChosenEvent(np.zeros(0, np.intp), _no_source())
    first_of = first_equal_attributes(capture.attributes)
    counts = np.bincount(capture.event, minlength=len(first_of))
    by_event = np.bincount(first_of, weights=counts, minlength=len(first_of)).astype(np.int64)
    chosen, warnings = _choose(capture, wanted, by_event)
    chosen_ones = np.flatnonzero(first_of == first_of[chosen])
    if len(chosen_ones) == 1:
        rows = np.flatnonzero(capture.event == chosen_ones[0])
    else:
        rows = np.flatnonzero(np.isin(capture.event, chosen_ones))
    return ChosenEvent(rows, _source(capture.attributes[chosen]), warnings)


def first_equal_attributes(attributes: "list[Attribute]") -> npt.NDArray[np.int64]:
    """Return for each attribute the first one of the same event.

    The name is part of it: events may differ in config1 alone, which only their names tell.
    """
    firsts: dict[tuple[object, ...], int] = {}
    found = [
        firsts.setdefault((a.type, a.config, a.name, a.exclude_user, a.exclude_kernel), number)
        for number, a in enumerate(attributes)
    ]
    return np.array(found, np.int64)


def _choose(
    capture: "Capture", wanted: int | str | None, counts: npt.NDArray[np.int64]
) -> tuple[int, tuple[ProfileWarning, ...]]:
    names = [attribute.name for attribute in capture.attributes]
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted), ()
    if isinstance(wanted, int) and 0 <= wanted < len(names):
        return wanted, ()
    if wanted is not None:
        there = ", ".join(dict.fromkeys(printable(name) for name in names)) or "none"
        raise UsageError(f"no event {wanted!r} in this capture", f"Its events are: {there}.")
    sampled = np.flatnonzero(counts)
    if len(sampled) < 2:
        return (int(sampled[0]) if len(sampled) else 0), ()
    others = ", ".join(f"{printable(names[i])} ({counts[i]} samples)" for i in sampled[1:].tolist())
    chosen = int(sampled[0])
    message = f"Only samples of {printable(names[chosen])} are shown; also recorded: {others}."
    return chosen, (ProfileWarning("other-events", message),)


def _source(attribute: "Attribute") -> Source:
    name = printable(attribute.name)
    clock = name.split(":", 1)[0] in _CLOCKS or (
        attribute.type == _SOFTWARE and attribute.config in _CLOCK_CONFIGS
    )
    scope = "user+kernel"
    if attribute.exclude_kernel or attribute.exclude_user:
        scope = "user" if attribute.exclude_kernel else "kernel"
    return Source(
        event=name,
        kind="measured",
        unit="ns" if clock else "events",
        frequency_hz=attribute.frequency_hz or None,
        period=attribute.period or None,
        scope=scope,
    )


def _no_source() -> Source:
    return Source("none", "unavailable", "events", None, None, "user+kernel")
