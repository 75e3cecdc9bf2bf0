"""All rules, and their findings in order of cost."""

from harness.diagnose.facts import Facts
from harness.diagnose.findings import (
    garbage_collection,
    page_faults,
    run_queue,
    serial_stage,
    sleep,
    slow_disk,
    slow_peer,
    spinning,
    steal,
    system_calls,
    throttling,
    user_lock,
)
from harness.diagnose.result import Finding

# Less than this share of the wall time of working threads does not stand out.
LEAST_COST = 0.1
RULES = (
    user_lock,
    serial_stage,
    slow_disk,
    slow_peer,
    sleep,
    run_queue,
    throttling,
    steal,
    spinning,
    page_faults,
    system_calls,
    garbage_collection,
)


def find(facts: Facts) -> tuple[Finding, ...]:
    """Return the findings that cost enough, the most expensive first."""
    findings = (finding for rule in RULES for finding in rule.find(facts))
    costly = [finding for finding in findings if finding.cost_share >= LEAST_COST]
    return tuple(sorted(costly, key=lambda finding: -finding.cost_share))
