"""`stallscope topdown` with a collector that replays known counts, on recorded machines."""

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.topdown.options import SlotSource
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots
from tests.harness.topdown.bench import OPTIONS, Bench
from tests.topdown.slots.counting.played import recorded
from tests.topdown.slots.counting.skylake import DEVICES, INTEL, SKYLAKE


def test_repeat_is_across_runs(bench: Bench) -> None:
    noise = random.Random(4)
    bench.counts.totals = lambda _run: {
        name: value * noise.uniform(0.95, 1.05) for name, value in SKYLAKE.items()
    }
    result = bench.document(runs=5)
    assert result["interval_label"] == "across 5 runs"
    between = result["nodes"]["Retiring"]["interval"]
    assert between["low"] < 0.3 < between["high"]


def test_drill_measures_nodes_below_the_marked_node(bench: Bench) -> None:
    plain, drilled = bench.document(), bench.document(drill=True)
    assert len(drilled["bottleneck"]) > len(plain["bottleneck"])
    assert set(drilled["nodes"]) > set(plain["nodes"])
    last = bench.counts.plans[-1]
    assert len(last["events"]) < len(bench.counts.plans[0]["events"]) + 30


def test_intervals_are_printed_live_with_a_plot_at_the_end(bench: Bench, tmp_path: Path) -> None:
    bench.progress = 5
    picture = tmp_path / "slots.svg"
    text = bench.text(interval_ms=200, output=picture)
    lines = text.splitlines()
    assert lines[0].split()[:2] == ["measured", "IPC"]
    assert [line.split()[0] for line in lines[1:6]] == ["0.20", "0.40", "0.60", "0.80", "1.00"]
    assert "over 1.00 s, 5 intervals, measured" in text
    assert picture.read_text().startswith("<?xml")
    assert not (tmp_path / "recording").exists()


def test_the_recording_is_kept_in_its_directory(bench: Bench, tmp_path: Path) -> None:
    bench.document(output=tmp_path / "kept")
    assert (tmp_path / "kept" / "counters.jsonl").exists()
    assert "settings" in json.loads((tmp_path / "kept" / "recording.json").read_text())


def test_an_event_outside_the_tree_is_counted(bench: Bench) -> None:
    result = bench.document(events=("page-faults",))
    assert result["nodes"]["page-faults"]["value"] == pytest.approx(320)
    assert result["nodes"]["page-faults"]["level"] is None


@pytest.mark.parametrize(
    ("event", "expected_text", "remedy"),
    [
        ("UOPS_RETIRED.RETIRE_SLOT", "unknown event of Skylake", "UOPS_RETIRED.RETIRE_SLOTS"),
        ("ls_not_halted_cyc", "unknown event of Skylake", "perf list"),
        ("a b", "invalid event name 'a b'", "perf list"),
    ],
)
def test_an_unknown_event_is_refused_with_the_nearest_names(
    bench: Bench, event: str, expected_text: str, remedy: str
) -> None:
    bench.counts.unavailable = {event: (None, "libpfm4 knows no such event")}
    with pytest.raises(UsageError, match=expected_text) as refused:
        bench.run(replace(OPTIONS, events=(event,)))
    assert remedy in refused.value.remedy


def test_an_unsupported_event_gives_missing_nodes(bench: Bench) -> None:
    missing = "CYCLE_ACTIVITY.STALLS_TOTAL"
    bench.counts.unavailable = {missing: ("ENOENT", "this machine has no such event")}
    result = bench.document()
    missing_nodes = {name for name, node in result["nodes"].items() if node["value"] is None}
    assert missing_nodes == {"Memory_Bound", "Core_Bound"}
    for name in missing_nodes:
        assert "this machine has no such event" in result["nodes"][name]["warnings"][0]


@pytest.mark.parametrize("source", [SlotSource.PMU, SlotSource.AUTO])
def test_cores_of_two_kinds_are_refused(bench: Bench, tmp_path: Path, source: SlotSource) -> None:
    kinds = {
        f"{DEVICES}/{kind}/{file}": "4\n"
        for kind in ("cpu_core", "cpu_atom")
        for file in ("type", "events/x")
    }
    bench.roots = Roots.recorded(recorded(tmp_path, "hybrid", kinds, INTEL.format(151)))
    with pytest.raises(UnableError, match="several kinds of cores"):
        bench.run(replace(OPTIONS, source=source))


def test_without_counters_the_remedy_names_alternatives(bench: Bench, tmp_path: Path) -> None:
    bench.roots = Roots.recorded(recorded(tmp_path, "bare", {}, INTEL.format(94)))
    with pytest.raises(UnableError, match="no hardware counters") as refused:
        bench.run(OPTIONS)
    assert "--source model" in refused.value.remedy


def test_counting_starts_without_importing_analysis_packages() -> None:
    code = (
        "import sys, harness.commands.topdown, harness.topdown.session, topdown.slots.counting.session;"
        "print([name for name in ('numpy', 'pandas', 'matplotlib') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
