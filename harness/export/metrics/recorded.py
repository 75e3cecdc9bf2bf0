"""Metrics of several recordings: one table with the labels host and recording on each point."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from harness.export.metrics.metric import Labels, MetricFamily, MetricTable, label_text

Point = TypeVar("Point")


@dataclass(frozen=True, slots=True)
class RecordedMetrics:
    """The metrics of a recording, or of a recorder.

    ``period_ns``: begin and end in nanoseconds since 1970, None if they are not known. ``path``
    distinguishes recordings of a host that have the same name.
    """

    table: MetricTable
    host: str
    recording: str
    path: str
    period_ns: tuple[int, int] | None


def distinct(parts: Sequence[RecordedMetrics]) -> list[RecordedMetrics]:
    """Return the metrics, with paths as names of recordings that share host and name."""
    counts = Counter((part.host, part.recording) for part in parts)
    return [
        replace(part, recording=part.path) if counts[part.host, part.recording] > 1 else part
        for part in parts
    ]


def merged(parts: Sequence[RecordedMetrics]) -> MetricTable:
    """Return the points of all recordings, one family for each name, with labels of origin."""
    table = MetricTable()
    families: dict[str, MetricFamily] = {}
    for part in parts:
        origin = (("host", label_text(part.host)), ("recording", label_text(part.recording)))
        for family, points in part.table.values.items():
            known = families.setdefault(family.name, family)
            _add(table.values.setdefault(known, {}), points, origin)
        for family, histograms in part.table.histograms.items():
            known = families.setdefault(family.name, family)
            _add(table.histograms.setdefault(known, {}), histograms, origin)
        table.notes += (f"{part.path}: {text}" for text in part.table.notes)
    return table


def _add(target: dict[Labels, Point], points: dict[Labels, Point], origin: Labels) -> None:
    names = {name for name, _ in origin}
    for labels, point in points.items():
        own = tuple(label for label in labels if label[0] not in names)
        target[(*(label for label in origin if label[1]), *own)] = point
