"""Documents of recordings and what is decoded from them."""

import json
from typing import Any

from cstates.idle.intervals import TIMER, IdleInterval
from cstates.idle.summary import IdleSummary
from harness.cstates.record.result import IdleResult
from stallscope.documents import decode
from tests.harness.cstates.record.documents import idle_document, machine_document, state_document


def interval(
    idle_us: int, *, state: int = 1, cpu: int = 0, wake: str = TIMER, pid: int = 7
) -> IdleInterval:
    return IdleInterval(
        cpu, 1000, state, idle_us * 1000, 10**9, 10**9, wake, 20_000, 30_000, pid, f"task {pid}"
    )


def document(*intervals: IdleInterval) -> dict[str, Any]:
    summary = IdleSummary((None, 50_000))
    for item in intervals:
        summary.add(item)
    activity = {"entries": len(intervals), "above_share": 0.5, "below_share": 0.0}
    states = [
        state_document(index, name, exit_us, target_us) | {"over_interval": activity}
        for index, name, exit_us, target_us in ((0, "POLL", 0, 0), (1, "C1", 2, 50))
    ]
    return idle_document(summary, machine_document(0, *states), seconds=2.0)


def read(document: dict[str, Any]) -> IdleResult:
    return decode(json.dumps(document), IdleResult, "idle.json")
