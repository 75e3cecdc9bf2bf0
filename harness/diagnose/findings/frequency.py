"""CPUs run below their frequency without turbo, while the target runs on them."""

from collections.abc import Iterator

from harness.diagnose.evidence import counted
from harness.diagnose.facts import RUNNING, Facts, gain_without
from harness.diagnose.readings.activity import CpuFrequency
from harness.diagnose.result import Finding, FindingEvidence, FindingPlace

LEAST_DROP = 0.15
LEAST_RUNNING = 0.7  # of one thread's wall time; a CPU that is idle in between may be slow
WITH_REASON, WITHOUT_REASON = 0.85, 0.6
CPUFREQ = "cpufreq, scaling_cur_freq"


def find(facts: Facts) -> Iterator[Finding]:
    """Yield one finding if even the fastest CPU is slow.

    The recording does not say on which CPU the target ran at each reading. A busy thread's CPU is
    at most as fast as the fastest one, so the drop of that one is a lower bound.
    """
    machine = facts.machine
    if machine is None or not machine.frequencies or machine.fastest_share is None:
        return
    drop = 1 - machine.fastest_share
    if drop < LEAST_DROP or not _runs(facts):
        return
    cost = facts.share(drop * facts.running_ns)
    first = max(machine.frequencies, key=lambda row: row.median_khz / row.reference_khz)
    reason = _reason(facts, first)
    yield Finding(
        cause="frequency-drop",
        sentence=(
            f"CPUs run at {first.median_khz / 1e6:.1f} GHz instead of "
            f"{first.reference_khz / 1e6:.1f} GHz{f': {reason}' if reason else ''}."
        ),
        cost_share=cost,
        largest_gain=gain_without(cost),
        confidence=WITH_REASON if reason else WITHOUT_REASON,
        evidence=tuple(_evidence(facts, first)),
        where=(FindingPlace(kind="CPU", name=first.policy),),
        try_=(
            (
                "improve cooling, or move the work to another machine"
                if reason.startswith("heat")
                else "allow the full frequency: stallscope pin --frequency max -- CMD, or the "
                "governor performance"
            ),
            "look for a power limit: turbostat shows the reason of the limit",
        ),
        check="scaling_cur_freq of the busy CPUs, and stallscope cstates show",
    )


def _runs(facts: Facts) -> bool:
    """Return whether a thread runs for a large part of its time."""
    return any(
        group.wall_ns
        and sum(group.states_ns[state] for state in RUNNING) >= LEAST_RUNNING * group.wall_ns
        for group in facts.groups
    )


def _reason(facts: Facts, row: CpuFrequency) -> str:
    machine = facts.machine
    assert machine is not None
    if machine.hot_s:
        return f"heat slowed CPUs down for {machine.hot_s:.1f} s"
    limit = row.lowest_limit_khz
    if limit is not None and limit <= row.reference_khz * (1 - LEAST_DROP):
        return f"the limit is {limit / 1e6:.1f} GHz"
    governor = machine.header.frequency_governor
    return "the governor is powersave" if governor == "powersave" else ""


def _evidence(facts: Facts, row: CpuFrequency) -> Iterator[FindingEvidence]:
    machine = facts.machine
    assert machine is not None
    yield counted(f"median frequency of {row.policy}", row.median_khz, "kHz", CPUFREQ)
    yield counted("frequency without turbo", row.reference_khz, "kHz", "cpufreq, base_frequency")
    if row.lowest_limit_khz is not None:
        yield counted("lowest limit", row.lowest_limit_khz, "kHz", "cpufreq, scaling_max_freq")
    if machine.hot_s is not None:
        yield counted(
            "time slowed down by heat", machine.hot_s * 1e9, "ns", "thermal_throttle of the CPUs"
        )
