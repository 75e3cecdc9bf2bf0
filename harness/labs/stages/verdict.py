"""The verdict of the stages lab: by throughput, or by CPU time if the loader was the bottleneck."""

from harness.labs.stages.measurement import StagesMeasurement, StagesReading
from harness.labs.stages.plan import SATURATED
from harness.labs.verdict import PairConclusion, PairVerdict, pair_verdict


def stages_verdict(lab: StagesMeasurement) -> PairVerdict:
    """Return the verdict on staged against unstaged, with its reason."""
    errors = sum(reading.errors for reading in lab.readings)
    if errors:
        noun = "reply was an error" if errors == 1 else "replies were errors"
        reason = f"{errors:,} {noun}, so the path was not measured"
        return PairVerdict(PairConclusion.REFUSED, reason)
    if lab.cores.shared:
        reason = "server and loader share CPUs, so only the replies were checked"
        return PairVerdict(PairConclusion.REFUSED, reason)
    saturated = [reading for reading in lab.readings if reading.run.load == SATURATED]
    limited = [reading for reading in saturated if reading.loader_limit]
    if not limited:
        ratio = lab.ratio(SATURATED, lambda reading: reading.throughput_per_s)
        return pair_verdict(ratio, "throughput")
    verdict = pair_verdict(lab.ratio(SATURATED, requests_per_cpu_us), "requests per CPU second")
    return PairVerdict(
        verdict.conclusion,
        f"{verdict.reason} (the loader was the bottleneck in {len(limited)} of {len(saturated)} "
        f"saturated runs, so throughput is not compared: {limited[0].loader_limit})",
    )


def requests_per_cpu_us(reading: StagesReading) -> float | None:
    """Return requests per microsecond of the server's CPU time; None if it was not measured."""
    return 1 / reading.cpu_us if reading.cpu_us else None
