"""The result of `stallscope lab scale`: throughput by connections and by server threads."""

import statistics
from collections.abc import Iterator

from cstates.fingerprint import Fingerprint
from harness.labs.scale.counter_table import unavailable_events
from harness.labs.scale.counters import CountedPoint, counted_points
from harness.labs.scale.measurement import ScaleMeasurement
from harness.labs.scale.options import LoadPoint, ScaleAxis, ScaleWorkload
from stallscope.documents import Amount, Count, Document, Natural, Record, field

_MIN_FIT_POINTS = 6


class ScaleMachine(Record, frozen=True, kw_only=True):
    """The CPUs of the lab; their numbers are None in a table that was read from a file."""

    cpu_model: str
    server_cpu: Count | None  # of the first server thread
    loader_cpu: Count | None


class LabScalePoint(Record, frozen=True, kw_only=True):
    """The runs of a point: N of an axis, and X replies per second."""

    axis: ScaleAxis
    n: Natural = field(name="N")
    throughput_per_s: Amount = field(name="X")  # median of the runs
    low_per_s: Amount = field(name="X_low")
    high_per_s: Amount = field(name="X_high")
    runs: tuple[Amount, ...]
    connections: Natural
    threads: Natural
    loader_limited: Count  # runs in which the loader was the bottleneck
    shared_cpu: bool  # a server thread shares the loader's CPU


class LabScaleResult(Document, frozen=True, kw_only=True, tag="stallscope.lab.scale/1"):
    """Throughput by connections, at one thread, and by threads."""

    path: str
    stages: bool
    pipeline: Natural
    duration_s: Amount
    machine: ScaleMachine
    settings: Fingerprint | None
    points: tuple[LabScalePoint, ...]
    workload: ScaleWorkload = ScaleWorkload.GET
    counted: tuple[CountedPoint, ...] = ()  # empty without --count
    notes: tuple[str, ...]
    interrupted: bool

    def axis_points(self, axis: ScaleAxis) -> list[LabScalePoint]:
        """Return the points of an axis."""
        return [point for point in self.points if point.axis is axis]


def scale_result(lab: ScaleMeasurement) -> LabScaleResult:
    """Return the result of the runs; points without a run are left out."""
    options, cores = lab.options, lab.cores
    measured = {run.point for run in lab.runs}
    threads = {run.point: options.threads_of(run.point) for run in lab.counted}
    counted = tuple(counted_points(lab.counted, threads))
    points = tuple(_point(lab, point) for point in options.points if point in measured)
    return LabScaleResult(
        path=options.path,
        stages=options.stages,
        pipeline=options.pipeline,
        duration_s=options.duration_s,
        machine=ScaleMachine(
            cpu_model=cores.cpu_model, server_cpu=cores.server, loader_cpu=cores.loader
        ),
        settings=lab.settings,
        points=points,
        notes=tuple(_notes(lab, points, counted)),
        interrupted=lab.interrupted,
        workload=options.workload,
        counted=counted,
    )


def _point(lab: ScaleMeasurement, point: LoadPoint) -> LabScalePoint:
    runs = [run for run in lab.runs if run.point == point]
    rates = tuple(run.throughput for run in runs)
    return LabScalePoint(
        axis=point.axis,
        n=point.n,
        throughput_per_s=statistics.median(rates),
        low_per_s=min(rates),
        high_per_s=max(rates),
        runs=rates,
        connections=lab.options.connections_of(point),
        threads=lab.options.threads_of(point),
        loader_limited=sum(bool(run.loader_limit) for run in runs),
        shared_cpu=point in lab.shared,
    )


def _notes(
    lab: ScaleMeasurement, points: tuple[LabScalePoint, ...], counted: tuple[CountedPoint, ...]
) -> Iterator[str]:
    if lab.interrupted:
        yield "Interrupted: points without a run are left out."
    for reason in dict.fromkeys(run.counts.unavailable for run in lab.counted):
        if reason:
            yield f"Only software events are counted: {reason}."
    for text in dict.fromkeys(text for run in lab.counted for text in run.counts.warnings):
        yield f"Counters: {text}."
    yield from unavailable_events(counted)
    if lab.settings is not None and lab.settings.warnings:
        yield f"Less repeatable: {', '.join(lab.settings.warnings)}."
    if any(point.shared_cpu for point in points):
        yield (
            "Points marked with * have a server thread on the loader's CPU: both slow each other "
            "down, so these points do not show how the server scales."
        )
    limited = [run for run in lab.runs if run.loader_limit]
    if limited:
        yield (
            f"The loader was the bottleneck in {len(limited)} of {len(lab.runs)} runs: "
            f"{limited[0].loader_limit}"
        )
    for axis in ScaleAxis:
        usable = [point for point in points if point.axis is axis and not point.shared_cpu]
        if 0 < len(usable) < _MIN_FIT_POINTS:
            noun = "point" if len(usable) == 1 else "points"
            need = f"a fit of three parameters needs {_MIN_FIT_POINTS}"
            yield f"{len(usable)} {noun} by {axis}: {need}."
