"""The pipeline waits for instructions: misses of the instruction cache, or slow decoding."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding, stands_out
from harness.diagnose.result import Finding
from harness.diagnose.slots import SlotFacts

LEAST = 0.2


def resteer_share(slots: SlotFacts) -> float:
    """Return the slots of the front end that follow a misprediction, which is their cause."""
    return min(slots.share("resteers"), slots.share("fetch latency"))


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if the front end costs much beyond the restarts after mispredictions."""
    slots = facts.slots
    if slots is None or not stands_out(slots, "front end", LEAST):
        return
    share = slots.share("front end") - resteer_share(slots)
    if share < LEAST:
        return
    misses = slots.share("instruction cache") + slots.share("instruction TLB")
    cached = misses >= share / 3
    what = "instructions that are not in the cache" if cached else "instructions"
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="front-end",
            sentence=f"The pipeline waits for {what} in {share:.0%} of its slots.",
            share=share,
            words=(
                "front end",
                "fetch latency",
                "instruction cache",
                "instruction TLB",
                "resteers",
            ),
            remedies=(
                (
                    "make the hot code smaller and contiguous: profile-guided optimization, BOLT, "
                    "-fno-unroll-loops for cold code"
                ),
                "handle several requests per stage, so that the code of a stage stays in the cache",
            ),
            check="stallscope topdown -p PID -l 3 shows Frontend_Bound and ICache_Misses",
        ),
    )
