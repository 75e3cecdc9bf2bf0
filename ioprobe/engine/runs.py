"""Runs of the disk engine for curves and matrices: one point each, and what it came to.

A run that Ctrl-C cuts short is kept where at least half of it was done; then the interrupt goes on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ioprobe.curve.plan import Step
from ioprobe.curve.readings import Reading
from ioprobe.engine.engine import Begun, Ended, Measured, Point, measuring
from ioprobe.mix.cells import MixReading
from ioprobe.mix.plan import MixStep
from ioprobe.target.target import Target
from stallscope.errors import UnableError

_LEAST_SHARE = 0.5


@dataclass(slots=True)
class EngineRuns:
    """Makes runs on a target; ``begun``, ``engines`` and ``notes`` tell how they were made."""

    target: Target
    block_bytes: int = 4096
    pattern: str = "random"
    read_share: float = 1.0
    real_time: bool = True
    begun: Begun | None = None
    engines: set[str] = field(default_factory=set)
    notes: dict[str, None] = field(default_factory=dict)

    def of_curve(self, steps: Sequence[Step]) -> Iterator[Reading]:
        """Yield a reading for each step, all made by one run of the engine."""
        points = [
            Point(
                id=f"{at}: depth {step.depth}",
                depth=step.depth,
                block_bytes=self.block_bytes,
                pattern=self.pattern,
                read_share=self.read_share,
                warmup_s=step.warmup_s,
                duration_s=step.duration_s,
                seed=step.seed,
            )
            for at, step in enumerate(steps)
        ]
        for found in self.measured(points):
            yield reading_of(found)

    def of_mix(self, step: MixStep) -> MixReading | None:
        """Return what a cell's run came to; None without a request."""
        point = Point(
            id="cell",
            depth=step.depth,
            block_bytes=step.block_bytes,
            pattern=step.pattern,
            read_share=step.read_share,
            rate_per_s=step.rate_per_s,
            warmup_s=step.warmup_s,
            duration_s=step.duration_s,
            seed=step.seed,
        )
        done = [mix_reading_of(found) for found in self.measured([point]) if found.requests]
        return done[0] if done else None

    def measured(self, points: Sequence[Point]) -> Iterator[Measured]:
        """Yield what each point came to.

        Raises KeyboardInterrupt after a run that was interrupted, UnableError where the disk
        answers with nothing but errors.
        """
        events = measuring(self.target, points, real_time=self.real_time)
        for event in events:
            if isinstance(event, Begun):
                self.begun = self.begun or event
            elif isinstance(event, Ended) and event.interrupted:
                raise KeyboardInterrupt
            elif isinstance(event, Measured):
                self.engines.add(event.engine)
                self.notes.update(dict.fromkeys(event.notes))
                self._check_answers(event)
                if _is_long_enough(event):
                    yield event

    def _check_answers(self, found: Measured) -> None:
        if not found.requests and found.errors:
            names = ", ".join(f"{count:,} times {name}" for name, count in found.errors.items())
            raise UnableError(
                f"{self.target.path}: no request was answered but by errors: {names}",
                "see the kernel's log for what this disk answers",
            )


def _is_long_enough(found: Measured) -> bool:
    """Return whether a run may stand for its point; without a window it has no rates at all."""
    share = found.seconds / found.point.duration_s
    return found.iops is not None and (not found.interrupted or share >= _LEAST_SHARE)


def reading_of(found: Measured) -> Reading:
    """Return a curve's reading of a point that was measured in a window of some length."""
    check = found.self_check
    assert found.iops is not None
    return Reading(
        depth=found.point.depth,
        number=0,
        seconds=found.seconds,
        iops=found.iops,
        latency=found.latency_ns,
        buckets=found.histogram,
        series=found.series,
        littles_law_error=check.littles_law_error,
        cpu_delay_share=check.cpu_delay_share,
        failed=check.failed,
    )


def mix_reading_of(found: Measured) -> MixReading:
    """Return a cell's reading of a point that was measured in a window of some length."""
    assert found.iops is not None
    assert found.bytes_per_s is not None
    return MixReading(
        found.iops,
        found.bytes_per_s,
        found.read_latency_ns,
        found.write_latency_ns,
        found.self_check.failed,
    )
