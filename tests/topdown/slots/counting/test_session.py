"""From a request to a measurement, with a collector that plays known counts back."""

import json
import random
from pathlib import Path

import pytest

from stallscope.collector import CountOptions
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.system_files import Roots
from tests.topdown.slots.counting.played import PlayedCollector, recorded
from topdown.slots.counting.analysis import MULTIPLEXING, TOO_FEW
from topdown.slots.counting.session import (
    CountingRequest,
    measure,
    measurement_of_recording,
    window_ms,
)
from topdown.slots.measurement import Interval, Kind, Measurement

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


@pytest.fixture
def skylake(tmp_path: Path) -> Roots:
    files = {f"{DEVICES}/cpu/type": "4\n", f"{DEVICES}/cpu/events/cpu-cycles": "event=0x3c\n"}
    return Roots.recorded(recorded(tmp_path, "machine", files, INTEL.format(94)))


def taken(folder: Path, roots: Roots, count: PlayedCollector, **asked: object) -> Measurement:
    options = CountOptions(output=folder / "out", plan=Path(), **TARGET)  # type: ignore[arg-type]
    return measure(CountingRequest(options, **asked), count, roots).measurement  # type: ignore[arg-type]


def shares(measurement: Measurement) -> dict[str, float | None]:
    return {node.name: node.value for node in measurement.nodes}


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
    assert count.asked[0].window_ms == 100
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
    trial, *runs = count.asked
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
    _, *parts = count.asked
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


def test_a_cpu_without_a_model_has_ipc_and_stalled_cycles(tmp_path: Path) -> None:
    files = {f"{DEVICES}/cpu/type": "4\n"}
    roots = Roots.recorded(recorded(tmp_path, "new", files, INTEL.format(250)))
    counts = {"cycles": 1e9, "instructions": 2e9, "stalled-cycles-frontend": 2e8}
    refused = {"stalled-cycles-backend": ("ENOENT", "this CPU has no such event")}
    result = taken(tmp_path, roots, PlayedCollector(counts, unavailable=refused))
    assert result.ipc is not None
    assert result.ipc.value == pytest.approx(2)
    assert shares(result) == {
        "frontend_stalled_cycles": pytest.approx(0.2),
        "backend_stalled_cycles": None,
    }
    assert result.bottleneck is None
    assert any("no model of this CPU" in warning for warning in result.warnings)
    assert measurement_of_recording(tmp_path / "out").ipc == result.ipc


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


def test_an_untrusted_plan_is_validated(tmp_path: Path, skylake: Roots) -> None:
    taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1)
    path = tmp_path / "out" / "plan.json"
    document = json.loads(path.read_text())
    for subject, expected_text in (
        ({"model": "../../etc/passwd"}, "unknown CPU model"),
        ({"model": "skl", "nodes": ["Nonsense"]}, "unknown node"),
        ({"model": 7}, "Expected `str . null`"),
        ({}, "does not name its CPU"),
    ):
        path.write_text(json.dumps(document | {"subject": subject}))
        with pytest.raises(RecordingError, match=expected_text):
            measurement_of_recording(tmp_path / "out")
    # Without a subject, the nodes whose events were counted.
    result = measurement_of_recording(tmp_path / "out", cpu="skl")
    assert result.cpu == "skl"
    assert shares(result)["Frontend_Bound"] == pytest.approx(0.1)
    assert "DRAM_Bound" not in shares(result)


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


def test_notices_of_one_kind_are_printed_once(tmp_path: Path, skylake: Roots) -> None:
    taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1)
    path = tmp_path / "out" / "recording.json"
    document = json.loads(path.read_text())
    notices = [{"code": "set-split", "message": f"set {number} is split"} for number in range(3)]
    path.write_text(
        json.dumps(document | {"warnings": [*notices, {"code": "other", "message": "mind"}]})
    )
    assert measurement_of_recording(tmp_path / "out").warnings == (
        "set 0 is split (and 2 more)",
        "mind",
    )


def test_no_run_starts_after_ctrl_c(tmp_path: Path, skylake: Roots) -> None:
    count = PlayedCollector(SKYLAKE, counters=16, interrupted_in=2)
    result = taken(tmp_path, skylake, count, level=1, runs=5, drill=True)
    assert len(count.asked) == 2
    assert result.interval_label == "across 2 runs"
    assert result.warnings[0] == "ended by Ctrl-C after 2 of 5 runs"
    count = PlayedCollector(SKYLAKE, counters=4, interrupted_in=2)
    (tmp_path / "groups").mkdir()
    result = taken(tmp_path / "groups", skylake, count, level=2, multiplex=False)
    assert len(count.asked) == 2  # the trial, and the first group
    assert "ended by Ctrl-C after 1 of" in result.warnings[0]
    assert any(node.value is None for node in result.nodes)


def test_recordings_need_a_private_directory(tmp_path: Path, skylake: Roots) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="cannot store recordings in"):
        taken(tmp_path, skylake, PlayedCollector(SKYLAKE), level=1, runs=2)
    assert list((tmp_path / "elsewhere").iterdir()) == []


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
