"""Each rule of `harness/diagnose/findings` on facts that show its cause, and on a look-alike."""

import msgspec
import pytest

from harness.diagnose.build import diagnose_result
from harness.diagnose.confidence import LEAST_COST
from harness.diagnose.facts import Facts, Measurements
from harness.diagnose.findings.rules import RULES, find
from harness.diagnose.kernel_ways import KernelTime, ThreadShare
from harness.waits.result import EndedWait, SpinningFunction
from tests.harness.diagnose.diagnoses import (
    BUSY,
    LOCKED,
    WAITING,
    causes_of,
    cpu,
    diagnosis,
    waits,
    with_causes,
)
from tests.harness.diagnose.machines import machine
from tests.harness.waits.waits_results import MS, cause, lock
from topdown.stacks.managed.garbage_collection import GarbageCollection

STAGE = """
    middle R(code)0-500
    last@1 R0-10 W(middle,nowhere)10-490 R490-500
    """
PEERS = """
    client/client R0-10 W(peer,read)10-490 R490-500
    peer@1/peer R0-10 W(timer,sleep)10-490 R490-500
    """
STAGE_CAUSE = cause("thread", "middle", 480, ("last", 480), ("middle", 480))


def test_a_lock_is_blamed_with_its_owner() -> None:
    result = diagnosis(LOCKED)
    first = result.findings[0]
    assert causes_of(result) == ["user-lock"]
    assert "hog" in first.sentence
    assert first.cost_share == pytest.approx(0.64, abs=0.01)
    assert first.largest_gain == pytest.approx(25, rel=0.01)
    assert ("thread", "hog") in [(place.kind, place.name) for place in first.where]
    assert "64.0 %" in result.verdict


def test_a_known_owner_raises_the_confidence_and_gives_the_function() -> None:
    owner = lock().owner
    assert owner is not None
    held = lock(owner=msgspec.structs.replace(owner, share=0.9))
    result = with_causes(*waits(LOCKED).causes, text=LOCKED, locks=(held,))
    assert result.findings[0].rating == pytest.approx(0.95)
    assert "hash" in [place.name for place in result.findings[0].where]


def test_waits_for_locks_without_a_known_end_accuse_nobody() -> None:
    assert causes_of(with_causes(text=LOCKED)) == []


def test_a_busy_thread_alone_does_not_stand_out() -> None:
    result = diagnosis(BUSY)
    assert causes_of(result) == []
    assert result.verdict.startswith("Nothing stands out")


def test_idle_threads_beside_a_busy_one_are_no_cause() -> None:
    assert causes_of(diagnosis(f"{BUSY}\n    pool@1 R0-0.1 W(timer,sleep)0.1-500")) == []


def test_a_busy_stage_that_others_wait_for_is_blamed() -> None:
    assert causes_of(with_causes(STAGE_CAUSE, text=STAGE)) == ["single-threaded-stage"]


def test_a_stage_that_sleeps_itself_is_no_busy_stage() -> None:
    text = STAGE.replace("middle R(code)0-500", "middle R(code)0-100 W(timer,sleep)100-500")
    assert causes_of(with_causes(STAGE_CAUSE, text=text)) == []


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("disk", "disk", "slow-disk"),
        ("process", "slow-peer", "slow-peer"),
        ("network", "network", "slow-peer"),
        ("cpu", "neighbour", "run-queue"),
        ("throttle", "/limited", "cgroup-throttling"),
        ("steal", "hypervisor", "steal"),
    ],
)
def test_a_cause_is_named_if_it_costs_enough(kind: str, name: str, expected: str) -> None:
    text = "main R(code)0-300 Q300-500" if kind == "cpu" else WAITING
    rows = with_causes(cause(kind, name, 200, ("main", 200), (name, 200)), text=text)
    assert causes_of(rows) == [expected]
    assert rows.findings[0].cost_share == pytest.approx(0.4)
    assert rows.findings[0].largest_gain == pytest.approx(1 / 0.6, rel=0.01)
    assert causes_of(with_causes(cause(kind, name, 20, ("main", 20), (name, 20)))) == []


def test_a_sleep_counts_if_others_wait_for_a_lock_of_the_thread() -> None:
    text = "holder R0-10 W(timer,sleep)10-500\nw@1 R0-10 W(holder,lock)10-490 R490-500"
    held = cause("sleep", "holder", 480, ("w", 480), ("holder", 480), ("timer", 480))
    assert causes_of(with_causes(held, text=text)) == ["sleep"]
    idle = text.replace("W(holder,lock)", "W(holder,read)")
    assert causes_of(with_causes(held, text=idle)) == []


def test_a_process_that_sleeps_is_a_slow_peer_of_the_named_process_only() -> None:
    pids = {row.name: row.pid for row in waits(PEERS).threads}
    slept = cause("sleep", "peer", 480, ("client", 480), ("peer", 480), ("timer", 480))
    document = msgspec.structs.replace(waits(PEERS), causes=(slept,))
    for name, expected in (("client", ["slow-peer"]), ("peer", [])):
        activity = machine({"target_pids": (pids[name],)})
        result = diagnose_result(document, None, None, Measurements(machine=activity))
        assert causes_of(result) == expected
    assert causes_of(diagnose_result(document, None)) == []


def test_causes_without_a_rule_accuse_nobody() -> None:
    rows = (cause("unknown", "x", 400, ("main", 400)), cause("interrupt", "y", 400, ("main", 400)))
    assert causes_of(with_causes(*rows)) == []


def _ended(function: str) -> EndedWait:
    return EndedWait(
        thread="main",
        functions=(function, "log"),
        waker="disk",
        waker_functions=(),
        wait_ns=200 * MS,
        waits=2,
    )


def test_flushes_are_told_from_other_writes() -> None:
    disk = cause("disk", "disk", 200, ("main", 200), ("disk", 200))
    assert causes_of(with_causes(disk, ended_waits=(_ended("fdatasync"),))) == ["fsync"]
    assert causes_of(with_causes(disk, ended_waits=(_ended("pwrite64"),))) == ["slow-disk"]


def test_the_cpu_time_of_flushes_goes_with_them() -> None:
    disk = cause("disk", "disk", 200, ("main", 200), ("disk", 200))
    document = msgspec.structs.replace(
        waits(WAITING), causes=(disk,), ended_waits=(_ended("fdatasync"),)
    )
    calls = KernelTime(0.5, (("fdatasync", 0.5),), (("fdatasync", 0.5),))
    (finding,) = diagnose_result(document, cpu(system_calls=calls)).findings
    assert finding.cause == "fsync"
    assert finding.cost_share == pytest.approx(0.4 + 0.5 * 0.6, abs=0.01)


def test_calls_that_wait_for_a_disk_are_no_storm() -> None:
    disk = cause("disk", "disk", 200, ("main", 200), ("disk", 200))
    document = msgspec.structs.replace(waits(WAITING), causes=(disk,))
    unnamed = msgspec.structs.replace(document, ended_waits=(_ended("read_block"),))
    calls = KernelTime(0.6, (("pread64", 0.5),), (("read_block", 0.55), ("main", 0.05)))
    names = KernelTime(0.6, (), (("read_block", 0.55), ("main", 0.05)))
    assert causes_of(diagnose_result(document, cpu(system_calls=calls))) == ["slow-disk"]
    assert causes_of(diagnose_result(unnamed, cpu(system_calls=names))) == ["slow-disk"]
    assert causes_of(diagnosis(BUSY, cpu(system_calls=calls))) == ["system-call-storm"]


def test_spinning_functions_are_named() -> None:
    row = SpinningFunction(function="spin_lock", threads=4, cpu_ns=300 * MS, share=0.6)
    result = with_causes(spinning=(row,))
    assert causes_of(result) == ["spinning"]
    assert "spin_lock" in result.findings[0].sentence


def test_page_faults_and_system_calls_count_by_their_share_of_the_cpu_time() -> None:
    faults = KernelTime(0.5, (), (("fill", 0.5),))
    calls = KernelTime(0.6, (("write", 0.4), ("read", 0.2)), (("log", 0.6),))
    assert causes_of(diagnosis(BUSY, cpu(page_faults=faults))) == ["page-faults"]
    result = diagnosis(BUSY, cpu(system_calls=calls))
    assert causes_of(result) == ["system-call-storm"]
    assert "write 40%" in result.findings[0].sentence
    moderate = KernelTime(0.3, (("write", 0.3),), ())
    assert causes_of(diagnosis(BUSY, cpu(system_calls=moderate))) == []


def test_the_thread_that_calls_most_bounds_the_gain() -> None:
    calls = KernelTime(0.6, (("write", 0.6),), (), ThreadShare(1000, 0.9))
    finding = diagnosis(BUSY, cpu(system_calls=calls)).findings[0]
    # The upper end of the interval of 900 of 1,000 samples.
    assert finding.largest_gain == pytest.approx(1 / (1 - 0.917), rel=0.01)


def test_what_a_program_runs_beside_its_collector_bounds_the_gain() -> None:
    document = msgspec.structs.replace(
        waits(BUSY),
        threads=tuple(msgspec.structs.replace(row, pid=1) for row in waits(BUSY).threads),
    )
    row = msgspec.structs.replace(COLLECTION, pid=1)
    functions = cpu(collections=(row,), program_shares={1: 0.2})
    finding = diagnose_result(document, functions).findings[0]
    # The lower end of the interval of 200 of 1,000 samples remains.
    assert finding.largest_gain == pytest.approx(1 / 0.176, rel=0.01)


COLLECTION = GarbageCollection(
    pid=7,
    process_name="java",
    runtime="hotspot",
    collector="G1",
    phase="young",
    phases={},
    samples=300,
    value=300,
    share=0.3,
    process_share=0.3,
    certain=True,
)


def test_the_queue_behind_a_collector_belongs_to_garbage_collection() -> None:
    own = cause("cpu", "threads of the target", 200, ("main", 200))
    document = msgspec.structs.replace(waits("main R(code)0-300 Q300-500"), causes=(own,))
    half = msgspec.structs.replace(COLLECTION, share=0.7, process_share=0.7)
    findings = diagnose_result(document, cpu(collections=(half,))).findings
    assert [row.cause for row in findings] == ["garbage-collection", "run-queue"]
    assert findings[0].cost_share == pytest.approx(0.7, abs=0.01)
    assert findings[1].cost_share == pytest.approx(0.3 * 0.4, abs=0.01)


def test_threads_that_only_collect_queue_because_of_the_collection() -> None:
    document = waits("main R(code)0-300 Q300-500\nhelper R(code)0-100 Q100-500")
    own = cause("cpu", "threads of the target", 600, ("helper", 400))
    document = msgspec.structs.replace(document, causes=(own,))
    helper = next(row.tid for row in document.threads if row.name == "helper")
    functions = cpu(collections=(COLLECTION,), collector_threads=frozenset((helper,)))
    shares = {row.cause: row.cost_share for row in diagnose_result(document, functions).findings}
    # 400 of 600 ms in the queue; 30 % of the CPU time, with its part of the queue.
    assert shares["run-queue"] == pytest.approx(200 / 1000, abs=0.01)
    assert shares["garbage-collection"] == pytest.approx((0.3 * 400 + 400) / 1000, abs=0.01)
    alone = diagnose_result(document, cpu(collector_threads=frozenset((helper,)))).findings
    assert [row.cause for row in alone] == ["run-queue"]
    assert alone[0].cost_share == pytest.approx(0.6, abs=0.01)


def test_garbage_collection_names_the_runtime() -> None:
    result = diagnosis(BUSY, cpu(collections=(COLLECTION,)))
    assert causes_of(result) == ["garbage-collection"]
    assert "hotspot G1" in result.findings[0].sentence


def test_findings_are_in_order_of_cost_and_above_the_limit() -> None:
    rows = (
        cause("steal", "hypervisor", 100, ("main", 100)),
        cause("cpu", "neighbour", 200, ("main", 200)),
    )
    facts = Facts.of(msgspec.structs.replace(waits(BUSY), causes=rows), None)
    findings = find(facts)
    assert [row.cause for row in findings] == ["run-queue", "steal"]
    assert all(row.cost_share >= LEAST_COST for row in findings)


def test_every_rule_yields_nothing_for_a_recording_without_threads() -> None:
    facts = Facts.of(msgspec.structs.replace(waits(BUSY), groups=(), threads=()), None)
    assert [list(rule.find(facts)) for rule in RULES] == [[] for _ in RULES]


def test_the_queue_behind_the_target_is_told_from_that_behind_others() -> None:
    own = cause("cpu", "threads of the target", 150, ("main", 150))
    other = cause("cpu", "make", 100, ("main", 100))
    result = with_causes(own, other, text="main R(code)0-250 Q250-500")
    assert causes_of(result) == ["run-queue", "run-queue"]
    users = [[place.name for place in row.where] for row in result.findings]
    assert users == [["threads of the target"], ["make"]]
    assert [row.cost_share for row in result.findings] == pytest.approx([0.3, 0.2])


def test_a_stage_that_waits_for_a_cpu_is_no_stage_but_the_run_queue() -> None:
    queued = cause("run_queue", "middle", 480, ("last", 480), ("middle", 480))
    neighbour = cause("cpu", "neighbour", 200, ("middle", 200), ("neighbour", 200))
    result = with_causes(queued, neighbour, text=STAGE)
    assert causes_of(result) == ["run-queue"]
    assert result.findings[0].cost_share == pytest.approx(0.4, abs=0.01)  # at most twice its own
