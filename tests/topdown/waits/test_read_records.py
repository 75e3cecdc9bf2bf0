"""Records of waits from captures and logs: targets, lives of threads, both kinds of switches."""

from pathlib import Path

from stallscope._native import read_capture
from tests.captures.wait_capture import WaitCapture
from topdown.waits.read_records import read_wait_records
from topdown.waits.records import NO_ROW, NO_THREAD, SwitchKind, TaskKind, WaitRecords, WakeContext
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_log import CgroupLine, CpusLine, OwnerLine, ThreadLine, WaitLog

CAPTURES = Path(__file__).parents[2] / "captures"


def records_of(made: WaitCapture, folder: Path, log: WaitLog | None = None) -> WaitRecords:
    return read_wait_records(read_capture(made.write(folder / "waits.perf")), log)


def test_a_capture_gives_all_kinds_of_records(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7)
    made.start(7, 8, 5, parent=7)
    made.switch_in(7, 8, 10)
    made.cpu_sample(7, 8, 15, [0x30], period=9)
    made.switch_sample(7, 8, 20, [0x10], registers={"ip": 77})
    made.switch_out(7, 8, 20)
    made.waking((7, 7), 8, 30, flags=0x10)
    made.lost(3, 60)
    made.exit(7, 8, 70)
    records = records_of(made, tmp_path)
    (thread,) = (t for t in records.threads if t.tid == 8)
    assert (thread.pid, thread.process_name, thread.target) == (7, "waits", True)
    assert (records.begin_ns, records.end_ns) == (5, 70)
    assert records.switches.kind.tolist() == [SwitchKind.IN, SwitchKind.OUT_ASLEEP]
    assert records.switch_samples.time_ns.tolist() == [20]
    assert records.switch_samples.registers[records.switch_samples.register_row[0], 0] == 77
    assert records.cpu_samples.period_ns.tolist() == [9]
    assert records.tasks.kind.tolist() == [TaskKind.START, TaskKind.EXIT]
    assert records.wake_ups is not None
    assert records.wake_ups.context.tolist() == [WakeContext.SOFT_INTERRUPT]
    assert (records.lost[0].begin_ns, records.lost[0].end_ns) == (30, 60)
    assert not records.whole_cpus


def test_a_recording_of_perf_with_switch_records_works() -> None:
    records = read_wait_records(read_capture(CAPTURES / "switches.perf"))
    assert len(records.switches.time_ns) == 221
    assert records.wake_ups is None
    assert len(records.switch_samples.time_ns) == 0
    assert all(thread.target for thread in records.threads)
    intervals = build_intervals(records)
    assert len(intervals.thread) > 100


def test_an_exec_is_an_event_of_the_same_thread(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7, b"shell")
    made.switch_in(7, 7, 10)
    made.name(7, 7, b"program", time_ns=20, exec_=True)
    made.switch_out(7, 7, 30)
    records = records_of(made, tmp_path)
    assert [thread.name for thread in records.threads if thread.tid == 7] == ["program"]
    assert records.tasks.kind.tolist() == [TaskKind.EXEC]
    assert len(set(records.switches.thread.tolist())) == 1


def test_of_whole_cpus_only_the_processes_of_the_target_are_targets(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7)
    made.cpu_sample(7, 7, 5, [0x30])
    made.switch_cpu((7, 7), (50, 50), 10)
    made.switch_cpu((50, 50), (7, 8), 20)
    made.switch_cpu((7, 8), (0, 0), 30)
    records = records_of(made, tmp_path)
    assert {thread.pid: thread.target for thread in records.threads} == {
        7: True,
        50: False,
        0: False,
    }
    assert records.whole_cpus
    assert NO_THREAD not in records.switches.other.tolist()


def test_without_other_records_all_threads_of_whole_cpus_are_targets(tmp_path: Path) -> None:
    made = WaitCapture()
    made.switch_cpu((7, 7), (50, 50), 10)
    made.switch_cpu((50, 50), (0, 0), 20)
    records = records_of(made, tmp_path)
    assert {thread.pid: thread.target for thread in records.threads} == {
        7: True,
        50: True,
        0: False,
    }


def test_a_switch_that_is_recorded_twice_counts_once(tmp_path: Path) -> None:
    made = WaitCapture()
    made.switch_out(7, 7, 10)
    made.switch_cpu((7, 7), (50, 50), 11)
    made.switch_cpu((50, 50), (7, 7), 20)
    made.switch_in(7, 7, 21)
    records = records_of(made, tmp_path)
    tids = [records.threads[thread].tid for thread in records.switches.thread.tolist()]
    assert tids == [7, 50, 50, 7]


def test_the_log_adds_readings_throttling_and_owners(tmp_path: Path) -> None:
    made = WaitCapture()
    made.process(7)
    made.switch_in(7, 7, 10)
    log = WaitLog(
        threads=(
            ThreadLine(moment="end", at_ns=90, pid=7, tid=7, state="S", syscall=(7, 2**70)),
            ThreadLine(moment="start", at_ns=5, pid=7, tid=7, state="R", run_ns=3),
            ThreadLine(moment="start", at_ns=5, pid=7, tid=999, state="S"),
        ),
        cgroups=(
            CgroupLine(moment="start", at_ns=1, path="/a", throttled_ns=10, periods_throttled=1),
            CgroupLine(moment="end", at_ns=9, path="/a", throttled_ns=30, periods_throttled=4),
        ),
        cpus=(CpusLine(moment="start", at_ns=1, steal_ns=5), CpusLine(moment="end", at_ns=9)),
        owners=(
            OwnerLine(at_ns=8, pid=7, waiter=7, address=64, kind="mutex", owner_tid=12),
            OwnerLine(at_ns=8, pid=7, waiter=1, address=64, kind="mutex"),
        ),
    )
    records = records_of(made, tmp_path, log)
    assert [(r.at_ns, r.state, r.run_ns, r.syscall) for r in records.readings] == [
        (5, "R", 3, ()),
        (90, "S", None, ()),
    ]
    assert (records.begin_ns, records.end_ns) == (5, 90)
    (throttled,) = records.throttled
    assert (throttled.throttled_ns, throttled.periods_throttled, throttled.steal_ns) == (
        20,
        3,
        None,
    )
    assert [(owner.address, owner.owner_tid) for owner in records.owners] == [(64, 12)]


def test_samples_without_registers_have_no_row(tmp_path: Path) -> None:
    made = WaitCapture()
    made.switch_sample(7, 7, 20, [0x10])
    assert records_of(made, tmp_path).switch_samples.register_row.tolist() == [NO_ROW]


def test_an_empty_capture_has_no_records(tmp_path: Path) -> None:
    records = records_of(WaitCapture(), tmp_path)
    assert (records.begin_ns, records.end_ns, records.cpus) == (0, 0, 1)
    assert len(records.switches.time_ns) == 0
