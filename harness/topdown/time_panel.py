"""The first level over time, stacked, for a page without scripts."""

from harness.topdown.categories import category
from harness.topdown.interval_text import percent_of, root_names
from topdown.slots.measurement import Measurement, Slice

MAX_STEPS = 600


def stacked_time(measurement: Measurement) -> str:
    """Return the picture's markup; empty without intervals. Missing values are gaps."""
    slices = measurement.slices
    if not slices:
        return ""
    start, end = slices[0].start_s, slices[-1].end_s
    scale = 1000 / (end - start) if end > start else 0.0
    names = root_names(measurement)
    # More intervals would be narrower than a pixel; means of several are drawn.
    step = -(-len(slices) // MAX_STEPS)
    parts = []
    for first in range(0, len(slices), step):
        group = slices[first : first + step]
        left = (group[0].start_s - start) * scale
        width = (group[-1].end_s - start) * scale - left
        base = 0.0
        for name in names:
            height = min(max(0.0, _mean(group, name, measurement.whole)), 100.0 - base)
            if height > 0:
                parts.append(
                    f'<rect class="slot-{category(name).key}" x="{left:.1f}" '
                    f'y="{100 - base - height:.2f}" width="{width:.1f}" height="{height:.2f}"/>'
                )
            base += height
    averaged = "" if step == 1 else f"; each step is the mean of {step}"
    return (
        '<svg class="slots-time" viewBox="0 0 1000 100" preserveAspectRatio="none" '
        'shape-rendering="crispEdges" role="img" aria-label="The first level over time">'
        f"{''.join(parts)}</svg>"
        f'<p class="hint">Over {end - start:.2f} s, in {len(slices)} intervals{averaged}.</p>'
    )


def _mean(group: tuple[Slice, ...], name: str, whole: float) -> float:
    """Return the mean percent of a node over the intervals with a value, or 0."""
    shares = [percent_of(part, name, whole) for part in group]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else 0.0
