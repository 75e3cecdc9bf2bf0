"""Groups of events for slots by function."""

from pathlib import Path

import pytest

from stallscope.errors import UnableError
from stallscope.system_files import Roots
from topdown.slots.counting.counting_mode import METRICS, CountingMode
from topdown.slots.counts import EventCounts, counts_of
from topdown.slots.detection import identity_of_recording, model_of_identity
from topdown.slots.evaluation import evaluate
from topdown.slots.model import keys, load
from topdown.slots.sampling_group import check_counters, groups_for, slots_group


@pytest.mark.parametrize("key", keys())
@pytest.mark.parametrize("smt", [False, True])
@pytest.mark.parametrize("metrics", [(), tuple(METRICS.values())], ids=["plain", "metrics"])
def test_every_group_contains_level_one_of_its_model(
    key: str, smt: bool, metrics: tuple[str, ...]
) -> None:
    model = load(key)
    ebs_mode = smt and "ebs_mode" in model.variants
    offered = frozenset(name for name in metrics if name in model.events)
    group = slots_group(model, CountingMode(smt, ebs_mode, offered))
    names = [word.partition("=")[0] for word in (*group.members, group.leader, group.sampled)]
    reading = EventCounts("", counts={name: 10.0 for name in names if name})
    tree = evaluate(model, counts_of(model, reading))
    for node in tree.nodes.values():
        if node.level == 1:
            assert not any(text.startswith("not in the counts") for text in node.warnings), node
    assert tree.ipc == 1


def test_slots_lead_groups_of_register_fields() -> None:
    group = slots_group(load("spr"), CountingMode(metrics=frozenset(METRICS.values())))
    assert group.leader == "TOPDOWN.SLOTS:perf_metrics=4:0x400"
    assert "PERF_METRICS.RETIRING=4:0x8000" in group.members
    assert "PERF_METRICS.MEMORY_BOUND=4:0x8700" in group.members  # level 2 costs no counter
    assert slots_group(load("skl"), CountingMode()).leader == ""


def test_only_supported_fields_are_planned(tmp_path: Path) -> None:
    events = tmp_path / "bus/event_source/devices/cpu/events"
    events.mkdir(parents=True)
    roots = Roots(sys=tmp_path)
    # A guest's counters are often without the register: ordinary ones tell level 1 there.
    plain = groups_for(load("spr"), roots)[0]
    assert plain.leader == ""
    assert "TOPDOWN.SLOTS=4:0x1a4" in plain.members
    assert not any("PERF_METRICS" in member for member in plain.members)
    four = ("topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound")
    for name in ("slots", *four):
        (events / name).touch()
    led = groups_for(load("spr"), roots)[0]
    assert led.leader == "TOPDOWN.SLOTS:perf_metrics=4:0x400"
    fields = [member for member in led.members if "PERF_METRICS" in member]
    assert len(fields) == len(four)
    assert not any("TOPDOWN.SLOTS=" in member for member in led.members)


def test_an_arm_driver_without_an_event_is_trusted(tmp_path: Path) -> None:
    events = tmp_path / "bus/event_source/devices/armv8_pmuv3_0/events"
    events.mkdir(parents=True)
    (events / "inst_retired").touch()
    roots = Roots(sys=tmp_path)
    assert [group.measures for group in groups_for(load("neoverse-n1"), roots)] == ["IPC"]
    for name in ("stall_frontend", "stall_backend"):
        (events / name).touch()
    assert len(groups_for(load("neoverse-n1"), roots)) == 2


def test_a_machine_without_counters_is_reported(tmp_path: Path) -> None:
    devices = tmp_path / "bus/event_source/devices"
    with pytest.raises(UnableError, match="no hardware counters"):
        check_counters(Roots(sys=tmp_path))
    (devices / "cpu_core").mkdir(parents=True)
    with pytest.raises(UnableError, match="several kinds"):
        check_counters(Roots(sys=tmp_path))
    (devices / "cpu_core").rmdir()
    (devices / "cpu").mkdir()
    check_counters(Roots(sys=tmp_path))


@pytest.mark.parametrize(
    ("cpu_id", "model"),
    [
        ("GenuineIntel,6,143,8", "spr"),
        ("AuthenticAMD,25,17,1", "zen4"),
        ("0x41,0xd0c,0x3,1", "neoverse-n1"),
    ],
)
def test_a_recording_identifies_the_model(cpu_id: str, model: str) -> None:
    identity = identity_of_recording(cpu_id)
    assert identity is not None
    result = model_of_identity(identity)
    assert result is not None
    assert result.cpu == model


@pytest.mark.parametrize("cpu_id", ["", "GenuineIntel", "a,b,c", "x,y,z,w,v", "0x,0x,0x,0x"])
def test_an_unknown_identity_has_no_model(cpu_id: str) -> None:
    identity = identity_of_recording(cpu_id)
    assert identity is None or model_of_identity(identity) is None
