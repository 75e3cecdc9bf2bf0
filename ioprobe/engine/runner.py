"""Runs of the disk engine on one target, for response curves and read/write matrices.

A run that Ctrl-C cuts short counts if at least half of it was measured; then KeyboardInterrupt is
raised.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ioprobe.engine.engine import EngineEnd, EngineFacts, Point, PointResult, measure_points
from ioprobe.target.target import DiskTarget
from stallscope.errors import UnableError

_MIN_MEASURED_SHARE = 0.5


@dataclass(slots=True)
class EngineRunner:
    """Runs points on a target; ``facts``, ``engines`` and ``notes`` describe the runs so far."""

    target: DiskTarget
    real_time: bool = True
    facts: EngineFacts | None = None
    engines: set[str] = field(default_factory=set)
    notes: dict[str, None] = field(default_factory=dict)

    def results(self, points: Sequence[Point]) -> Iterator[PointResult]:
        """Yield the results of points, all measured by one run of the engine.

        Raises KeyboardInterrupt after an interrupted run, UnableError if every request fails.
        """
        for event in measure_points(self.target, points, real_time=self.real_time):
            if isinstance(event, EngineFacts):
                self.facts = self.facts or event
            elif isinstance(event, EngineEnd) and event.interrupted:
                raise KeyboardInterrupt
            elif isinstance(event, PointResult):
                self.engines.add(event.engine)
                self.notes.update(dict.fromkeys(event.notes))
                self._check_requests(event)
                if _is_long_enough(event):
                    yield event

    def _check_requests(self, result: PointResult) -> None:
        if not result.requests and result.errors:
            counts = ", ".join(f"{count:,} x {name}" for name, count in result.errors.items())
            raise UnableError(
                f"{self.target.path}: every request failed: {counts}",
                "see the kernel's log for errors of this disk",
            )


def _is_long_enough(result: PointResult) -> bool:
    """Return whether a run represents its point; without a window it has no rates."""
    share = result.seconds / result.point.duration_s
    return result.iops is not None and (not result.interrupted or share >= _MIN_MEASURED_SHARE)
