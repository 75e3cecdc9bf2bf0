"""Replay files: what is read, what is missing or negative, and what is one clear error."""

import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stallscope.errors import RecordingError, UsageError
from tests.topdown.slots.replay.files import SKL, written
from topdown.slots.evaluation import Tree
from topdown.slots.replay.count_file import MAX_BYTES, read_count_file
from topdown.slots.replay.model_readings import read_model_readings


def tree_of(folder: Path, document: object, **options: Any) -> Tree:
    return read_model_readings(written(folder, document), **options)[0].tree()


def test_an_object_is_as_good_as_a_list(tmp_path: Path) -> None:
    element = {"cpu": "skl", "counts": SKL}
    tree = tree_of(tmp_path, element)
    assert tree.nodes["Frontend_Bound"].value == 0.25
    assert tree_of(tmp_path, [element]).nodes == tree.nodes


def test_missing_counters_and_the_nodes_that_fall(tmp_path: Path) -> None:
    counts = {name: value for name, value in SKL.items() if name != "UOPS_ISSUED.ANY"}
    nodes = tree_of(tmp_path, {"cpu": "skl", "counts": counts}).nodes
    assert nodes["Frontend_Bound"].value == 0.25
    for missing in ("Bad_Speculation", "Backend_Bound"):
        assert nodes[missing].value is None
        assert nodes[missing].above_threshold is None
        assert nodes[missing].warnings == ("not in the counts: UOPS_ISSUED.ANY",)
    # Above all it needs: 0.25 > 0.15; what its parent lacks, a child lacks as well.
    assert nodes["Frontend_Bound"].above_threshold is True
    assert nodes["Core_Bound"].warnings[0].startswith("not in the counts: ")


def test_null_and_negative_counts_have_their_reason(tmp_path: Path) -> None:
    counts = SKL | {"UOPS_ISSUED.ANY": -5, "INT_MISC.RECOVERY_CYCLES": None}
    nodes = tree_of(tmp_path, {"cpu": "skl", "smt": False, "counts": counts}).nodes
    assert nodes["Bad_Speculation"].value is None
    expected_text = nodes["Bad_Speculation"].warnings[0]
    assert "the count of UOPS_ISSUED.ANY is negative (-5)" in expected_text
    assert "INT_MISC.RECOVERY_CYCLES was not counted" in expected_text


def test_zero_counts_divide_by_zero_and_say_so(tmp_path: Path) -> None:
    nodes = tree_of(tmp_path, {"cpu": "skl", "counts": dict.fromkeys(SKL, 0)}).nodes
    assert nodes["Frontend_Bound"].value is None
    assert nodes["Frontend_Bound"].warnings == ("division by zero: info_thread_slots is 0",)
    assert nodes["Fetch_Bandwidth"].warnings[0].startswith(("division by zero", "not in the"))
    # perf's d_ratio makes 0 of it, which is the vendor's own definition
    zen = tree_of(tmp_path, {"cpu": "zen4", "counts": {"ls_not_halted_cyc": 0, "ex_ret_ops": 1}})
    assert zen.nodes["retiring"].value == 0


def test_an_overflowing_value_is_missing(tmp_path: Path) -> None:
    counts = SKL | {"CPU_CLK_UNHALTED.THREAD": 1e-320, "INST_RETIRED.ANY": 1e28}
    tree = tree_of(tmp_path, {"cpu": "skl", "counts": counts})
    assert tree.ipc is None
    for name in ("Frontend_Bound", "Backend_Bound"):
        assert tree.nodes[name].value is None
        assert tree.nodes[name].warnings == ("the value overflows",)


def test_impossible_values_are_flagged_with_their_cause(tmp_path: Path) -> None:
    counts = SKL | {"IDQ_UOPS_NOT_DELIVERED.CORE": 9e6, "UOPS_RETIRED.RETIRE_SLOTS": 3e6}
    nodes = tree_of(tmp_path, {"cpu": "skl", "counts": counts}).nodes
    over = nodes["Frontend_Bound"]
    assert over.impossible
    assert over.value == 2.25
    assert over.warnings[0].startswith(
        "impossible: more than the whole: IDQ_UOPS_NOT_DELIVERED.CORE = 9e+06 exceeds "
        "info_thread_slots = 4e+06"
    )
    under = nodes["Bad_Speculation"]
    assert under.impossible
    assert "UOPS_RETIRED.RETIRE_SLOTS = 3e+06 exceeds UOPS_ISSUED.ANY = 2e+06" in under.warnings[0]


def test_the_counting_mode_is_derived_from_the_counted_events(tmp_path: Path) -> None:
    per_core = tree_of(
        tmp_path, {"cpu": "skl", "counts": SKL | {"CPU_CLK_UNHALTED.THREAD_ANY": 1.6e6}}
    )
    assert per_core.nodes["Frontend_Bound"].value == pytest.approx(1e6 / (4 * 0.8e6))
    assert per_core.nodes["Frontend_Bound"].warnings == ()
    alone = tree_of(tmp_path, {"cpu": "skl", "counts": SKL}).nodes["Frontend_Bound"]
    assert alone.warnings[0].startswith("assumed one thread per core")
    message = tree_of(tmp_path, {"cpu": "skl", "smt": False, "counts": SKL}).nodes["Frontend_Bound"]
    assert (message.value, message.warnings) == (alone.value, ())
    process = SKL | {
        "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE": 1e5,
        "CPU_CLK_UNHALTED.REF_XCLK": 4e5,
        "INT_MISC.RECOVERY_CYCLES_ANY": 1e4,
    }  # fmt: skip
    estimated = tree_of(tmp_path, {"cpu": "skl", "counts": process}).nodes["Frontend_Bound"]
    assert estimated.value == pytest.approx(1e6 / (4 * 0.5e6 * 1.25))
    assert estimated.warnings[0].startswith("estimated: ")


def test_the_revision_of_neoverse_n2(tmp_path: Path) -> None:
    counts = {"CPU_CYCLES": 1e6, "STALL_SLOT_FRONTEND": 2e6, "BR_MIS_PRED": 0}
    element = {"cpu": "neoverse-n2", "counts": counts}
    for cpuid, percent in (
        ("0x410fd490", 20),
        ("0x410fd492", 20),
        ("0x410fd493", 40),
        (0x411FD490, 40),
    ):
        node = tree_of(tmp_path, element | {"cpuid": cpuid}).nodes["frontend_bound"]
        assert node.value == pytest.approx(percent)
        assert node.warnings == ()
    unsaid = tree_of(tmp_path, element)
    assert unsaid.nodes["frontend_bound"].value == pytest.approx(40)
    assert "revision is not given" in unsaid.nodes["frontend_bound"].warnings[0]
    named = tree_of(tmp_path, element, cpu="neoverse-n2-r0p2")
    assert named.nodes["frontend_bound"].value == pytest.approx(20)


def test_invalid_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(UsageError):
            read_count_file(path)
    with open(tmp_path / "large", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(RecordingError, match="the limit is"):
        read_count_file(tmp_path / "large")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe[]")
    with pytest.raises(RecordingError, match="UTF-8"):
        read_count_file(tmp_path / "bytes")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.dictionaries(st.sampled_from(list(SKL)), st.floats(-1e28, 1e28), min_size=1))
def test_any_counts_give_a_value_or_a_reason(tmp_path: Path, counts: dict[str, float]) -> None:
    for node in tree_of(tmp_path, {"cpu": "skl", "counts": counts}).nodes.values():
        assert (node.value is not None) or node.warnings[0]
        assert node.value is None or math.isfinite(node.value)
