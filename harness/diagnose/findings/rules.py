"""All rules, and their findings in order of cost."""

from harness.diagnose.confidence import LEAST_COST, with_confidence
from harness.diagnose.facts import Facts
from harness.diagnose.findings import (
    disk_queue,
    execution_units,
    false_sharing,
    frequency,
    front_end,
    garbage_collection,
    lock_convoy,
    memory_bandwidth,
    memory_latency,
    mispredictions,
    page_faults,
    paging,
    remote_memory,
    run_queue,
    serial_stage,
    sleep,
    sleep_states,
    slow_disk,
    slow_peer,
    spinning,
    steal,
    submission_stalls,
    system_calls,
    throttling,
    thundering_herd,
    user_lock,
)
from harness.diagnose.result import Finding

RULES = (
    user_lock,
    lock_convoy,
    thundering_herd,
    serial_stage,
    slow_disk,
    disk_queue,
    submission_stalls,
    paging,
    slow_peer,
    sleep,
    run_queue,
    sleep_states,
    throttling,
    steal,
    spinning,
    page_faults,
    system_calls,
    garbage_collection,
    front_end,
    mispredictions,
    memory_latency,
    memory_bandwidth,
    remote_memory,
    false_sharing,
    execution_units,
    frequency,
)


def find(facts: Facts) -> tuple[Finding, ...]:
    """Return the findings that cost enough, the most expensive first."""
    findings = (finding for rule in RULES for finding in rule.find(facts))
    costly = [with_confidence(row) for row in findings if row.cost_share >= LEAST_COST]
    return tuple(sorted(costly, key=lambda finding: -finding.cost_share))
