"""A recording of counters as the collector writes it: Skylake, increasingly bound by DRAM."""

import json
from pathlib import Path
from typing import Any

from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import nodes_down_to, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.counting.windows import SCHEMA
from topdown.slots.model import load

START_NS = 5_000_000_000
WINDOW_NS = 100_000_000
# Counts of a window of 250 million cycles, and their increase per later window.
STEADY = {
    "CPU_CLK_UNHALTED.THREAD": (250_000_000, 0),
    "INST_RETIRED.ANY": (300_000_000, -10_000_000),
    "IDQ_UOPS_NOT_DELIVERED.CORE": (100_000_000, 0),
    "UOPS_ISSUED.ANY": (310_000_000, -10_000_000),
    "UOPS_RETIRED.RETIRE_SLOTS": (300_000_000, -10_000_000),
    "INT_MISC.RECOVERY_CYCLES": (2_500_000, 0),
    "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": (12_500_000, 0),
    "BR_MISP_RETIRED.ALL_BRANCHES": (225_000, 0),
    "MACHINE_CLEARS.COUNT": (25_000, 0),
    "CYCLE_ACTIVITY.STALLS_MEM_ANY": (110_000_000, 2_000_000),
    "CYCLE_ACTIVITY.STALLS_TOTAL": (130_000_000, 2_000_000),
    "EXE_ACTIVITY.BOUND_ON_STORES": (2_500_000, 0),
    "EXE_ACTIVITY.EXE_BOUND_0_PORTS": (10_000_000, 0),
    "EXE_ACTIVITY.1_PORTS_UTIL": (22_500_000, 0),
    "EXE_ACTIVITY.2_PORTS_UTIL": (22_500_000, 0),
    "UOPS_RETIRED.MACRO_FUSED": (12_500_000, 0),
    "INST_RETIRED.PREC_DIST": (300_000_000, -10_000_000),
}
MISSING = "CYCLE_ACTIVITY.STALLS_TOTAL"


def counters_recording(
    folder: Path,
    *,
    windows: int = 10,
    missing: str = "",
    command: tuple[str, ...] = ("./work",),
    notice: str = "",
) -> Path:
    """The directory of a recording of two levels, whose groups were multiplexed."""
    model = load("skl")
    nodes = nodes_down_to(model, 2)
    plan = plan_of(model, CountingMode(), nodes)
    folder.mkdir()
    write_plan(folder / "plan.json", plan, Subject(model, nodes=nodes))
    groups = [
        [name for name in event_set.events if name in STEADY and name != missing]
        for event_set in plan.sets
    ]
    groups = [group for group in groups if group]
    lines: list[dict[str, Any]] = [
        {"schema": SCHEMA, "start_ns": START_NS, "groups": [{"events": item} for item in groups]}
    ]
    for place, group in enumerate(groups):
        total = dict.fromkeys(group, 0)
        for window in range(windows):
            for name in group:
                first, more = STEADY[name]
                total[name] += (first + more * window) // 2
            spent = (window + 1) * WINDOW_NS
            times = {"t": START_NS + spent, "enabled": spent, "running": spent // 2}
            lines.append(
                times | {"g": place, "w": window, "scope": {"pid": 42}, "v": list(total.values())}
            )
    (folder / "counters.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    unavailable = [{"event": missing, "errno": "ENOENT", "reason": "no such event", "remedy": ""}]
    document = {
        "schema": "stallscope.recording/1.0",
        "kind": "counters",
        "complete": True,
        "host": {"hostname": "box", "cpu_model": "Intel", "kernel_release": "6.1"},
        "target": {"kind": "command", "command": list(command)},
        "source": {"event": "counters"},
        "clocks": {"start_monotonic_ns": START_NS},
        "counting": {"unavailable": unavailable if missing else [], "unverified_zero": []},
        "warnings": [{"code": "set-split", "message": notice}] if notice else [],
        "end": {"reason": "target ended"},
    }
    (folder / "recording.json").write_text(json.dumps(document))
    return folder
