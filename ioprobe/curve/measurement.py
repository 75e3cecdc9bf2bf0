"""Measurement of a response curve: pilot, passes over the depths, repeats, refinement.

The function that measures a run is a parameter, so that tests can use a model of a disk.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ioprobe.curve.burst import ReadBurst, find_burst, without_burst
from ioprobe.curve.estimates import CurveEstimates, estimate_curve
from ioprobe.curve.plan import CurvePlan, CurveStep, is_flat, passes, powers, refinement
from ioprobe.curve.readings import DepthReading, DepthReadings, by_depth
from ioprobe.curve.steady import at_steady_level
from ioprobe.curve.verdicts import CurveEvidence, CurveFinding, RequestLimit, find_peculiarities
from stallscope.errors import StallscopeError

MeasureSteps = Callable[[Sequence[CurveStep]], Iterator[DepthReading]]
MAX_REFINEMENTS = 4
_PILOT_SHARE = 0.3  # of a reading's duration
_EXPECTED_REFINED = 10  # depths that refinement usually adds


@dataclass(frozen=True, slots=True)
class CurveProgress:
    """Progress of a curve in seconds of measurement; ``depth`` is the current one."""

    phase: str
    depth: int
    done_s: float
    left_s: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A measured curve; ``readings`` include masked ones with their reasons.

    ``failure`` is the error of the disk or the engine that ended the measurement.
    """

    plan: CurvePlan
    readings: tuple[DepthReading, ...]
    depths: tuple[DepthReadings, ...]
    estimates: CurveEstimates | None
    burst: ReadBurst | None
    findings: tuple[CurveFinding, ...]
    complete: bool
    failure: StallscopeError | None = None


def evaluate_curve(
    plan: CurvePlan,
    raw: Sequence[DepthReading],
    *,
    limits: Sequence[RequestLimit] = (),
    complete: bool = True,
) -> Curve:
    """Return the curve of raw readings: steady states, bursts, estimates and findings."""
    steady = tuple(at_steady_level(reading) for reading in raw)
    burst = find_burst(steady)
    readings = without_burst(steady, burst)
    depths = by_depth(readings)
    estimates = estimate_curve(depths, plan.slo_p99_ns)
    findings = find_peculiarities(CurveEvidence(readings, depths, estimates, burst, limits))
    return Curve(plan, readings, depths, estimates, burst, findings, complete)


@dataclass(slots=True)
class _CurveMeasurement:
    """The state of a curve measurement in progress."""

    plan: CurvePlan
    measure: MeasureSteps
    on_progress: Callable[[CurveProgress], None]
    raw: list[DepthReading] = field(default_factory=list)
    request_s: dict[int, float] = field(default_factory=dict)  # mean latency by depth
    done_s: float = 0.0

    def pilot(self, *, after_s: float) -> list[int]:
        """Return the powers of two up to the depth at which throughput stops growing.

        ``after_s`` is the expected time from the passes over them to the end.
        """
        rates: list[float] = []
        depths: list[int] = []
        for depth in powers(self.plan.max_depth):
            request_s = 2 * self._expected_request_s(depth)
            step = self.plan.step(depth, self.plan.seed, request_s)
            step = replace(step, duration_s=max(0.1, _PILOT_SHARE * step.duration_s))
            passes_s = len(powers(self.plan.max_depth)) * self._length_s(self.plan.repeats)
            self.on_progress(CurveProgress("pilot", depth, self.done_s, after_s + passes_s))
            for reading in self.measure([step]):
                depths.append(depth)
                rates.append(reading.iops)
                if reading.latency is not None:
                    self.request_s[depth] = reading.latency.mean / 1e9
            self.done_s += step.warmup_s + step.duration_s
            if is_flat(rates):
                break
        return depths

    def measure_depths(
        self, depths: Sequence[int], phase: str, *, repeats: int, after_s: float
    ) -> None:
        """Measure the depths ``repeats`` times; ``after_s`` is the expected time afterwards."""
        seed = self.plan.seed + len(self.raw)
        steps = [
            self.plan.step(depth, seed + index, self._expected_request_s(depth))
            for order in passes(depths, repeats, seed)
            for index, depth in enumerate(order)
        ]
        left_s = after_s + sum(step.warmup_s + step.duration_s for step in steps)
        readings = self.measure(steps)
        for index, step in enumerate(steps):
            text = f"{phase}, {index + 1} of {len(steps)}"
            self.on_progress(CurveProgress(text, step.depth, self.done_s, left_s))
            reading = next(readings, None)
            if reading is None:
                break
            self.raw.append(replace(reading, number=len(self.raw)))
            self.done_s += step.warmup_s + step.duration_s
            left_s -= step.warmup_s + step.duration_s
        next(readings, None)  # raises KeyboardInterrupt if Ctrl-C came during the last step

    def refine(self) -> None:
        """Add depths around the recommended ones until their brackets are narrow."""
        for turn in range(MAX_REFINEMENTS):
            curve = evaluate_curve(self.plan, self.raw)
            if curve.estimates is None:
                return
            added = {*refinement(curve.depths, curve.estimates, self.plan.slo_p99_ns)}
            deepest = curve.depths[-1].depth
            if not curve.estimates.knee_reached:  # the pilot stopped too early
                added |= {min(2 * deepest, self.plan.max_depth)} - {deepest}
            if not added:
                return
            # Repeat the neighbours, so that all are compared under the same conditions.
            added |= {round(curve.estimates.knee.value), deepest}
            self.measure_depths(
                sorted(added), f"refinement {turn + 1}", repeats=self.plan.repeats, after_s=0.0
            )

    def repeat_masked(self) -> None:
        """Repeat depths without an accepted reading, and after a burst all incomplete depths."""
        curve = evaluate_curve(self.plan, self.raw)
        missing = [readings.depth for readings in curve.depths if not readings.ok]
        if curve.burst is not None and not curve.burst.within_readings:
            missing = [
                readings.depth
                for readings in curve.depths
                if len(readings.accepted) < self.plan.repeats
            ]
        if missing:
            after_s = self._length_s(_EXPECTED_REFINED)
            self.measure_depths(missing, "repeats", repeats=1, after_s=after_s)

    def _expected_request_s(self, depth: int) -> float:
        shallower = [measured for measured in self.request_s if measured <= depth]
        if not shallower:
            return 0.0
        nearest = max(shallower)
        return self.request_s[nearest] * depth / nearest

    def _length_s(self, readings: int) -> float:
        return readings * (self.plan.duration_s + self.plan.warmup_s)


def measure_curve(
    plan: CurvePlan,
    measure: MeasureSteps,
    on_progress: Callable[[CurveProgress], None],
    *,
    limits: Sequence[RequestLimit] = (),
) -> Curve:
    """Return the curve; after Ctrl-C or an error of the disk, the part measured so far."""
    measurement = _CurveMeasurement(plan, measure, on_progress)
    complete, failure = True, None
    try:
        refinement_s = measurement._length_s(_EXPECTED_REFINED * plan.repeats)
        depths = measurement.pilot(after_s=refinement_s)
        measurement.measure_depths(depths, "depths", repeats=plan.repeats, after_s=refinement_s)
        measurement.repeat_masked()
        measurement.refine()
    except KeyboardInterrupt:
        if not measurement.raw:
            raise
        complete = False
    except StallscopeError as error:
        if not measurement.raw:
            raise
        complete, failure = False, error
    curve = evaluate_curve(plan, measurement.raw, limits=limits, complete=complete)
    return replace(curve, failure=failure)
