"""From a request to a measurement, with a collector that plays known counts back."""

import json
import random
from pathlib import Path

import pytest

from stallscope.collector import CountOptions
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector, recorded
from tests.topdown.slots.counting.skylake import INTEL, SKYLAKE, shares, taken
from topdown.slots.counting.analysis import MULTIPLEXING
from topdown.slots.counting.session import (
    CountingRequest,
    measure,
    measurement_of_recording,
    window_ms,
)
from topdown.slots.measurement import Interval, Kind


def test_a_command_is_counted_and_its_bottleneck_marked(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=16)
    result = taken(tmp_path, skylake, count, level=2)
    assert (result.kind, result.cpu, result.whole) == (Kind.MEASURED, "skl", 1.0)
    assert result.ipc is not None
    assert result.ipc.value == pytest.approx(1.2)
    values = shares(result)
    assert values["Frontend_Bound"] == pytest.approx(0.1)
    assert sum(
        values[name] or 0
        for name in ("Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring")
    ) == pytest.approx(1)
    assert result.bottleneck == ("Backend_Bound", "Memory_Bound")
    assert result.interval_label == MULTIPLEXING
    frontend = next(node for node in result.nodes if node.name == "Frontend_Bound")
    assert frontend.interval == Interval(0.1, 0.1)
    assert not result.verified
    assert "./work" in result.source
    assert dict(result.facts)["counted"].startswith("all the time")


def test_slices_have_the_tree_of_their_time(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=16)
    result = taken(tmp_path, skylake, count, level=1, interval_ms=200)
    assert [(time_slice.start_s, time_slice.end_s) for time_slice in result.slices] == [
        pytest.approx((0.2 * place, 0.2 * place + 0.2)) for place in range(5)
    ]
    for time_slice in result.slices:
        assert {node.name: node.value for node in time_slice.nodes}[
            "Frontend_Bound"
        ] == pytest.approx(0.1)
        assert time_slice.ipc is not None
    assert count.requests[0].window_ms == 100
    assert [window_ms(item) for item in (None, 50, 99, 150, 250, 1000)] == [
        *(100, 50, 99, 75, 83, 100)
    ]


def test_repeats_give_intervals_across_runs(tmp_path: Path, skylake: Roots) -> None:
    draw = random.Random(7)

    def totals(_: int) -> dict[str, float]:
        return SKYLAKE | {"IDQ_UOPS_NOT_DELIVERED.CORE": 4e8 * draw.uniform(0.98, 1.02)}

    result = taken(tmp_path, skylake, PlayedCollector(totals, counters=16), level=1, runs=5)
    assert result.interval_label == "across 5 runs"
    frontend = next(node for node in result.nodes if node.name == "Frontend_Bound")
    assert frontend.interval is not None
    assert frontend.value is not None
    assert 0 < frontend.interval.high - frontend.interval.low < 0.01
    assert frontend.interval.low < frontend.value < frontend.interval.high
    assert result.bottleneck == ("Backend_Bound",)
    assert len(list((tmp_path / "out").glob("run-*"))) == 5


def test_without_multiplexing_each_group_has_a_run(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=4)
    result = taken(tmp_path, skylake, count, level=2, multiplex=False)
    trial, *runs = count.requests
    assert trial.pids
    assert not trial.command
    assert len(runs) > 1
    assert all(run.command == ("./work",) for run in runs)
    assert "one after the other" in dict(result.facts)["counted"]
    assert shares(result)["Frontend_Bound"] == pytest.approx(0.1)
    across = [node for node in result.nodes if any("different runs" in w for w in node.warnings)]
    assert across
    assert all(node.interval is None for node in across)


def test_a_running_target_is_counted_in_parts_without_multiplexing(
    tmp_path: Path, skylake: Roots
) -> None:
    count = PlayedCollector(SKYLAKE, counters=4)
    options = CountOptions(output=tmp_path / "out", plan=Path(), pids=(42,), duration_s=3.0)
    measure(CountingRequest(options, level=2, multiplex=False), count, skylake)
    _, *parts = count.requests
    assert sum(part.duration_s or 0 for part in parts) == pytest.approx(3.0)
    with pytest.raises(UsageError, match="exclude each other here"):
        taken(tmp_path, skylake, count, level=2, multiplex=False, interval_ms=100)


def test_a_drill_counts_only_events_of_the_marked_branch(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=16)
    result = taken(tmp_path, skylake, count, level=2, drill=True)
    assert result.bottleneck is not None
    assert result.bottleneck[:2] == ("Backend_Bound", "Memory_Bound")
    assert len(result.bottleneck) > 2
    second = count.plans[1]["subject"]["nodes"]
    assert "DRAM_Bound" in second
    assert "ICache_Misses" not in second
    names = [node.name for node in result.nodes]
    assert names.index("Memory_Bound") < names.index("DRAM_Bound") < names.index("Core_Bound")


def test_requested_events_are_beside_the_tree(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=16)
    result = taken(tmp_path, skylake, count, level=1, events=("page-faults,uops_issued.any",))
    nodes = {node.name: node for node in result.nodes if node.level is None}
    assert nodes["page-faults"].value == 320
    assert nodes["uops_issued.any"].value == SKYLAKE["UOPS_ISSUED.ANY"]
    assert nodes["page-faults"].unit == "events"


def test_an_unknown_event_is_a_usage_error(tmp_path: Path, skylake: Roots) -> None:
    unknown = {"UOPS_ISUED.ANY": (None, "libpfm4 cannot encode it")}
    count = PlayedCollector(SKYLAKE, unavailable=unknown)
    with pytest.raises(UsageError, match=r"unknown event of Skylake.*'UOPS_ISUED\.ANY'") as it:
        taken(tmp_path, skylake, count, events=("UOPS_ISUED.ANY",))
    assert "UOPS_ISSUED.ANY" in it.value.remedy


def test_an_event_that_this_cpu_lacks_has_its_reason(tmp_path: Path, skylake: Roots) -> None:
    refused = {"UOPS_ISSUED.ANY": ("ENOENT", "this CPU has no such event")}
    result = taken(tmp_path, skylake, PlayedCollector(SKYLAKE, 16, unavailable=refused), level=1)
    bad = next(node for node in result.nodes if node.name == "Bad_Speculation")
    assert bad.value is None
    assert bad.warnings == ("UOPS_ISSUED.ANY: this CPU has no such event",)
    assert result.bottleneck is None
    zeros = PlayedCollector(SKYLAKE, 16, zeros=("UOPS_ISSUED.ANY",))
    (tmp_path / "again").mkdir()
    result = taken(tmp_path / "again", skylake, zeros, level=1)
    bad = next(node for node in result.nodes if node.name == "Bad_Speculation")
    assert bad.value is None
    assert "it is not certain that this CPU has this event" in bad.warnings[0]


def test_no_counters_and_nothing_counted_are_errors(tmp_path: Path, skylake: Roots) -> None:
    empty = Roots.recorded(recorded(tmp_path, "none", {}, INTEL.format(94)))
    with pytest.raises(UnableError, match="no hardware counters"):
        taken(tmp_path, empty, PlayedCollector(SKYLAKE))
    with pytest.raises(RecordingError, match="nothing was counted"):
        taken(tmp_path, skylake, PlayedCollector({}))


def test_a_sleeping_target_has_its_own_reason(tmp_path: Path, skylake: Roots) -> None:
    taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1)
    path = tmp_path / "out" / "counters.jsonl"
    head, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    slept = [line | {"enabled": 0, "running": 0, "v": [0] * len(line["v"])} for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in [head, *slept]))
    with pytest.raises(RecordingError, match="counted: the target did not run while"):
        measurement_of_recording(tmp_path / "out")


def test_no_run_starts_after_ctrl_c(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=16, interrupted_in=2)
    result = taken(tmp_path, skylake, count, level=1, runs=5, drill=True)
    assert len(count.requests) == 2
    assert result.interval_label == "across 2 runs"
    assert result.warnings[0] == "ended by Ctrl-C after 2 of 5 runs"
    count = PlayedCollector(SKYLAKE, counters=4, interrupted_in=2)
    (tmp_path / "groups").mkdir()
    result = taken(tmp_path / "groups", skylake, count, level=2, multiplex=False)
    assert len(count.requests) == 2  # the trial, and the first group
    assert "ended by Ctrl-C after 1 of" in result.warnings[0]
    assert any(node.value is None for node in result.nodes)


def test_recordings_need_a_private_directory(tmp_path: Path, skylake: Roots) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="cannot store recordings in"):
        taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1, runs=2)
    assert list((tmp_path / "elsewhere").iterdir()) == []
