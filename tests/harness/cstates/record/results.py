"""Recordings of idle intervals with known lengths."""

import json

from cstates.idle.intervals import IPI, IdleInterval
from cstates.idle.summary import IdleSummary
from harness.cstates.record.result import IdleResult
from stallscope.documents import decode
from tests.harness.cstates.record.documents import idle_document, machine_document, state_document

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def recording_of(count: int, name: str = "worker") -> IdleResult:
    """Return a recording of 100 us intervals in C6, ended by IPIs in 150 us."""
    summary = IdleSummary((None, 600_000))
    for number in range(count):
        summary.add(
            IdleInterval(2, number, 1, 100_000, 10**9, 10**9, IPI, 140_000, 150_000, 9, name)
        )
    activity = {"entries": count, "above_share": 1.0, "below_share": 0.0}
    states = [
        state_document(0, "C1", 2, 2) | {"over_interval": activity},
        state_document(1, "C6", 170, 600) | {"over_interval": activity},
    ]
    document = idle_document(
        summary,
        machine_document(2, *states),
        command=["server", name],
        overhead={"events": 5 * count, "reader_cpu_s": 0.01},
    )
    return decode(json.dumps(document), IdleResult, "idle.json")
