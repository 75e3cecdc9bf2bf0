"""A made-up CPU under the known programs: counts as a sound one might give, on any model."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from topdown.slots.model import Model


@dataclass(frozen=True)
class Program:
    """One iteration of a known program, in what it does and what it waits for."""

    instructions: float
    cycles: float
    branches: float = 1.0
    mispredicts: float = 0.0
    loads: float = 0.0
    stores: float = 0.0
    l1_misses: float = 0.0
    l2_misses: float = 0.0
    l3_misses: float = 0.0
    front: float = 0.01  # share of slots
    divides: float = 0.0  # cycles of the divider
    blocked: float = 0.0  # loads that no store can forward to
    locks: float = 0.0
    iterations: float = 10_000_000
    mite: float = 0.02  # share of cycles in which operations come from the decoders


PROGRAMS = {
    "independent-adds": Program(32, 8.6),
    "dependent-chain": Program(32, 30.3),
    "divide-chain": Program(6, 26, divides=23),
    "pointer-chase-l1": Program(3, 5, loads=1),
    "pointer-chase-l2": Program(3, 14, loads=1, l1_misses=0.95, l2_misses=0.001),
    "pointer-chase-l3": Program(3, 52, loads=1, l1_misses=0.97, l2_misses=0.92, l3_misses=0.002),
    "pointer-chase-dram": Program(3, 260, loads=1, l1_misses=1, l2_misses=0.98, l3_misses=0.95),
    "streaming": Program(10, 22, loads=8, l1_misses=0.6, l2_misses=0.4, l3_misses=0.3),
    "random-branches": Program(12, 16, branches=2, mispredicts=0.5, front=0.15),
    "periodic-branches": Program(12, 4.2, branches=2),
    "large-straight-code": Program(3e5, 2e5, 1, front=0.45, iterations=2000, mite=0.7),
    "large-branchy-code": Program(8e4, 1.4e5, 16384, front=0.6, iterations=2000, mite=0.6),
    "store-forwarding": Program(6, 15, loads=1, stores=2, blocked=1),
    "false-sharing": Program(3, 60, loads=1, stores=1, locks=1, l1_misses=0.2, l2_misses=0.18),
}

Quantities = Mapping[str, float]
Formula = Callable[[Quantities], float]


def quantities_of(p: Program, width: int) -> Quantities:
    """Total work of the program, on a core with N slots per cycle."""
    total = p.iterations
    cycles, slots = p.cycles * total, p.cycles * total * width
    retired = p.instructions * total * 0.97
    thrown = p.mispredicts * total * 6 * width + 0.001 * slots
    front = p.front * (slots - retired - thrown)
    back = slots - retired - thrown - front
    memory = min(0.85, (p.l1_misses * 10 + p.l2_misses * 35 + p.l3_misses * 160) / p.cycles)
    stalls = memory * cycles
    return {
        "cycles": cycles,
        "slots": slots,
        "instructions": p.instructions * total,
        "retired": retired,
        "issued": retired + thrown,
        "front": front,
        "thrown": thrown,
        "back": back,
        "memory_slots": min(stalls * width, 0.9 * back),
        "branches": p.branches * total,
        "mispredicts": (p.mispredicts + 1e-5) * total,
        "loads": (p.loads + 1e-4) * total,
        "stores": (p.stores + 1e-4) * total,
        "l1_misses": p.l1_misses * total + 1,
        "l2_misses": p.l2_misses * total + 1,
        "l3_misses": p.l3_misses * total + 1,
        "stalls_total": max(stalls, 0.01 * cycles),
        "stalls_memory": max(stalls, 0.003 * cycles) * 0.98,
        "stalls_l1": max(stalls, 0.002 * cycles) * 0.97,
        "stalls_l2": stalls * 0.9 * (p.l2_misses > 0.01) + 1,
        "stalls_l3": stalls * 0.8 * (p.l3_misses > 0.01) + 1,
        "divider": p.divides * total + 1,
        "blocked": p.blocked * total,
        "locks": p.locks * total,
        "flushes": p.mispredicts * total * 3 + 1,
        "decoders": p.mite * cycles,
        "cached": (1 - p.mite) * cycles * 0.8,
        "icache": p.front * cycles * 0.8 * (p.mite > 0.1) + 1,
        "little": 0.0005 * cycles,
    }


# The first pattern that an event's name is of says what it counts; the rest count a little.
_EVENTS: tuple[tuple[str, str | Formula], ...] = (
    (r"CPU_CLK_UNHALTED\.(THREAD|DISTRIBUTED)|CPU_CYCLES|ls_not_halted_cyc", "cycles"),
    (r"CPU_CLK_UNHALTED\.REF_TSC", lambda q: q["cycles"] * 0.8),
    (r"CPU_CLK_UNHALTED\.THREAD_ANY", lambda q: q["cycles"] * 1.01),
    (r"INST_RETIRED(\.ANY|\.PREC_DIST)?|ex_ret_instr", "instructions"),
    (r"INST_SPEC|OP_SPEC|de_src_op_disp\.all|UOPS_ISSUED\.ANY|UOPS_EXECUTED\.THREAD", "issued"),
    (r"UOPS_RETIRED\.(RETIRE_SLOTS|SLOTS)|OP_RETIRED|ex_ret_ops|PERF_METRICS\.RETIRING", "retired"),
    (r"TOPDOWN\.SLOTS(:perf_metrics)?", "slots"),
    (r"PERF_METRICS\.BAD_SPECULATION", "thrown"),
    (r"(TOPDOWN|PERF_METRICS)\.BR(ANCH)?_MISPREDICT.*", lambda q: q["thrown"] * 0.9),
    (r"PERF_METRICS\.FRONTEND_BOUND|IDQ_(UOPS_NOT_DELIVERED|BUBBLES)\.CORE", "front"),
    (r"STALL_SLOT_FRONTEND|de_no_dispatch_per_slot\.no_ops_from_frontend", "front"),
    (r"PERF_METRICS\.FETCH_LATENCY", lambda q: q["front"] * 0.8),
    (r"IDQ_.*CYCLES_0.*", lambda q: q["front"] * 0.7 * q["cycles"] / q["slots"]),
    (r"de_no_dispatch.*frontend:c.", lambda q: q["front"] * 0.7 * q["cycles"] / q["slots"]),
    (r"PERF_METRICS\.BACKEND_BOUND|TOPDOWN\.BACKEND_BOUND_SLOTS|STALL_SLOT_BACKEND", "back"),
    (r"de_no_dispatch_per_slot\.backend_stalls", "back"),
    (r"STALL_SLOT", lambda q: q["back"] + q["front"]),
    (r"(TOPDOWN|PERF_METRICS)\.MEMORY_BOUND(_SLOTS)?", "memory_slots"),
    (r"PERF_METRICS\.HEAVY_OPERATIONS|ex_ret_ucode_ops", lambda q: q["retired"] * 0.01),
    (r"STALL_BACKEND", lambda q: q["back"] * q["cycles"] / q["slots"]),
    (r"STALL_FRONTEND", lambda q: q["front"] * q["cycles"] / q["slots"]),
    (r"STALL_FRONTEND_(L1I|MEM|MEMBOUND)", "icache"),
    (r"STALL_FRONTEND_FLUSH|INT_MISC\.(CLEAR|RECOVERY).*", "flushes"),
    (r"STALL_BACKEND_(MEM|MEMBOUND|L1D)", "stalls_memory"),
    (r"ex_no_retire\.not_complete", "stalls_total"),
    (r"ex_no_retire\.load_not_complete", "stalls_memory"),
    (r"BR_INST_RETIRED\.ALL_BRANCHES|BR_RETIRED", "branches"),
    (r"BR_MISP_RETIRED\..*|BR_MIS_PRED(_RETIRED)?|ex_ret_brn_misp", "mispredicts"),
    (r"ICACHE.*STALL.*|L1I_CACHE_REFILL", "icache"),
    (r"L1I_CACHE", lambda q: q["icache"] + q["cycles"] * 0.3),
    (r"IDQ\.(ALL_)?MITE.*", "decoders"),
    (r"IDQ\.(ALL_)?DSB.*", "cached"),
    (r"ARITH\.(DIVIDER_ACTIVE|DIV_ACTIVE|DIVIDER_UOPS)", "divider"),
    (r".*STALLS_TOTAL|.*CYCLES_NO_EXECUTE|EXE_ACTIVITY\.EXE_BOUND_0_PORTS", "stalls_total"),
    (r".*ACTIVITY\.CYCLES_MEM_ANY", lambda q: q["stalls_memory"] * 1.02),
    (r".*STALLS_(MEM_ANY|LDM_PENDING)|EXE_ACTIVITY\.BOUND_ON_LOADS", "stalls_memory"),
    (r".*ACTIVITY\.(STALLS|CYCLES)_(L1D_MISS|L1D_PENDING)", "stalls_l1"),
    (r"L1D_PEND_MISS\.PENDING", lambda q: q["stalls_l1"] * 1.5),
    (r".*STALLS_(L2_MISS|L2_PENDING)|.*OUTSTANDING\.CYCLES_WITH_DATA_RD", "stalls_l2"),
    (r".*STALLS_L3_MISS", "stalls_l3"),
    (r"LL_CACHE_MISS_RD|L3D_CACHE_REFILL|MEM_LOAD(_UOPS)?_RETIRED\.L3_MISS", "l3_misses"),
    (r"MEM_LOAD(_UOPS)?_RETIRED\.L3_HIT", lambda q: q["l2_misses"] - q["l3_misses"]),
    (r"L3D_CACHE|LL_CACHE_RD|L2D_CACHE_REFILL", "l2_misses"),
    (r"MEM_LOAD(_UOPS)?_RETIRED\.L2_HIT", lambda q: q["l1_misses"] - q["l2_misses"]),
    (r"MEM_LOAD(_UOPS)?_RETIRED\.L1_MISS|MEM_LOAD_COMPLETED.*|L1D_CACHE_REFILL", "l1_misses"),
    (r"L2D_CACHE", lambda q: q["l1_misses"] * 1.01),
    (r"MEM_LOAD(_UOPS)?_RETIRED\.L1_HIT", lambda q: q["loads"] - q["l1_misses"]),
    (r"MEM_LOAD_RETIRED\.FB_HIT", lambda _: 1.0),
    (r"MEM_INST_RETIRED\.ALL_LOADS|LD_SPEC|L1D_CACHE|UOPS_DISPATCHED.*PORT_[23].*", "loads"),
    (r"MEM_.*RETIRED\.ALL_STORES|ST_SPEC|UOPS_DISPATCHED.*PORT_4.*", "stores"),
    (r"MEM_(INST|UOP)_RETIRED\.ANY", lambda q: q["loads"] + q["stores"]),
    (r"MEM_.*LOCK_LOADS", "locks"),
    (r"LD_BLOCKS\.STORE_FORWARD", "blocked"),
    (r"UOPS_EXECUTED\.C.*(:c1|GE_1.*)", lambda q: q["cycles"] - q["stalls_total"]),
    (r"UOPS_EXECUTED\.C.*(:c2|GE_2.*)", lambda q: (q["cycles"] - q["stalls_total"]) * 0.6),
    (r"UOPS_EXECUTED\.C.*(:c3|GE_3.*)", lambda q: (q["cycles"] - q["stalls_total"]) * 0.3),
    (r"UOPS_DISPATCHED.*PORT_[016]|DP_SPEC", lambda q: min(q["issued"] / 6, q["cycles"] * 0.9)),
    (r"de_no_dispatch_per_slot\.smt_contention|INT_MISC\.UOP_DROPPING", lambda _: 0.0),
)


def _formula(what: str | Formula) -> Formula:
    return (lambda q: q[what]) if isinstance(what, str) else what


_COMPILED = [(re.compile(pattern), _formula(what)) for pattern, what in _EVENTS]


def counts_of_kernel(model: Model, kernel: str) -> dict[str, float]:
    """What a sound CPU of this model counts in a known program."""
    quantities = quantities_of(PROGRAMS[kernel], model.slots_per_cycle or 8)
    counts = {event: _count(event, quantities) for event in model.events}
    if model.key == "neoverse-n2-r0p2":  # counts cycles among the stalled slots
        for event in ("STALL_SLOT", "STALL_SLOT_FRONTEND"):
            counts[event] += quantities["cycles"]
    return counts


def _count(event: str, quantities: Quantities) -> float:
    for pattern, formula in _COMPILED:
        if pattern.fullmatch(event):
            return formula(quantities)
    return quantities["little"]
