"""Work is thrown away after mispredicted branches."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.front_end import resteer_share
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding, stands_out
from harness.diagnose.result import Finding

LEAST = 0.1


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if mispredictions, and not other clears, throw work away."""
    slots = facts.slots
    if slots is None or not stands_out(slots, "bad speculation", LEAST):
        return
    if not stands_out(slots, "mispredictions", LEAST):
        return
    share = slots.share("mispredictions")
    if 2 * share < slots.share("bad speculation"):
        return  # machine clears are the larger part
    share = min(1.0, share + resteer_share(slots))
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="mispredictions",
            sentence=f"Mispredicted branches cost {share:.0%} of the pipeline's slots.",
            share=share,
            words=("bad speculation", "mispredictions", "resteers"),
            remedies=(
                "replace unpredictable branches by arithmetic, or sort the data by the condition",
                "split the loop by case, or dispatch with one indirect jump per operation",
            ),
            check="stallscope topdown -p PID shows Branch_Mispredicts; perf record -e "
            "branch-misses:pp finds the branches",
        ),
    )
