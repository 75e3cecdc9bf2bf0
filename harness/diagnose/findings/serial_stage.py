"""Threads wait for the work of one thread that runs nearly always: a stage without a second one."""

from collections.abc import Iterator

from harness.diagnose.evidence import SWITCHES, counted, waited
from harness.diagnose.facts import RUNNING, Facts
from harness.diagnose.findings.blockers import blockers
from harness.diagnose.findings.collector_threads import collector_groups
from harness.diagnose.findings.thundering_herd import in_vain_share
from harness.diagnose.result import Finding, FindingPlace

LEAST_BUSY = 0.5  # of the wall time of the stage, running or waiting for a CPU
CONFIDENCE = 0.8


def find(facts: Facts) -> Iterator[Finding]:
    """Yield a finding per stage."""
    collectors = collector_groups(facts)
    for blocker in blockers(facts, by_lock=False):
        stage = facts.group_named(blocker.name)
        if stage is None or not stage.wall_ns or blocker.chain == (blocker.name,):
            continue
        if stage.name in collectors:
            continue  # another finding
        busy_ns = sum(stage.states_ns[state] for state in (*RUNNING, "run_queue"))
        busy = min(1.0, busy_ns / stage.wall_ns)
        if busy < LEAST_BUSY:
            continue
        # Threads that wake in vain have no work that they wait for.
        wait_ns = blocker.wait_ns * (1 - in_vain_share(facts))
        threads = "one thread" if stage.threads == 1 else f"{stage.threads} threads"
        yield Finding(
            cause="single-threaded-stage",
            sentence=f"Other threads wait for {blocker.name}, {threads} busy {busy:.0%} of the "
            "time.",
            cost_share=facts.share(wait_ns),
            largest_gain=facts.largest_gain(blocker.causes),
            confidence=CONFIDENCE,
            evidence=(
                waited(facts, f"waits that end at {blocker.name}", wait_ns),
                counted(f"{blocker.name} runs or could run", busy, "share", SWITCHES),
            ),
            where=(FindingPlace(kind="thread", name=blocker.name),),
            try_=(
                f"make the work of {blocker.name} cheaper: see its functions in the flame graph",
                "add a second thread to this stage, if its work can be divided",
            ),
            check="stallscope waits RUN --graph shows who waits for the stage",
        )
