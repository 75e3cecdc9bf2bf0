"""Estimates from windows of multiplexed counts, with the error that multiplexing adds.

A group that shares the counters with others is counted for a part of the time. Its events are
scaled by the cycles counted with them. This ratio estimator cancels the denominator of a node, so
that only program phases shorter than the multiplexing interval remain as error. The error is
linearised (Taylor) in each window. Its variance is computed from squared successive differences:
what two successive windows have in common is a longer phase, which every group has counted (Wolter,
Introduction to Variance Estimation, 2007, section 8.2). The finite-population factor
sqrt(1 - running/enabled) is 0 for a group that ran all the time (Cochran, Sampling Techniques,
1977, section 2.6).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stallscope.statistics.intervals import student_t_95

if TYPE_CHECKING:
    from topdown.slots.counting.windows import Floats, GroupWindows

MIN_WINDOWS = 4  # of a multiplexed group; with fewer there is no interval
MIN_WINDOW_S = 0.050
_TOLERANCE_S = 0.002  # wake-up jitter of the collector at the end of a window
_STEP = 1e-5  # relative step of numeric derivatives

Totals = Mapping[str, float]
WindowEffects = Mapping[int, "Floats"]  # effect of each window on a value, by group


@dataclass(frozen=True, slots=True, eq=False)
class SlotQuantity:
    """A function of totals, which raises KeyError or ArithmeticError if it has no value."""

    name: str
    events: frozenset[str]
    function: Callable[[Totals], float]


@dataclass(frozen=True, eq=False)
class Estimator:
    """The windows of a measurement. ``separate``: each group was counted in a separate run.

    ``cycles`` is the event that scales groups that contain it. Not slotted: sums over all windows
    are cached.
    """

    groups: "tuple[GroupWindows, ...]"
    cycles: str
    separate: bool = False

    @property
    def multiplexed(self) -> bool:
        """Return whether any group was multiplexed."""
        return any(self._multiplexed)

    @property
    def seconds(self) -> float:
        """Return the duration of the measurement, in seconds."""
        starts = [group.start_s.min() for group in self.groups if len(group.start_s)]
        ends = [group.end_s.max() for group in self.groups if len(group.end_s)]
        return float(max(ends) - min(starts)) if ends else 0.0

    @cached_property
    def _running_ns(self) -> tuple[float, ...]:
        return tuple(float(group.running.sum()) for group in self.groups)

    @cached_property
    def _cycles(self) -> tuple[float, ...]:
        return tuple(
            float(group.counts[:, group.events.index(self.cycles)].sum())
            if self.cycles in group.events
            else 0.0
            for group in self.groups
        )

    @cached_property
    def _multiplexed(self) -> tuple[bool, ...]:
        return tuple(group.multiplexed for group in self.groups)

    @cached_property
    def counted(self) -> frozenset[str]:
        """Return the events with any counted time."""
        return frozenset(
            event
            for group, running in zip(self.groups, self._running_ns, strict=True)
            if running > 0
            for event in group.events
        )

    def groups_of(self, events: Iterable[str]) -> Mapping[str, int]:
        """Return the group to use for each event: few groups, the longest counted first.

        Events that no group counted are omitted.
        """
        key = frozenset(events)
        if key not in self._group_choices:
            self._group_choices[key] = self._choose_groups(set(key))
        return self._group_choices[key]

    @cached_property
    def _group_choices(self) -> dict[frozenset[str], dict[str, int]]:
        return {}

    def _choose_groups(self, events: set[str]) -> dict[str, int]:
        chosen: dict[str, int] = {}
        while True:
            ranked = [
                (len(events.intersection(group.events)), self._running_ns[number], -number)
                for number, group in enumerate(self.groups)
                if self._running_ns[number] > 0
            ]
            best = max(ranked, default=(0, 0.0, 0))
            if best[0] == 0:
                return chosen
            for event in events.intersection(self.groups[-best[2]].events):
                chosen[event] = -best[2]
            events.difference_update(chosen)

    def totals(self, groups: Mapping[str, int]) -> dict[str, float]:
        """Return the events' counts, scaled to the duration of the measurement."""
        scales = {number: self.scale(number) for number in set(groups.values())}
        totals = {}
        for event, number in groups.items():
            group = self.groups[number]
            column = group.counts[:, group.events.index(event)]
            totals[event] = float(column.sum()) * scales[number]
        return totals

    def rate_per_s(self, event: str) -> float | None:
        """Return an event's count per second of counted time, for example a clock's frequency."""
        number = self.groups_of([event]).get(event)
        if number is None:
            return None
        group = self.groups[number]
        count = group.counts[:, group.events.index(event)].sum()
        return float(count / group.running.sum() * 1e9)

    def scale(self, number: int) -> float:
        """Return the factor of a group's counts."""
        if not self._multiplexed[number] and not self.separate:
            return 1.0
        if self._cycles[number] > 0:
            return self._all_cycles / self._cycles[number]
        return float(self.groups[number].enabled.sum()) / self._running_ns[number]

    @cached_property
    def _all_cycles(self) -> float:
        """Return the cycles of the measurement: of a group that always ran, else scaled."""
        counting = [number for number, count in enumerate(self._cycles) if count > 0]
        permanent = [number for number in counting if not self._multiplexed[number]]
        if permanent and not self.separate:
            return self._cycles[permanent[0]]
        running = sum(self._running_ns[number] for number in counting)
        enabled = sum(float(self.groups[number].enabled.sum()) for number in counting)
        cycles = sum(self._cycles[number] for number in counting)
        return cycles * enabled / running / len(counting)

    def window_effects(self, quantity: SlotQuantity) -> WindowEffects:
        """Return the effect of each window's deviation on a quantity, for multiplexed groups."""
        groups = self.groups_of(quantity.events)
        totals = self.totals(groups)
        effects: dict[int, Floats] = {}
        for event, number in groups.items():
            if not self._multiplexed[number]:
                continue
            slope = _slope(quantity, totals, event)
            term = slope * self.scale(number) * self._deviations(number, event)
            effects[number] = effects[number] + term if number in effects else term
        return effects

    def _deviations(self, number: int, event: str) -> "Floats":
        """Return each window's count minus its expectation from the group's cycles or time."""
        group = self.groups[number]
        column = group.counts[:, group.events.index(event)]
        auxiliary = group.running
        if self._cycles[number] > 0:
            auxiliary = group.counts[:, group.events.index(self.cycles)]
        deviations: Floats = column - auxiliary * (column.sum() / auxiliary.sum())
        return deviations

    def half_width(self, effects: WindowEffects) -> float | None:
        """Return half the width of the 95 % interval, or None with too few windows."""
        variance, min_windows = 0.0, 0
        for number, deviations in effects.items():
            group = self.groups[number]
            counted = deviations[group.running > 0]
            windows = len(counted)
            if windows < MIN_WINDOWS:
                return None
            min_windows = min(min_windows or windows, windows)
            share = float(group.running.sum() / group.enabled.sum())
            steps = counted[1:] - counted[:-1]
            sum_variance = float((steps**2).sum()) / 2 * windows / (windows - 1)
            variance += sum_variance * (1 - share)
        return float(student_t_95(min_windows - 1) * variance**0.5) if variance > 0 else 0.0

    def any_multiplexed(self, numbers: Iterable[int]) -> bool:
        """Return whether any of these groups was multiplexed."""
        return any(self._multiplexed[number] for number in numbers)

    def spans_runs(self, events: Iterable[str]) -> bool:
        """Return whether these events were counted in different runs of the program."""
        return self.separate and len(set(self.groups_of(events).values())) > 1


def _slope(quantity: SlotQuantity, totals: Mapping[str, float], event: str) -> float:
    """Return the derivative of a quantity with respect to one total, by central differences."""
    total = totals[event]
    step = total * _STEP
    if step == 0:
        return 0.0  # all its windows are 0 and have no deviation
    try:
        above = quantity.function({**totals, event: total + step})
        below = quantity.function({**totals, event: total - step})
    except (KeyError, ArithmeticError):
        return 0.0  # without a value there is no interval
    return (above - below) / (2 * step)


def difference(minuend: WindowEffects, subtrahend: WindowEffects) -> WindowEffects:
    """Return the effect of each window on the difference of two quantities."""
    result = dict(minuend)
    for number, effect in subtrahend.items():
        result[number] = result[number] - effect if number in result else -effect
    return result


def merged(group: "GroupWindows", min_window_s: float = MIN_WINDOW_S) -> "GroupWindows":
    """Return the group with neighbouring windows merged until none is shorter than this."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    if len(group.start_s) == 0:
        return group
    starts, start_s = [0], group.start_s[0]
    for window in range(1, len(group.start_s)):
        if group.end_s[window - 1] - start_s >= min_window_s - _TOLERANCE_S:
            starts.append(window)
            start_s = group.start_s[window]
    if len(starts) > 1 and group.end_s[-1] - start_s < min_window_s - _TOLERANCE_S:
        starts.pop()  # a short remainder belongs to the window before
    if len(starts) == len(group.start_s):
        return group
    lasts = [*(start - 1 for start in starts[1:]), len(group.start_s) - 1]
    return type(group)(
        group.events,
        group.start_s[starts],
        group.end_s[lasts],
        np.add.reduceat(group.enabled, starts),
        np.add.reduceat(group.running, starts),
        np.add.reduceat(group.counts, starts, axis=0),
    )
