"""Every model file: formulas read, events encoded, tree whole; a broken file is one error."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from stallscope.errors import StallscopeError, UnableError
from topdown.slots.counts import EventCounts, Flags, counts_of
from topdown.slots.evaluation import evaluate, formulas_of
from topdown.slots.expressions import names, parse, written
from topdown.slots.model import CLOCKS, FOLDER, Model, keys, load, parse_model

CPUS = [
    "bdx",
    "clx",
    "emr",
    "gnr",
    "hsx",
    "icl",
    "icx",
    "neoverse-n1",
    "neoverse-n2",
    "neoverse-n2-r0p2",
    "neoverse-n3",
    "neoverse-v1",
    "neoverse-v2",
    "neoverse-v3",
    "skl",
    "skx",
    "spr",
    "zen4",
    "zen5",
]

MODES = [
    {"smt": smt, "ebs_mode": ebs, "perf_metrics": perf}
    for smt, ebs in ((False, False), (True, False), (True, True))
    for perf in (False, True)
]

ONES = {"zen4": 5, "zen5": 5}  # level 1 nodes; four elsewhere


def test_all_cpus_are_there() -> None:
    assert list(keys()) == CPUS


@pytest.mark.parametrize("key", CPUS)
def test_every_model_names_its_source_and_licence(key: str) -> None:
    model = load(key)
    assert model.source
    assert set(model.licence.split(" AND ")) <= {"Apache-2.0", "BSD-3-Clause", "GPL-2.0-only"}


@pytest.mark.parametrize("key", CPUS)
def test_every_name_in_every_formula_is_known(key: str) -> None:
    model = load(key)
    for mode in MODES:
        formulas = formulas_of(key, **mode)
        for name in model.nodes:
            assert formulas.events[name], name
            assert formulas.events[name] <= {*model.events, *CLOCKS}
    trees = [node.formula for node in model.nodes.values()]
    assert all(parse(written(tree)) == tree for tree in trees)


@pytest.mark.parametrize("key", CPUS)
def test_encodings_are_numbers_of_the_width_of_config(key: str) -> None:
    for encoding in load(key).events.values():
        config, _, extra = encoding.partition("/")
        assert 0 < int(config, 16) < 2**64
        assert not extra or 0 < int(extra, 16) < 2**64


@pytest.mark.parametrize("key", CPUS)
def test_the_tree_is_whole(key: str) -> None:
    model = load(key)
    roots = [node for node in model.nodes.values() if node.level == 1]
    assert len(roots) == (2 if key == "neoverse-n1" else ONES.get(key, 4))
    for node in model.nodes.values():
        if node.level is None:
            assert node.parent is None
            assert node.group
        elif node.level == 1:
            assert node.parent is None
        else:
            assert node.parent is not None
            assert model.nodes[node.parent].level == node.level - 1
        if node.threshold is not None:
            assert node.name in names(node.threshold)


def test_published_widths() -> None:
    widths = {key: load(key).slots_per_cycle for key in CPUS}
    assert widths == {
        **dict.fromkeys(("hsx", "bdx", "skl", "skx", "clx"), 4),
        **dict.fromkeys(("icl", "icx", "neoverse-n2", "neoverse-n2-r0p2", "neoverse-n3"), 5),
        **dict.fromkeys(("spr", "emr", "gnr", "zen4"), 6),
        **dict.fromkeys(("zen5", "neoverse-v1", "neoverse-v2"), 8),
        "neoverse-v3": 10,
        "neoverse-n1": None,  # it has no slot events
    }


def consistent_counts(model: Model, seed: int) -> dict[str, float]:
    """Counts of a core whose slots add up, as far as level 1 asks for them."""
    draw = random.Random(seed)
    cycles = 1e10
    counts = {event: cycles * draw.uniform(0.01, 0.5) for event in model.events}
    slots = cycles * (model.slots_per_cycle or 1)
    parts = [draw.uniform(0.1, 1) for _ in range(4)]
    retiring, bad, front, back = (slots * part / sum(parts) for part in parts)
    counts |= {
        "CPU_CLK_UNHALTED.THREAD": cycles,
        "TOPDOWN.SLOTS": slots,
        "TOPDOWN.SLOTS:perf_metrics": slots,
        "INT_MISC.UOP_DROPPING": 0.0,
        "INT_MISC.CLEARS_COUNT": 0.0,
        "PERF_METRICS.RETIRING": retiring,
        "PERF_METRICS.BAD_SPECULATION": bad,
        "PERF_METRICS.FRONTEND_BOUND": front,
        "PERF_METRICS.BACKEND_BOUND": back,
        "IDQ_UOPS_NOT_DELIVERED.CORE": front,
        "IDQ_BUBBLES.CORE": front,
        "TOPDOWN.BACKEND_BOUND_SLOTS": back,
        "UOPS_RETIRED.SLOTS": retiring,
        "UOPS_RETIRED.RETIRE_SLOTS": retiring,
        # of each bucket, half goes to the first node below it
        "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": front / (model.slots_per_cycle or 1) / 2,
        "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE": front / (model.slots_per_cycle or 1) / 2,
        "PERF_METRICS.FETCH_LATENCY": front / 2,
        "PERF_METRICS.BRANCH_MISPREDICTS": bad / 2,
        "PERF_METRICS.MEMORY_BOUND": back / 2,
        "PERF_METRICS.HEAVY_OPERATIONS": retiring / 2,
        "TOPDOWN.BR_MISPREDICT_SLOTS": bad / 2,
        "TOPDOWN.MEMORY_BOUND_SLOTS": back / 2,
        "UOPS_RETIRED.HEAVY": retiring / 2,
        "UOPS_ISSUED.ANY": retiring + bad,
        "INT_MISC.RECOVERY_CYCLES": 0.0,
        "INT_MISC.RECOVERY_CYCLES_ANY": 0.0,
        "CPU_CLK_UNHALTED.THREAD_ANY": 2 * cycles,
        "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE": 1.0,
        "CPU_CLK_UNHALTED.REF_XCLK": 1.0,
        # Zen: dispatch slots; what was dispatched and not retired is bad speculation
        "ls_not_halted_cyc": cycles,
        "de_src_op_disp.all": retiring + bad,
        "ex_ret_ops": retiring,
        "de_no_dispatch_per_slot.no_ops_from_frontend": front,
        "de_no_dispatch_per_slot.backend_stalls": back * 0.75,
        "de_no_dispatch_per_slot.smt_contention": back * 0.25,
        # Neoverse: stalled slots, and of the others the share that retired
        "CPU_CYCLES": cycles,
        "STALL_SLOT": front + back,
        "STALL_SLOT_FRONTEND": front,
        "STALL_SLOT_BACKEND": back,
        "OP_SPEC": retiring + bad,
        "OP_RETIRED": retiring,
        "BR_MIS_PRED": cycles * 0.001,
        "STALL_FRONTEND_FLUSH": cycles * 0.001,
    }
    if model.key == "neoverse-n2-r0p2":  # counts each cycle once too often
        counts["STALL_SLOT"] += cycles
        counts["STALL_SLOT_FRONTEND"] += cycles
    return {name: value for name, value in counts.items() if name in model.events}


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("key", [key for key in CPUS if key != "neoverse-n1"])
def test_level_1_is_the_whole(key: str, mode: dict[str, bool]) -> None:
    model = load(key)
    reading = EventCounts("test", counts=consistent_counts(model, 1), flags=Flags(**mode))
    tree = evaluate(model, counts_of(model, reading))
    values = [node.value for node in tree.nodes.values() if node.level == 1]
    assert all(value is not None for value in values)
    total = sum(value for value in values if value is not None)
    assert total == pytest.approx(model.whole, rel=1e-9)


@pytest.mark.parametrize("key", [key for key in CPUS if load(key).unit == "fraction"])
def test_level_2_adds_up_to_level_1(key: str) -> None:
    model = load(key)
    for mode in MODES:
        reading = EventCounts("test", counts=consistent_counts(model, 2), flags=Flags(**mode))
        nodes = evaluate(model, counts_of(model, reading)).nodes
        for parent in (node for node in nodes.values() if node.level == 1):
            children = [node.value for node in nodes.values() if node.parent == parent.name]
            if children:
                total = sum(value for value in children if value is not None)
                assert total == pytest.approx(parent.value, rel=1e-9), (parent.name, mode)


def broken(change: dict[str, Any]) -> str:
    values = json.loads((FOLDER / "zen4.json").read_text())
    return json.dumps(values | change)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": "2.0"},
        {"nodes": {"x": {"level": 1, "parent": None, "domain": "Slots", "formula": "nothing"}}},
        {"nodes": {"x": {"level": 1, "parent": "y", "domain": "Slots", "formula": "ex_ret_ops"}}},
        {"nodes": {"x": {"level": 1, "parent": None, "domain": "Slots", "formula": "1 +"}}},
        {"nodes": 3},
        {"terms": {"a": "__import__('os')"}},
        {"events": {"a": 3}},
    ],
)
def test_an_invalid_model_file_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(StallscopeError):
        parse_model(broken(change), "broken", "broken.json")


def test_a_newer_minor_version_is_read() -> None:
    assert parse_model(broken({"version": "1.7"}), "zen4", "zen4.json").cpu == "zen4"
    with pytest.raises(UnableError, match=r"2\.0"):
        parse_model(broken({"version": "2.0"}), "zen4", "zen4.json")


def test_models_contain_no_local_paths() -> None:
    for path in FOLDER.glob("*.json"):
        assert not {"/home/", "/tmp/", "/root/"} & set(Path(path).read_text().split('"'))
