"""Instructions wait for an execution unit, above all the divider, or for each other's results."""

from collections.abc import Iterator

from harness.diagnose.facts import Facts
from harness.diagnose.findings.pipeline import PipelineCause, pipeline_finding, stands_out
from harness.diagnose.result import Finding

LEAST = 0.2
LEAST_DIVIDER = 0.2  # of the cycles or slots
LEAST_PART = 0.5  # of the slots of the core: dependencies


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if the back end waits for the core and not for memory."""
    slots = facts.slots
    if slots is None or not stands_out(slots, "core", LEAST):
        return
    share = slots.share("core")
    if slots.share("divider") >= max(LEAST_DIVIDER, share / 3):
        sentence = f"Divisions and square roots occupy the divider: {share:.0%} of the slots wait."
        first = "divide less: multiply by a reciprocal, shift, or use a smaller type"
    elif slots.share("dependencies") >= LEAST_PART * share:
        sentence = f"Operations wait for each other's results in {share:.0%} of the slots."
        first = "break the chain: several independent sums or streams in one loop"
    else:
        sentence = f"Operations wait for execution units in {share:.0%} of the pipeline's slots."
        first = "use vector instructions, and break chains of dependent operations"
    yield pipeline_finding(
        facts,
        PipelineCause(
            cause="execution-units",
            sentence=sentence,
            share=share,
            words=("back end", "core", "divider", "execution ports", "dependencies"),
            remedies=(first, "compile for this CPU (-march=native) and compare the hot loop"),
            check="stallscope topdown -p PID -l 3 shows Divider and Ports_Utilization",
        ),
    )
