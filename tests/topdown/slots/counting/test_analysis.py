"""From counted windows to a tree."""

from pathlib import Path

import pytest

from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector, recorded
from tests.topdown.slots.counting.skylake import DEVICES, SKYLAKE, shares, taken
from topdown.slots.counting.analysis import TOO_FEW
from topdown.slots.counting.session import (
    measurement_of_recording,
)


def test_multiplexing_is_reported_and_a_recording_reads_the_same_elsewhere(
    tmp_path: Path, skylake: Roots
) -> None:
    result = taken(tmp_path, skylake, PlayedCollector(SKYLAKE, counters=4), level=2)
    assert "groups were multiplexed" in dict(result.facts)["counted"]
    assert shares(result)["Frontend_Bound"] == pytest.approx(0.1, rel=1e-6)
    assert measurement_of_recording(tmp_path / "out") == result
    assert measurement_of_recording(tmp_path / "out", interval_ms=200).slices[
        -1
    ].end_s == pytest.approx(1.0)


def test_too_few_windows_have_no_interval_and_no_mark(tmp_path: Path, skylake: Roots) -> None:
    result = taken(tmp_path, skylake, PlayedCollector(SKYLAKE, counters=4, windows=3), level=2)
    assert result.interval_label == TOO_FEW
    assert any("fewer than 4 windows" in warning for warning in result.warnings)
    waited = [node for node in result.nodes if node.level == 2 and node.value is not None]
    assert waited
    assert all(node.interval is None for node in waited)
    assert result.bottleneck is None


def test_stalled_cycles_of_neoverse_n1_mark_nothing(tmp_path: Path) -> None:
    files = {f"{DEVICES}/armv8_pmuv3_0/type": "8\n"}
    cpuinfo = "CPU implementer\t: 0x41\nCPU variant\t: 0x4\nCPU part\t: 0xd0c\nCPU revision\t: 1\n"
    roots = Roots.recorded(recorded(tmp_path, "n1", files, cpuinfo))
    counts = {"CPU_CYCLES": 1e9, "INST_RETIRED": 5e8, "STALL_FRONTEND": 1e8, "STALL_BACKEND": 6e8}
    result = taken(tmp_path, roots, PlayedCollector(counts))
    assert result.cpu == "neoverse-n1"
    assert shares(result)["backend_stalled_cycles"] == pytest.approx(60)
    assert result.bottleneck is None
    assert "instead of slots" in result.bottleneck_why


def test_an_impossible_value_is_flagged_with_its_cause(tmp_path: Path, skylake: Roots) -> None:
    wrong = SKYLAKE | {"IDQ_UOPS_NOT_DELIVERED.CORE": 9_000_000_000}
    result = taken(tmp_path, skylake, PlayedCollector(wrong, counters=16), level=1)
    over = next(node for node in result.nodes if node.name == "Frontend_Bound")
    assert over.impossible
    assert over.warnings[0].startswith("impossible: more than the whole: IDQ_UOPS_NOT_DELIVERED")
    assert result.bottleneck is None
    assert "Frontend_Bound, Backend_Bound has no possible value" in result.bottleneck_why


def test_smt_contention_of_zen_4_is_not_a_loss(tmp_path: Path) -> None:
    files = {f"{DEVICES}/cpu/type": "4\n", "sys/devices/system/cpu/smt/active": "1\n"}
    cpuinfo = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\nstepping\t: 2\n"
    roots = Roots.recorded(recorded(tmp_path, "zen4", files, cpuinfo))
    counts = {
        "ls_not_halted_cyc": 1_000_000_000,
        "ex_ret_instr": 900_000_000,
        "ex_ret_ops": 1_200_000_000,
        "de_src_op_disp.all": 1_320_000_000,
        "de_no_dispatch_per_slot.no_ops_from_frontend": 480_000_000,
        "de_no_dispatch_per_slot.backend_stalls": 1_700_000_000,
        "de_no_dispatch_per_slot.smt_contention": 2_500_000_000,
    }
    result = taken(tmp_path, roots, PlayedCollector(counts, counters=6), level=1)
    values = shares(result)
    assert values["smt_contention"] == pytest.approx(2.5 / 6)
    assert list(values)[-1] == "smt_contention"
    assert sum(value or 0 for value in values.values()) == pytest.approx(1)
    assert result.bottleneck == ("backend_bound",)
    assert "no thresholds" in result.bottleneck_why
