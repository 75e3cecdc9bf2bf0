"""Intervals over time, drawn for a page: the first level stacked, without a script."""

from harness.topdown.categories import category
from harness.topdown.intervals import percent_of, root_names
from topdown.slots.measurement import Measurement, Slice

MOST_STEPS = 600


def stacked_time(measurement: Measurement) -> str:
    """Return the picture's markup; empty without intervals. A gap is what has no value."""
    slices = measurement.slices
    if not slices:
        return ""
    begin, end = slices[0].start_s, slices[-1].end_s
    scale = 1000 / (end - begin) if end > begin else 0.0
    names = root_names(measurement)
    # Beyond this many an interval is narrower than a pixel: means of several are drawn.
    step = -(-len(slices) // MOST_STEPS)
    parts = []
    for at in range(0, len(slices), step):
        group = slices[at : at + step]
        left = (group[0].start_s - begin) * scale
        width = (group[-1].end_s - begin) * scale - left
        base = 0.0
        for name in names:
            height = min(max(0.0, _mean(group, name, measurement.whole)), 100.0 - base)
            if height > 0:
                parts.append(
                    f'<rect class="slot-{category(name).key}" x="{left:.1f}" '
                    f'y="{100 - base - height:.2f}" width="{width:.1f}" height="{height:.2f}"/>'
                )
            base += height
    told = "" if step == 1 else f"; drawn are means of {step}"
    return (
        '<svg class="slots-time" viewBox="0 0 1000 100" preserveAspectRatio="none" '
        'shape-rendering="crispEdges" role="img" aria-label="The first level over time">'
        f"{''.join(parts)}</svg>"
        f'<p class="hint">Over {end - begin:.2f} s, in {len(slices)} intervals{told}.</p>'
    )


def _mean(group: tuple[Slice, ...], name: str, whole: float) -> float:
    """Return the mean percent of a node over the intervals that have it; 0 where none has."""
    shares = [percent_of(each, name, whole) for each in group]
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else 0.0
