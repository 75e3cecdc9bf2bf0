"""Levels 1 and 2 of CPUs that no given vector covers, written out from their vendors' papers.

Intel: TMA metrics (perfmon), "A Top-Down Method for Performance Analysis", Yasin, ISPASS 2014.
Arm: telemetry specifications of Neoverse N2, N3, V2 and V3.
"""

import pytest

from topdown.slots.counts import EventCounts, Flags, counts_of
from topdown.slots.evaluation import evaluate
from topdown.slots.model import load

C = 1_000_000.0  # core clock cycles of the thread


def values(key: str, counts: dict[str, float], **flags: bool) -> dict[str, float | None]:
    model = load(key)
    reading = EventCounts("by hand", counts=counts, flags=Flags(**flags))
    tree = evaluate(model, counts_of(model, reading))
    return {node.name: node.value for node in tree.nodes.values()}


def expect(values: dict[str, float | None], expected: dict[str, float]) -> None:
    assert {name: values[name] for name in expected} == pytest.approx(expected, rel=1e-12)


HASWELL = {
    "CPU_CLK_UNHALTED.THREAD": C,
    "CPU_CLK_UNHALTED.THREAD_ANY": 1.6e6,
    "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE": 2e4,
    "CPU_CLK_UNHALTED.REF_XCLK": 8e4,
    "INST_RETIRED.ANY": 9e5,
    "IDQ_UOPS_NOT_DELIVERED.CORE": 6e5,
    "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": 1e5,
    "UOPS_ISSUED.ANY": 1.4e6,
    "UOPS_RETIRED.RETIRE_SLOTS": 1.2e6,
    "INT_MISC.RECOVERY_CYCLES": 3e4,
    "INT_MISC.RECOVERY_CYCLES_ANY": 5e4,
    "BR_MISP_RETIRED.ALL_BRANCHES": 9e3,
    "MACHINE_CLEARS.COUNT": 1e3,
    "CYCLE_ACTIVITY.STALLS_LDM_PENDING": 3e5,
    "CYCLE_ACTIVITY.CYCLES_NO_EXECUTE": 4e5,
    "RESOURCE_STALLS.SB": 5e4,
    "UOPS_EXECUTED.CORE:c1": 6e5,
    "UOPS_EXECUTED.CORE:c2": 4e5,
    "UOPS_EXECUTED.CORE:c3": 2e5,
    "RS_EVENTS.EMPTY_CYCLES": 7e4,
    "IDQ.MS_UOPS": 1e5,
}


@pytest.mark.parametrize(
    ("flags", "core", "recovery", "halved"),
    [
        ({"smt": False, "ebs_mode": False}, C, 3e4, 1),
        ({"smt": True, "ebs_mode": False}, 1.6e6 / 2, 5e4 / 2, 2),
        ({"smt": True, "ebs_mode": True}, C / 2 * (1 + 2e4 / 8e4), 5e4 / 2, 2),
    ],
)
def test_haswell_ep(flags: dict[str, bool], core: float, recovery: float, halved: int) -> None:
    slots = 4 * core
    frontend, retiring = 6e5 / slots, 1.2e6 / slots
    bad = (1.4e6 - 1.2e6 + 4 * recovery) / slots
    backend = 1 - (frontend + bad + retiring)
    latency = 4 * 1e5 / slots
    # IPC 0.9 is not above 1.8, so cycles of two operations count; the reservation station's empty
    # cycles count against the back end where fetch latency is above 0.1.
    empty = 7e4 if latency > 0.1 else 0
    few = (6e5 - 4e5) / halved
    memory = (3e5 + 5e4) / (4e5 + few - empty + 5e4) * backend
    heavy = 1.2e6 / 1.4e6 * 1e5 / slots
    result = values("hsx", HASWELL, **flags)
    expect(
        result,
        {
            "Frontend_Bound": frontend,
            "Bad_Speculation": bad,
            "Retiring": retiring,
            "Backend_Bound": backend,
            "Fetch_Latency": latency,
            "Fetch_Bandwidth": frontend - latency,
            "Branch_Mispredicts": 0.9 * bad,
            "Machine_Clears": bad - 0.9 * bad,
            "Memory_Bound": memory,
            "Core_Bound": backend - memory,
            "Heavy_Operations": heavy,
            "Light_Operations": retiring - heavy,
        },
    )


def test_broadwell_ep_memory_bound() -> None:
    counts = HASWELL | {
        "CYCLE_ACTIVITY.STALLS_MEM_ANY": 3e5,
        "CYCLE_ACTIVITY.STALLS_TOTAL": 4e5,
        "UOPS_EXECUTED.CYCLES_GE_1_UOP_EXEC": 6e5,
        "UOPS_EXECUTED.CYCLES_GE_2_UOPS_EXEC": 4e5,
        "UOPS_EXECUTED.CYCLES_GE_3_UOPS_EXEC": 2e5,
    }
    slots = 4 * C
    backend = 1 - (6e5 + 1.4e6 + 4 * 3e4) / slots
    # fetch latency is exactly 0.1, not above it: empty cycles do not count
    memory = (3e5 + 5e4) / (4e5 + 6e5 - 4e5 + 5e4) * backend
    result = values("bdx", counts, smt=False, ebs_mode=False)
    expect(result, {"Backend_Bound": backend, "Memory_Bound": memory})


SKYLAKE = HASWELL | {
    "CYCLE_ACTIVITY.STALLS_MEM_ANY": 3e5,
    "CYCLE_ACTIVITY.STALLS_TOTAL": 4e5,
    "EXE_ACTIVITY.BOUND_ON_STORES": 5e4,
    "EXE_ACTIVITY.1_PORTS_UTIL": 1e5,
    "EXE_ACTIVITY.2_PORTS_UTIL": 2e5,
    "UOPS_RETIRED.MACRO_FUSED": 1e5,
}


@pytest.mark.parametrize("key", ["skx", "clx"])
@pytest.mark.parametrize(
    ("flags", "core", "recovery"),
    [
        ({"smt": False, "ebs_mode": False}, C, 3e4),
        ({"smt": True, "ebs_mode": False}, 1.6e6 / 2, 5e4 / 2),
        ({"smt": True, "ebs_mode": True}, C / 2 * (1 + 2e4 / 8e4), 5e4 / 2),
    ],
)
def test_skylake_servers(key: str, flags: dict[str, bool], core: float, recovery: float) -> None:
    slots = 4 * core
    frontend, retiring = 6e5 / slots, 1.2e6 / slots
    bad = (1.4e6 - 1.2e6 + 4 * recovery) / slots
    backend = 1 - frontend - (1.4e6 + 4 * recovery) / slots
    memory = (3e5 + 5e4) / (4e5 + 1e5 + retiring * 2e5 + 5e4) * backend
    heavy = (1.2e6 + 1e5 - 9e5) / slots
    expect(
        values(key, SKYLAKE, **flags),
        {
            "Frontend_Bound": frontend,
            "Bad_Speculation": bad,
            "Retiring": retiring,
            "Backend_Bound": backend,
            "Memory_Bound": memory,
            "Core_Bound": backend - memory,
            "Heavy_Operations": heavy,
            "Light_Operations": retiring - heavy,
        },
    )


def test_ice_lake_server_by_both_ways_of_counting() -> None:
    slots = 5 * C
    counts = {
        "TOPDOWN.SLOTS": slots,
        "INT_MISC.UOP_DROPPING": 1e5,
        "INT_MISC.CLEARS_COUNT": 2e4,
        "PERF_METRICS.RETIRING": 2e6,
        "PERF_METRICS.BAD_SPECULATION": 5e5,
        "PERF_METRICS.FRONTEND_BOUND": 1e6,
        "PERF_METRICS.BACKEND_BOUND": 1.5e6,
        "IDQ_UOPS_NOT_DELIVERED.CORE": 1.1e6,
        "TOPDOWN.BACKEND_BOUND_SLOTS": 1.4e6,
        "UOPS_RETIRED.SLOTS": 1.9e6,
    }
    frontend, backend, retiring = 1e6 / slots - 1e5 / slots, (1.5e6 + 5 * 2e4) / slots, 2e6 / slots
    expected = {"Frontend_Bound": frontend, "Backend_Bound": backend, "Retiring": retiring}
    expected["Bad_Speculation"] = 1 - (frontend + backend + retiring)
    expect(values("icx", counts, perf_metrics=True), expected)
    frontend, retiring = (1.1e6 - 1e5) / slots, 1.9e6 / slots
    backend = (1.4e6 + 5 * 2e4) / slots
    expected = {"Frontend_Bound": frontend, "Backend_Bound": backend, "Retiring": retiring}
    expected["Bad_Speculation"] = 1 - (frontend + backend + retiring)
    expect(values("icx", counts, perf_metrics=False), expected)


@pytest.mark.parametrize("key", ["emr", "gnr", "spr"])
def test_golden_cove_servers_by_both_ways_of_counting(key: str) -> None:
    slots = 6 * C
    metrics = {
        "PERF_METRICS.RETIRING": 2.4e6,
        "PERF_METRICS.BAD_SPECULATION": 6e5,
        "PERF_METRICS.FRONTEND_BOUND": 1.2e6,
        "PERF_METRICS.BACKEND_BOUND": 1.8e6,
        "PERF_METRICS.HEAVY_OPERATIONS": 3e5,
        "PERF_METRICS.BRANCH_MISPREDICTS": 5e5,
        "PERF_METRICS.FETCH_LATENCY": 7e5,
        "PERF_METRICS.MEMORY_BOUND": 1e6,
    }
    both = {"TOPDOWN.SLOTS": slots, "INT_MISC.UOP_DROPPING": 6e4}
    frontend, latency = (1.2e6 - 6e4) / slots, (7e5 - 6e4) / slots
    bad = 1 - (frontend + 1.8e6 / slots + 2.4e6 / slots)
    expected = {
        "Frontend_Bound": frontend,
        "Backend_Bound": 1.8e6 / slots,
        "Retiring": 2.4e6 / slots,
        "Bad_Speculation": bad,
        "Fetch_Latency": latency,
        "Fetch_Bandwidth": frontend - latency,
        "Branch_Mispredicts": 5e5 / slots,
        "Machine_Clears": bad - 5e5 / slots,
        "Memory_Bound": 1e6 / slots,
        "Core_Bound": 8e5 / slots,
        "Heavy_Operations": 3e5 / slots,
        "Light_Operations": 2.1e6 / slots,
    }
    expect(values(key, both | metrics), expected)
    counters = {
        "IDQ_BUBBLES.CORE": 1.2e6,
        "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE": 7e5 / 6,
        "TOPDOWN.BR_MISPREDICT_SLOTS": 5e5,
        "TOPDOWN.BACKEND_BOUND_SLOTS": 1.8e6,
        "TOPDOWN.MEMORY_BOUND_SLOTS": 1e6,
        "UOPS_RETIRED.SLOTS": 2.4e6,
        "UOPS_RETIRED.HEAVY": 3e5,
    }
    expect(values(key, both | counters), expected)


NEOVERSE = {
    "CPU_CYCLES": C,
    "STALL_SLOT": 2.5e6,
    "STALL_SLOT_FRONTEND": 1.5e6,
    "STALL_SLOT_BACKEND": 1e6,
    "OP_RETIRED": 2e6,
    "OP_SPEC": 2.5e6,
    "BR_MIS_PRED": 1e4,
    "STALL_FRONTEND_FLUSH": 3e4,
}


@pytest.mark.parametrize(
    ("key", "width", "twice"),
    [("neoverse-n2-r0p2", 5, C), ("neoverse-n2", 5, 0), ("neoverse-v2", 8, 0)],
)
def test_neoverse_n2_and_v2(key: str, width: int, twice: float) -> None:
    used = 1 - (2.5e6 - twice) / (width * C)
    expect(
        values(key, NEOVERSE),
        {
            "frontend_bound": 100 * ((1.5e6 - twice) / (width * C) - 1e4 / C),
            "backend_bound": 100 * (1e6 / (width * C) - 3 * 1e4 / C),
            "retiring": 100 * 0.8 * used,
            "bad_speculation": 100 * (0.2 * used + 4 * 1e4 / C),
        },
    )


@pytest.mark.parametrize(("key", "width"), [("neoverse-n3", 5), ("neoverse-v3", 10)])
def test_neoverse_n3_and_v3(key: str, width: int) -> None:
    used = 1 - 2.5e6 / (width * C)
    expect(
        values(key, NEOVERSE),
        {
            "frontend_bound": 100 * (1.5e6 / (width * C) - 3e4 / C),
            "backend_bound": 100 * 1e6 / (width * C),
            "retiring": 100 * 0.8 * used,
            "bad_speculation": 100 * (0.2 * used + 3e4 / C),
        },
    )


def test_neoverse_n1_has_stalled_cycles_and_no_buckets() -> None:
    result = values("neoverse-n1", {"CPU_CYCLES": C, "STALL_FRONTEND": 2e5, "STALL_BACKEND": 4e5})
    expect(result, {"frontend_stalled_cycles": 20.0, "backend_stalled_cycles": 40.0})
    assert not {"frontend_bound", "backend_bound", "retiring", "bad_speculation"} & set(result)
