"""Woken threads wait until their CPU has left a sleep state."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted, waited
from harness.diagnose.facts import Facts, gain_without
from harness.diagnose.findings.own_queue import idle_causes
from harness.diagnose.readings.activity import MachineActivity, SleepActivity
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

CONFIDENCE = 0.75
LEAST_RESIDENCY = 0.02  # of the time of all CPUs
CPUIDLE = "cpuidle counters, before and after"


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if CPUs sleep, and woken threads wait for them."""
    causes = idle_causes(facts, by_lock=False)  # those of lock waiters are a cost of the lock
    machine = facts.machine
    state = None if machine is None else _deepest(machine)
    if not causes or machine is None or state is None:
        return
    wait_ns = sum(cause.wait_ns for cause in causes)
    cost = facts.share(wait_ns)
    threads = [cause.chain[0].name for cause in causes if cause.chain]
    yield Finding(
        cause="sleep-states",
        sentence=(
            f"Woken threads wait until their CPU leaves a sleep state, most often {state.name}."
        ),
        cost_share=cost,
        largest_gain=gain_without(cost),
        confidence=CONFIDENCE,
        evidence=tuple(_evidence(facts, machine, wait_ns)),
        where=(
            FindingPlace(kind="machine", name=f"sleep state {state.name}"),
            *(FindingPlace(kind="thread", name=name) for name in threads[:1]),
        ),
        try_=(
            "limit the exit latency while it matters: stallscope pin --max-exit-latency 10 -- CMD",
            "pass several messages per wake-up, or poll for a short time before sleeping",
        ),
        check="stallscope cstates compare -- CMD runs the program with and without deep states",
    )


def _deepest(machine: MachineActivity) -> SleepActivity | None:
    """Return the state with a latency in which the CPUs slept longest."""
    states = [
        state
        for state in machine.states
        if state.name != "POLL" and state.entries and state.share >= LEAST_RESIDENCY
    ]
    return max(states, key=lambda state: state.share, default=None)


def _evidence(facts: Facts, machine: MachineActivity, wait_ns: float) -> Iterator[FindingEvidence]:
    yield waited(facts, "wake-ups on CPUs that were leaving idle", wait_ns, "context switches")
    for state in machine.states:
        if state.entries:
            yield counted(f"entries of {state.name}", state.entries, "entries", CPUIDLE)
            yield counted(f"time in {state.name}, of all CPUs", state.share, "share", CPUIDLE)
        if state.entries and state.exit_latency_us is not None:
            yield counted(
                f"exit latency of {state.name}",
                state.exit_latency_us,
                "us",
                "declared by the driver",
            )
