"""The stages lab's verdict: by throughput, by CPU where the loader was the limit, or none."""

from harness.labs.stages.plan import SATURATED
from harness.labs.stages.results import Reading, StagesResults
from harness.labs.verdict import PairConclusion, PairVerdict, pair_verdict
from stallscope.statistics.estimate import Estimate


def conclude(results: StagesResults) -> PairVerdict:
    """Return the verdict on stages against none, with its reason."""
    wrong = sum(each.errors for each in results.readings)
    if wrong:
        return PairVerdict(
            PairConclusion.REFUSED,
            f"{wrong:,} requests were answered by errors, which are no measure of the path",
        )
    saturated = [each for each in results.readings if each.turn.load == SATURATED]
    limited = [each for each in saturated if each.limited_by]
    if not limited:
        return pair_verdict(results.ratio(SATURATED, lambda each: each.throughput), "throughput")
    verdict = pair_verdict(_work_per_cpu(results), "requests per CPU second")
    return PairVerdict(
        verdict.conclusion,
        f"{verdict.reason} (the loader was the limit in {len(limited)} of {len(saturated)} "
        f"saturated runs, so throughput says nothing: {limited[0].limited_by})",
    )


def _work_per_cpu(results: StagesResults) -> Estimate:
    def work(each: Reading) -> float | None:
        return 1 / each.cpu_us if each.cpu_us else None

    return results.ratio(SATURATED, work)
