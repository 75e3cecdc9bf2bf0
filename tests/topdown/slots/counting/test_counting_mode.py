"""What a machine can count, from its description in /sys."""

from pathlib import Path

import pytest

from stallscope.errors import UnableError
from stallscope.system_files import Roots
from topdown.slots.counting.counting_mode import (
    CountingMode,
    core_pmu,
    counting_mode_of,
    lone_siblings,
)
from topdown.slots.model import load

MACHINES = Path(__file__).parents[3] / "machines"


def machine(folder: Path, pmus: dict[str, list[str]], *, smt: int | None = None) -> Roots:
    devices = folder / "sys/bus/event_source/devices"
    for number, (name, events) in enumerate(pmus.items(), 4):
        (devices / name / "events").mkdir(parents=True)
        (devices / name / "type").write_text(f"{number}\n")
        for event in events:
            (devices / name / "events" / event).write_text("event=0x0\n")
    if smt is not None:
        active = folder / "sys/devices/system/cpu/smt/active"
        active.parent.mkdir(parents=True)
        active.write_text(f"{smt}\n")
    return Roots.recorded(folder)


def test_the_way_follows_the_machine(tmp_path: Path) -> None:
    old = machine(tmp_path / "old", {"cpu": ["cpu-cycles"], "msr": ["tsc"]}, smt=1)
    assert counting_mode_of(load("skl"), old, per_process=True) == CountingMode(
        True, True, msr_type=5
    )
    assert counting_mode_of(load("skl"), old, per_process=False) == CountingMode(
        True, False, msr_type=5
    )
    fields = ["slots", "topdown-retiring", "topdown-fe-bound"]
    new = machine(tmp_path / "new", {"cpu": fields}, smt=0)
    mode = counting_mode_of(load("icx"), new, per_process=True)
    assert mode.metrics == {"PERF_METRICS.RETIRING", "PERF_METRICS.FRONTEND_BOUND"}
    arm = machine(tmp_path / "arm", {"software": [], "armv8_pmuv3_0": ["cpu_cycles"]})
    assert counting_mode_of(load("neoverse-n1"), arm, per_process=True) == CountingMode(
        event_type=5
    )


def test_no_counters_and_several_kinds_of_cores_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnableError, match="no hardware counters") as error:
        core_pmu(Roots.recorded(MACHINES / "vm-without-pmu"))
    assert "--source model -- CMD" in error.value.remedy
    assert "stallscope profile" in error.value.remedy
    hybrid = machine(tmp_path / "hybrid", {"cpu_core": ["slots"], "cpu_atom": []})
    with pytest.raises(UnableError, match="several kinds of cores"):
        core_pmu(hybrid)
    big_little = machine(tmp_path / "arm", {"armv8_cortex_a53": [], "armv8_cortex_a72": []})
    with pytest.raises(UnableError, match="cortex_a53 on CPUs"):
        core_pmu(big_little)
    assert core_pmu(Roots.recorded(MACHINES / "intel-metal")).name == "cpu"


def test_cpus_whose_other_thread_is_left_out_are_named(tmp_path: Path) -> None:
    for cpu, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        topology = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(siblings + "\n")
    roots = Roots.recorded(tmp_path)
    assert lone_siblings("0,2", roots) == ()
    assert lone_siblings("0-2", roots) == (1,)
