"""The first level over time, stacked, for a page without scripts."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.topdown.categories import category
from harness.topdown.interval_text import percent_of, root_names
from harness.topdown.result import SliceRecord, TopdownResult

MAX_STEPS = 600


@dataclass(frozen=True, slots=True)
class TimeBar:
    """A rectangle of the picture, which is 1000 wide and 100 high."""

    category: str
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class StackedTime:
    """The bars of the picture; each is the mean of ``averaged`` intervals."""

    bars: tuple[TimeBar, ...]
    length_s: float
    intervals: int
    averaged: int


def stacked_time(result: TopdownResult) -> StackedTime | None:
    """Return the picture; None without intervals. Missing values are gaps."""
    slices = result.intervals
    if not slices:
        return None
    # More intervals would be narrower than a pixel; means of several are drawn.
    averaged = -(-len(slices) // MAX_STEPS)
    length_s = slices[-1].end_s - slices[0].start_s
    return StackedTime(tuple(_bars(result, averaged)), length_s, len(slices), averaged)


def _bars(result: TopdownResult, averaged: int) -> Iterator[TimeBar]:
    slices = result.intervals
    start, end = slices[0].start_s, slices[-1].end_s
    scale = 1000 / (end - start) if end > start else 0.0
    names = root_names(result)
    for first in range(0, len(slices), averaged):
        group = slices[first : first + averaged]
        left = (group[0].start_s - start) * scale
        width = (group[-1].end_s - start) * scale - left
        base = 0.0
        for name in names:
            height = min(max(0.0, _mean(group, name, result.whole)), 100.0 - base)
            if height > 0:
                yield TimeBar(category(name).key, left, 100 - base - height, width, height)
            base += height


def _mean(group: tuple[SliceRecord, ...], name: str, whole: float) -> float:
    """Return the mean percent of a node over the intervals with a value, or 0."""
    shares = [percent_of(time_slice, name, whole) for time_slice in group]
    numbers = [share for share in shares if share is not None]
    return sum(numbers) / len(numbers) if numbers else 0.0
