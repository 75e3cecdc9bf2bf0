"""Estimates from windows of counts that took turns, and how far the turns may have put them off.

A group that shares the counters with others is counted for a part of the time. Its events are
scaled by the cycles that it saw, a ratio estimator: what a node is a share of cancels, and only
phases of the program between the turns are left as error. That error is linearised (Taylor) in
each window and its variance taken less its lag-1 covariance, by the squares of successive
differences: what two windows have in common is a phase that outlasts the turns, and every group
has seen it (Wolter, Introduction to Variance Estimation, 2007, section 8.2). The finite-population
factor sqrt(1 - running/enabled) leaves none to a group that ran all the time (Cochran, Sampling
Techniques, 1977, section 2.6).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stallscope.statistics.intervals import student_t_95

if TYPE_CHECKING:
    from topdown.slots.counting.windows import Floats, GroupWindows

FEWEST_WINDOWS = 4  # of a group that took turns: with fewer there is no interval to give
SHORTEST_WINDOW_S = 0.050
_TOLERANCE_S = 0.002  # a window's end is late or early by the collector's own waking
_STEP = 1e-5  # of a total, in numeric gradients

Totals = Mapping[str, float]
Influence = Mapping[int, "Floats"]  # group -> what each of its windows moves a value by


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """What is computed of totals. ``function`` raises KeyError or ArithmeticError without them."""

    name: str
    events: frozenset[str]
    function: Callable[[Totals], float]


@dataclass(frozen=True, eq=False)
class Estimator:
    """The windows of a measurement. ``separate``: each group was counted in a run of its own.

    ``cycles`` is the event that groups are scaled by where they have it. Not slotted: sums over
    all windows are made once.
    """

    groups: "tuple[GroupWindows, ...]"
    cycles: str
    separate: bool = False

    @property
    def multiplexed(self) -> bool:
        """Return whether any group had to wait for its turn."""
        return any(self._waited)

    @property
    def seconds(self) -> float:
        """Return how long was measured."""
        begins = [group.start_s.min() for group in self.groups if len(group.start_s)]
        ends = [group.end_s.max() for group in self.groups if len(group.end_s)]
        return float(max(ends) - min(begins)) if ends else 0.0

    @cached_property
    def _ran(self) -> tuple[float, ...]:
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
    def _waited(self) -> tuple[bool, ...]:
        return tuple(group.multiplexed for group in self.groups)

    @cached_property
    def counted(self) -> frozenset[str]:
        """Return the events that were counted at any time."""
        return frozenset(
            event
            for group, ran in zip(self.groups, self._ran, strict=True)
            if ran > 0
            for event in group.events
        )

    def home(self, events: Iterable[str]) -> Mapping[str, int]:
        """Return which group answers for each event: as few groups as can be, the busiest first.

        Events that no group counted are left out.
        """
        key = frozenset(events)
        if key not in self._homes:
            self._homes[key] = self._found_home(set(key))
        return self._homes[key]

    @cached_property
    def _homes(self) -> dict[frozenset[str], dict[str, int]]:
        return {}

    def _found_home(self, wanted: set[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        while True:
            places = [
                (len(wanted.intersection(group.events)), self._ran[place], -place)
                for place, group in enumerate(self.groups)
                if self._ran[place] > 0
            ]
            best = max(places, default=(0, 0.0, 0))
            if best[0] == 0:
                return found
            for event in wanted.intersection(self.groups[-best[2]].events):
                found[event] = -best[2]
            wanted.difference_update(found)

    def totals(self, home: Mapping[str, int]) -> dict[str, float]:
        """Return the events' counts, scaled to all the time that was measured."""
        scales = {place: self.scale(place) for place in set(home.values())}
        found = {}
        for event, place in home.items():
            group = self.groups[place]
            column = group.counts[:, group.events.index(event)]
            found[event] = float(column.sum()) * scales[place]
        return found

    def rate_per_s(self, event: str) -> float | None:
        """Return an event's count in a second of its running: a clock's frequency."""
        place = self.home([event]).get(event)
        if place is None:
            return None
        group = self.groups[place]
        count = group.counts[:, group.events.index(event)].sum()
        return float(count / group.running.sum() * 1e9)

    def scale(self, place: int) -> float:
        """Return by what a group's counts are multiplied."""
        if not self._waited[place] and not self.separate:
            return 1.0
        if self._cycles[place] > 0:
            return self._all_cycles / self._cycles[place]
        return float(self.groups[place].enabled.sum()) / self._ran[place]

    @cached_property
    def _all_cycles(self) -> float:
        """Return the cycles of all the time: of a group that ran throughout, else scaled."""
        having = [place for place, count in enumerate(self._cycles) if count > 0]
        whole = [place for place in having if not self._waited[place]]
        if whole and not self.separate:
            return self._cycles[whole[0]]
        ran = sum(self._ran[place] for place in having)
        enabled = sum(float(self.groups[place].enabled.sum()) for place in having)
        return sum(self._cycles[place] for place in having) * enabled / ran / len(having)

    def influence(self, quantity: Quantity) -> Influence:
        """Return what each window's deviation moves a quantity by, for groups that took turns."""
        home = self.home(quantity.events)
        totals = self.totals(home)
        moved: dict[int, Floats] = {}
        for event, place in home.items():
            if not self._waited[place]:
                continue
            slope = _slope(quantity, totals, event)
            part = slope * self.scale(place) * self._deviations(place, event)
            moved[place] = moved[place] + part if place in moved else part
        return moved

    def _deviations(self, place: int, event: str) -> "Floats":
        """Return each window's count beyond what the group's ratio to cycles (or time) expects."""
        group = self.groups[place]
        column = group.counts[:, group.events.index(event)]
        auxiliary = group.running
        if self._cycles[place] > 0:
            auxiliary = group.counts[:, group.events.index(self.cycles)]
        deviations: Floats = column - auxiliary * (column.sum() / auxiliary.sum())
        return deviations

    def half_width(self, moved: Influence) -> float | None:
        """Return half of the 95 % interval of what the windows move; None where too few ran."""
        variance, fewest = 0.0, 0
        for place, deviations in moved.items():
            group = self.groups[place]
            ran = deviations[group.running > 0]
            if len(ran) < FEWEST_WINDOWS:
                return None
            fewest = min(fewest or len(ran), len(ran))
            share = float(group.running.sum() / group.enabled.sum())
            steps = ran[1:] - ran[:-1]
            spread = float((steps**2).sum()) / 2 * len(ran) / (len(ran) - 1)
            variance += spread * (1 - share)
        return float(student_t_95(fewest - 1) * variance**0.5) if variance > 0 else 0.0

    def waited(self, places: Iterable[int]) -> bool:
        """Return whether any of these groups had to wait for its turn."""
        return any(self._waited[place] for place in places)

    def spans_runs(self, events: Iterable[str]) -> bool:
        """Return whether these events were counted in different runs of the program."""
        return self.separate and len(set(self.home(events).values())) > 1


def _slope(quantity: Quantity, totals: Mapping[str, float], event: str) -> float:
    """Return the derivative of a quantity with respect to one total, by central differences."""
    total = totals[event]
    step = total * _STEP
    if step == 0:
        return 0.0  # its windows all hold 0 and deviate from nothing
    try:
        above = quantity.function({**totals, event: total + step})
        below = quantity.function({**totals, event: total - step})
    except (KeyError, ArithmeticError):
        return 0.0  # has no value, and so no interval
    return (above - below) / (2 * step)


def difference(one: Influence, other: Influence) -> Influence:
    """Return what each window moves the difference of two quantities by."""
    places = one.keys() | other.keys()
    return {
        place: one[place] - other[place]
        if place in one and place in other
        else one[place]
        if place in one
        else -other[place]
        for place in places
    }


def merged(group: "GroupWindows", shortest_s: float = SHORTEST_WINDOW_S) -> "GroupWindows":
    """Return the group with neighbouring windows put together until none is shorter."""
    import numpy as np  # noqa: PLC0415 - start-up stays light

    if len(group.start_s) == 0:
        return group
    starts, begin = [0], group.start_s[0]
    for place in range(1, len(group.start_s)):
        if group.end_s[place - 1] - begin >= shortest_s - _TOLERANCE_S:
            starts.append(place)
            begin = group.start_s[place]
    if len(starts) > 1 and group.end_s[-1] - begin < shortest_s - _TOLERANCE_S:
        starts.pop()  # a short rest belongs to the window before
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
