"""The course of measuring a response curve: pilot, passes, refinement, and what is left of time.

How a run is made is passed in, so that a model of a disk goes through the same course.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ioprobe.curve.burst import Burst, find_burst, without_burst
from ioprobe.curve.estimates import Estimates, estimates
from ioprobe.curve.plan import CurvePlan, Step, is_flat, passes, powers, refinement
from ioprobe.curve.readings import DepthReadings, Reading, by_depth
from ioprobe.curve.steady import settled
from ioprobe.curve.verdicts import Evidence, Finding, Limit, findings
from stallscope.errors import StallscopeError

Measure = Callable[[Sequence[Step]], Iterator[Reading]]
MOST_REFINEMENTS = 4
_PILOT_SHARE = 0.3  # of a reading's time
_EXPECTED_REFINED = 10  # depths that refinement adds, as a rule


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a curve is, in seconds of measuring; ``depth`` is the one at hand."""

    what: str
    depth: int
    done_s: float
    left_s: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A measured curve; readings keep what was masked, with the reasons.

    ``failure`` is what ended it, where the disk or the engine did.
    """

    plan: CurvePlan
    readings: tuple[Reading, ...]
    depths: tuple[DepthReadings, ...]
    estimates: Estimates | None
    burst: Burst | None
    findings: tuple[Finding, ...]
    complete: bool
    failure: StallscopeError | None = None


def evaluated(
    plan: CurvePlan, raw: Sequence[Reading], *, limits: Sequence[Limit] = (), complete: bool = True
) -> Curve:
    """Return what raw readings say: steady states, bursts, estimates, findings."""
    steady = tuple(settled(one) for one in raw)
    burst = find_burst(steady)
    readings = without_burst(steady, burst)
    depths = by_depth(readings)
    found = estimates(depths, plan.slo_p99_ns)
    told = findings(Evidence(readings, depths, found, burst, limits))
    return Curve(plan, readings, depths, found, burst, told, complete)


@dataclass(slots=True)
class _Course:
    """One curve being measured."""

    plan: CurvePlan
    measure: Measure
    on_progress: Callable[[Progress], None]
    raw: list[Reading] = field(default_factory=list)
    request_s: dict[int, float] = field(default_factory=dict)
    done_s: float = 0.0

    def pilot(self, *, after_s: float) -> list[int]:
        """Return the powers of two worth measuring, once throughput has stopped growing.

        ``after_s``: what is expected to follow the passes over them.
        """
        rates: list[float] = []
        depths: list[int] = []
        for depth in powers(self.plan.most_depth):
            request_s = 2 * self._expected_request_s(depth)
            step = self.plan.step(depth, self.plan.seed, request_s)
            step = replace(step, duration_s=max(0.1, _PILOT_SHARE * step.duration_s))
            left_s = after_s + len(powers(self.plan.most_depth)) * self._length_s(self.plan.repeats)
            self.on_progress(Progress("pilot", depth, self.done_s, left_s))
            for one in self.measure([step]):
                depths.append(depth)
                rates.append(one.iops)
                if one.latency is not None:
                    self.request_s[depth] = one.latency.mean / 1e9
            self.done_s += step.warmup_s + step.duration_s
            if is_flat(rates):
                break
        return depths

    def read(self, depths: Sequence[int], what: str, *, repeats: int, after_s: float) -> None:
        """Measure the depths so many times; ``after_s``: what is expected to follow."""
        seed = self.plan.seed + len(self.raw)
        steps = [
            self.plan.step(depth, seed + at, self._expected_request_s(depth))
            for each in passes(depths, repeats, seed)
            for at, depth in enumerate(each)
        ]
        left_s = after_s + sum(step.warmup_s + step.duration_s for step in steps)
        readings = self.measure(steps)
        for at, step in enumerate(steps):
            said = f"{what}, {at + 1} of {len(steps)}"
            self.on_progress(Progress(said, step.depth, self.done_s, left_s))
            one = next(readings, None)
            if one is None:
                break
            self.raw.append(replace(one, number=len(self.raw)))
            self.done_s += step.warmup_s + step.duration_s
            left_s -= step.warmup_s + step.duration_s
        next(readings, None)  # to its end, which tells of a Ctrl-C in the last one

    def refine(self) -> None:
        """Add depths around those with a name until all stand close."""
        for turn in range(MOST_REFINEMENTS):
            found = evaluated(self.plan, self.raw)
            if found.estimates is None:
                return
            wanted = {*refinement(found.depths, found.estimates, self.plan.slo_p99_ns)}
            deepest = found.depths[-1].depth
            if not found.estimates.knee_reached:  # the pilot was deceived
                wanted |= {min(2 * deepest, self.plan.most_depth)} - {deepest}
            if not wanted:
                return
            # Their neighbours again, so that none stands for the hour it was measured in.
            wanted |= {round(found.estimates.knee.value), deepest}
            self.read(
                sorted(wanted), f"refining {turn + 1}", repeats=self.plan.repeats, after_s=0.0
            )

    def repair(self) -> None:
        """Measure once more the depths that have no reading that counts, and all after a burst."""
        found = evaluated(self.plan, self.raw)
        missing = [one.depth for one in found.depths if not one.ok]
        if found.burst is not None and not found.burst.inside:
            missing = [one.depth for one in found.depths if len(one.accepted) < self.plan.repeats]
        if missing:
            self.read(missing, "again", repeats=1, after_s=self._length_s(_EXPECTED_REFINED))

    def _expected_request_s(self, depth: int) -> float:
        known = [one for one in self.request_s if one <= depth]
        if not known:
            return 0.0
        nearest = max(known)
        return self.request_s[nearest] * depth / nearest

    def _length_s(self, readings: int) -> float:
        return readings * (self.plan.duration_s + self.plan.warmup_s)


def measure_curve(
    plan: CurvePlan,
    measure: Measure,
    on_progress: Callable[[Progress], None],
    *,
    limits: Sequence[Limit] = (),
) -> Curve:
    """Return the curve; what was measured so far where it is interrupted, or the disk fails."""
    course = _Course(plan, measure, on_progress)
    complete, failure = True, None
    try:
        expected = course._length_s(_EXPECTED_REFINED * plan.repeats)
        depths = course.pilot(after_s=expected)
        course.read(depths, "depths", repeats=plan.repeats, after_s=expected)
        course.repair()
        course.refine()
    except KeyboardInterrupt:
        if not course.raw:
            raise
        complete = False
    except StallscopeError as error:
        if not course.raw:
            raise
        complete, failure = False, error
    curve = evaluated(plan, course.raw, limits=limits, complete=complete)
    return replace(curve, failure=failure)
