"""The events of a capture: selecting one, with its samples and its source."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from stallscope.errors import UsageError
from stallscope.printable import printable
from topdown.stacks.blocks import counted
from topdown.stacks.profile import SampleSource
from topdown.stacks.profile_warning import ProfileWarning

if TYPE_CHECKING:
    from stallscope._native import Attribute, Capture

_CLOCKS = frozenset({"cpu-clock", "task-clock"})
_SOFTWARE, _CLOCK_CONFIGS = 1, (0, 1)  # PERF_TYPE_SOFTWARE; CPU_CLOCK and TASK_CLOCK


class EventSamples(Struct, frozen=True):
    """The samples of an event, as ascending rows of the capture, and the event's source."""

    rows: npt.NDArray[np.intp]
    source: SampleSource
    warnings: tuple[ProfileWarning, ...] = ()


def select_event(capture: "Capture", requested: int | str | None) -> EventSamples:
    """Return the event with this name or attribute number; None: the first event with samples.

    Attributes of one event that differ only in what they sample (stacks are copied for some
    processes and not for others) are treated as one event. Raises UsageError if the event is
    missing.
    """
    if not capture.attributes and requested is None:
        return EventSamples(np.zeros(0, np.intp), _no_source())
    first_of = first_equal_attributes(capture.attributes)
    counts = counted(capture.event, len(first_of))
    by_event = np.bincount(first_of, weights=counts, minlength=len(first_of)).astype(np.int64)
    selected, warnings = _select(capture, requested, by_event)
    equal_attributes = np.flatnonzero(first_of == first_of[selected])
    if counts[equal_attributes].sum() == len(capture.event):
        rows = np.arange(len(capture.event))
    elif len(equal_attributes) == 1:
        rows = np.flatnonzero(capture.event == equal_attributes[0])
    else:
        rows = np.flatnonzero(np.isin(capture.event, equal_attributes))
    return EventSamples(rows, _source(capture.attributes[selected]), warnings)


def first_equal_attributes(attributes: "list[Attribute]") -> npt.NDArray[np.int64]:
    """Return for each attribute the number of the first attribute of the same event, (n,).

    Names are compared too: events may differ in config1 alone, which only their names show.
    """
    firsts: dict[tuple[object, ...], int] = {}
    numbers = [
        firsts.setdefault(_event_key(attribute), number)
        for number, attribute in enumerate(attributes)
    ]
    return np.array(numbers, np.int64)


def _event_key(attribute: "Attribute") -> tuple[object, ...]:
    return (
        attribute.type,
        attribute.config,
        attribute.name,
        attribute.exclude_user,
        attribute.exclude_kernel,
    )


def _select(
    capture: "Capture", requested: int | str | None, counts: npt.NDArray[np.int64]
) -> tuple[int, tuple[ProfileWarning, ...]]:
    names = [attribute.name for attribute in capture.attributes]
    if isinstance(requested, str) and requested in names:
        return names.index(requested), ()
    if isinstance(requested, int) and 0 <= requested < len(names):
        return requested, ()
    if requested is not None:
        available = ", ".join(dict.fromkeys(printable(name) for name in names)) or "none"
        raise UsageError(f"no event {requested!r} in this capture", f"Its events are: {available}.")
    sampled = np.flatnonzero(counts)
    if len(sampled) < 2:
        return (int(sampled[0]) if len(sampled) else 0), ()
    others = ", ".join(f"{printable(names[i])} ({counts[i]} samples)" for i in sampled[1:].tolist())
    selected = int(sampled[0])
    message = f"Only samples of {printable(names[selected])} are shown; also recorded: {others}."
    return selected, (ProfileWarning("other-events", message),)


def _source(attribute: "Attribute") -> SampleSource:
    name = printable(attribute.name)
    clock = name.split(":", 1)[0] in _CLOCKS or (
        attribute.type == _SOFTWARE and attribute.config in _CLOCK_CONFIGS
    )
    scope = "user+kernel"
    if attribute.exclude_kernel or attribute.exclude_user:
        scope = "user" if attribute.exclude_kernel else "kernel"
    return SampleSource(
        event=name,
        kind="measured",
        unit="ns" if clock else "events",
        frequency_hz=attribute.frequency_hz or None,
        period=attribute.period or None,
        scope=scope,
    )


def _no_source() -> SampleSource:
    return SampleSource("none", "unavailable", "events", None, None, "user+kernel")
