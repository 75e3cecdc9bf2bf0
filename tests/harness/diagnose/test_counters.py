import json
from pathlib import Path

import pytest

from harness.diagnose import counters
from harness.diagnose.counters import (
    FOLDER,
    MODELLED,
    CountersRecorder,
    counting_plan,
    recorded_slots,
    why_no_counters,
)
from harness.diagnose.slots import SlotFacts
from stallscope.collector import CountOptions
from stallscope.documents import encode
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.harness.diagnose.slot_results import tree
from tests.topdown.slots.counting.played import PlayedCollector
from tests.topdown.slots.counting.skylake import DEVICES, INTEL, SKYLAKE


@pytest.fixture
def skylake(tmp_path: Path) -> Roots:
    """Return a machine with a core PMU of a Skylake."""
    for name, text in {
        "proc/cpuinfo": INTEL.format(94),
        f"{DEVICES}/cpu/type": "4\n",
        "sys/devices/system/cpu/online": "0\n",
        "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Roots.recorded(tmp_path)


def test_only_the_nodes_that_rules_read_are_counted(skylake: Roots) -> None:
    plan, subject = counting_plan(skylake)
    assert {"Memory_Bound", "MEM_Latency", "MEM_Bandwidth", "Divider"} <= set(subject.nodes)
    assert "Fused_Instructions" not in subject.nodes
    assert "CYCLE_ACTIVITY.STALLS_MEM_ANY" in plan.events


def test_a_machine_without_a_pmu_has_a_reason_and_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    roots = Roots.recorded(Path("tests/machines/vm-without-pmu"))
    assert why_no_counters(roots)
    with pytest.raises(UnableError):
        counting_plan(roots)


def test_counts_of_a_recording_become_slots(skylake: Roots, tmp_path: Path) -> None:
    plan, subject = counting_plan(skylake)
    from topdown.slots.counting.plan_file import write_plan

    write_plan(tmp_path / "plan.json", plan, subject)
    recording = tmp_path / "run"
    recording.mkdir()
    PlayedCollector(SKYLAKE, counters=64)(
        CountOptions(output=recording / FOLDER, plan=tmp_path / "plan.json", pids=(7,))
    )
    result, reason = recorded_slots(recording)
    assert reason == ""
    facts = SlotFacts.of(result)
    assert facts is not None
    assert facts.kind == "measured"
    assert facts.share("memory") > 0.4


def test_modelled_slots_of_a_recording_are_read_again(tmp_path: Path) -> None:
    assert recorded_slots(tmp_path) == (None, "")
    (tmp_path / MODELLED).write_text(encode(tree(kind="modelled", backend_bound=0.5)))
    result, _ = recorded_slots(tmp_path)
    assert result is not None
    assert result.kind == "modelled"


def test_a_damaged_counting_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "recording.json").write_text(json.dumps({"schema": "x"}))
    result, reason = recorded_slots(tmp_path)
    assert result is None
    assert "recording.json" in reason


def test_a_collector_that_fails_is_a_failure_in_words(
    tmp_path: Path, skylake: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def arguments(_options: CountOptions, progress: int, _control: int) -> list[str]:
        return ["/bin/bash", "-c", f'echo \'{{"event":"error"}}\' >&{progress}; exit 3']

    monkeypatch.setattr(counters, "collector_arguments", arguments)
    recorder = CountersRecorder(tmp_path, skylake)
    recorder.start(())  # nothing to count yet
    recorder.start((7,))
    recorder.stop()
    assert recorder.failure == "the counting ended with status 3"


def test_a_recorder_that_was_never_started_stops(tmp_path: Path) -> None:
    recorder = CountersRecorder(tmp_path)
    recorder.stop()
    assert recorder.failure == ""
