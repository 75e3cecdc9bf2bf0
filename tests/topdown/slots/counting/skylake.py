"""A Skylake CPU with known counts."""

from pathlib import Path

from stallscope.collector import CountOptions
from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector
from topdown.slots.counting.session import (
    CountingRequest,
    measure,
)
from topdown.slots.measurement import Measurement

DEVICES = "sys/bus/event_source/devices"
INTEL = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {}\nstepping\t: 3\n"


# Memory_Bound: 60 % of the slots wait, two thirds of them with loads that miss all caches.
SKYLAKE = {
    "CPU_CLK_UNHALTED.THREAD": 1_000_000_000,
    "INST_RETIRED.ANY": 1_200_000_000,
    "IDQ_UOPS_NOT_DELIVERED.CORE": 400_000_000,
    "UOPS_ISSUED.ANY": 1_240_000_000,
    "UOPS_RETIRED.RETIRE_SLOTS": 1_200_000_000,
    "INT_MISC.RECOVERY_CYCLES": 10_000_000,
    "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": 50_000_000,
    "BR_MISP_RETIRED.ALL_BRANCHES": 900_000,
    "MACHINE_CLEARS.COUNT": 100_000,
    "CYCLE_ACTIVITY.STALLS_MEM_ANY": 550_000_000,
    "CYCLE_ACTIVITY.STALLS_L1D_MISS": 500_000_000,
    "CYCLE_ACTIVITY.STALLS_L2_MISS": 470_000_000,
    "CYCLE_ACTIVITY.STALLS_L3_MISS": 450_000_000,
    "CYCLE_ACTIVITY.STALLS_TOTAL": 600_000_000,
    "EXE_ACTIVITY.BOUND_ON_STORES": 10_000_000,
    "EXE_ACTIVITY.EXE_BOUND_0_PORTS": 40_000_000,
    "EXE_ACTIVITY.1_PORTS_UTIL": 90_000_000,
    "EXE_ACTIVITY.2_PORTS_UTIL": 90_000_000,
    "UOPS_RETIRED.MACRO_FUSED": 50_000_000,
    "INST_RETIRED.PREC_DIST": 1_200_000_000,
    "MEM_LOAD_RETIRED.L1_MISS": 12_000_000,
    "MEM_LOAD_RETIRED.L2_HIT": 1_000_000,
    "MEM_LOAD_RETIRED.FB_HIT": 1_000_000,
    "L1D_PEND_MISS.FB_FULL:c1": 20_000_000,
    "L1D_PEND_MISS.PENDING": 900_000_000,
    "page-faults": 320,
}

TARGET = {"command": ("./work",)}


def taken(folder: Path, roots: Roots, count: PlayedCollector, **fields: object) -> Measurement:
    options = CountOptions(output=folder / "out", plan=Path(), **TARGET)  # type: ignore[arg-type]
    return measure(CountingRequest(options, **fields), count, roots).measurement  # type: ignore[arg-type]


def shares(measurement: Measurement) -> dict[str, float | None]:
    return {node.name: node.value for node in measurement.nodes}
