"""The rules of `harness/diagnose/findings` that read disks, memory, idle states and frequency."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from harness.diagnose.build import diagnose_result
from harness.diagnose.disk_waits import DiskWaits
from harness.diagnose.facts import Measurements
from harness.diagnose.findings.own_queue import LEAVING_IDLE, TARGET
from harness.diagnose.kernel_ways import KernelTime
from harness.diagnose.path_probe import PathProbe
from harness.diagnose.readings.activity import CpuFrequency, MachineActivity
from harness.diagnose.result import DiagnoseResult, Finding
from harness.diagnose.spins import Spin
from harness.waits.result import QueueUser
from tests.harness.diagnose.diagnoses import (
    BUSY,
    LOCKED,
    causes_of,
    cpu,
    measured,
    waits,
    with_causes,
)
from tests.harness.diagnose.machines import disk, machine, state
from tests.harness.waits.waits_results import MS, cause, lock

DISK = cause("disk", "disk", 200, ("main", 200), ("disk", 200))
DEEP = disk(mean_in_flight=64.0, max_in_flight=80, busy_share=0.95)


def evidence(finding: Finding) -> dict[str, float]:
    return {row.name: row.value for row in finding.evidence}


def test_a_deep_queue_is_told_from_a_slow_disk() -> None:
    result = measured(DISK, machine=machine(disks=(DEEP,)))
    assert causes_of(result) == ["disk-queue"]  # the rest of the waits is below the limit
    finding = result.findings[0]
    assert finding.cost_share == pytest.approx(0.4 * (1 - 8 / 64))
    assert ("disk", "vda") in [(place.kind, place.name) for place in finding.where]
    assert evidence(finding)["requests in flight, mean while busy"] == 64.0


def test_a_slow_disk_with_few_requests_has_no_deep_queue() -> None:
    result = measured(DISK, machine=machine(disks=(disk(),)))
    assert causes_of(result) == ["slow-disk"]
    assert evidence(result.findings[0])["mean time of a read on vda"] == 4000.0


def test_a_deep_queue_of_a_disk_that_the_target_does_not_wait_for_is_no_cause() -> None:
    assert causes_of(measured(machine=machine(disks=(DEEP,)))) == []


def test_a_deep_queue_of_another_disk_than_that_of_the_path_is_no_cause() -> None:
    of_path = machine({"path_disks": ("vda",)}, disks=(disk(), replace(DEEP, name="vdb")))
    assert causes_of(measured(DISK, machine=of_path)) == ["slow-disk"]


def test_a_deep_queue_that_does_not_delay_a_read_beside_it_is_no_cause() -> None:
    probe = PathProbe("/srv", "vda", "table", 90, p50_us=110.0, p99_us=200.0, idle_p50_us=100.0)
    fast = measured(DISK, machine=machine(disks=(DEEP,)), probe=probe)
    assert causes_of(fast) == ["slow-disk"]
    assert ("directory", "/srv") in [(place.kind, place.name) for place in fast.findings[0].where]
    slow = measured(DISK, machine=machine(disks=(DEEP,)), probe=replace(probe, p50_us=2000.0))
    assert causes_of(slow) == ["disk-queue"]
    assert slow.findings[0].confidence > 0.8


def test_waits_in_submission_are_stalls() -> None:
    stalls = DiskWaits(admission_ns=150 * MS, submission_ns=160 * MS, waits=9, threads=("main",))
    result = measured(DISK, disk=stalls)
    assert causes_of(result) == ["submission-stalls"]
    assert "until the queue has room" in result.findings[0].sentence
    appending = replace(stalls, admission_ns=0)
    assert "inside the filesystem" in measured(DISK, disk=appending).findings[0].sentence


def test_waits_for_the_completion_of_requests_are_no_submission_stalls() -> None:
    assert causes_of(measured(DISK, disk=DiskWaits(flush_ns=200 * MS))) == ["slow-disk"]


FAULTS = "main R(code)0-300 W(disk,read)300-500"


def with_page_faults(**measurements: Any) -> DiagnoseResult:
    """Return the diagnosis of a thread that waits for pages, not for reads, of a disk."""
    from harness.diagnose.build import diagnose_result
    from harness.diagnose.facts import Measurements
    from tests.harness.diagnose.diagnoses import waits

    document = waits(FAULTS)
    (group,) = document.groups
    states = {**group.states_ns, "page_fault": 200 * MS, "disk_read": 0, "disk_write": 0}
    import msgspec

    document = msgspec.structs.replace(
        document, causes=(DISK,), groups=(msgspec.structs.replace(group, states_ns=states),)
    )
    return diagnose_result(document, None, None, Measurements(**measurements))


def test_waits_for_pages_are_paging_and_not_a_slow_disk() -> None:
    result = with_page_faults()
    assert causes_of(result) == ["paging"]
    assert "mapped files" in result.findings[0].sentence
    counters = machine(memory={"pswpin": 500, "pswpout": 900}, major_faults=500)
    swapped = with_page_faults(machine=counters)
    assert "swapped out" in swapped.findings[0].sentence
    assert evidence(swapped.findings[0])["pages swapped in"] == 500


def test_cpu_time_in_swapping_is_paging_even_without_waits() -> None:
    swapping = cpu(swapping=KernelTime(0.3, (), (("touch", 0.3),)))
    result = measured(cpu=swapping)
    assert causes_of(result) == ["paging"]
    assert ("function", "touch") in [(p.kind, p.name) for p in result.findings[0].where]


def test_cpu_time_of_major_faults_is_paging_and_that_of_minor_faults_is_not() -> None:
    faults = cpu(page_faults=KernelTime(0.6, (), (("read", 0.6),)))
    major = measured(cpu=faults, machine=machine(minor_faults=10, major_faults=9990))
    assert causes_of(major) == ["paging"]
    assert "faults for which a page is read" in str(major.findings[0].evidence)
    both = measured(cpu=faults, machine=machine(minor_faults=4000, major_faults=6000))
    assert causes_of(both) == ["paging", "page-faults"]
    assert both.findings[0].cost_share == pytest.approx(1.5 * both.findings[1].cost_share)


def test_minor_faults_are_not_paging() -> None:
    faults = cpu(page_faults=KernelTime(0.5, (), (("fill", 0.5),)))
    result = measured(cpu=faults, machine=machine(minor_faults=10_000, major_faults=0))
    assert causes_of(result) == ["page-faults"]
    assert evidence(result.findings[0])["minor faults of the target"] == 10_000


IDLE = cause("cpu", LEAVING_IDLE, 150, ("main", 150), (LEAVING_IDLE, 150))
SLEEPING = machine(
    {"idle_driver": "intel_idle", "idle_governor": "menu"},
    states=(state("POLL", 10, 0.001, 0), state("C6", 5000, 0.6, 133)),
)


def test_wake_ups_from_sleep_states_are_told_from_the_run_queue() -> None:
    result = measured(IDLE, machine=SLEEPING)
    assert causes_of(result) == ["sleep-states"]
    assert "C6" in result.findings[0].sentence
    assert evidence(result.findings[0])["exit latency of C6"] == 133
    busy = cause("cpu", "neighbour", 150, ("main", 150), ("neighbour", 150))
    assert causes_of(measured(busy, machine=SLEEPING)) == ["run-queue"]


def test_cpus_that_only_poll_have_no_wake_ups_from_sleep_states() -> None:
    polling = machine(states=(state("POLL", 5000, 0.6, 0), state("C6", 0, 0.0, 133)))
    assert causes_of(measured(IDLE, machine=polling)) == []
    assert causes_of(measured(IDLE)) == []


def test_wake_ups_of_threads_that_wait_for_a_lock_are_a_cost_of_the_lock() -> None:
    woken = cause("cpu", LEAVING_IDLE, 300, ("w", 300), (LEAVING_IDLE, 300))
    document = waits(LOCKED)
    both = msgspec.structs.replace(document, causes=(*document.causes, woken))
    findings = diagnose_result(both, None, None, Measurements(machine=SLEEPING)).findings
    assert [row.cause for row in findings] == ["user-lock"]
    assert findings[0].cost_share == pytest.approx((960 + 300) / 1500, abs=0.01)


OWN_QUEUE = QueueUser(
    kind="target", name=TARGET, pid=None, cgroup=None, time_ns=200 * MS, beside_idle_ns=180 * MS
)


def queued_beside_idle(fewest_cpus: int | None) -> DiagnoseResult:
    queue = cause("cpu", TARGET, 200, ("main", 200), (TARGET, 200))
    document = msgspec.structs.replace(
        waits("main R(code)0-300 Q300-500"), causes=(queue,), run_queue=(OWN_QUEUE,)
    )
    activity = machine(fewest_cpus=fewest_cpus)
    return diagnose_result(document, None, None, Measurements(machine=activity))


def test_threads_that_share_a_cpu_beside_an_idle_one_need_no_more_cpus() -> None:
    assert causes_of(queued_beside_idle(2)) == []  # of two CPUs


@pytest.mark.parametrize("fewest_cpus", [1, None])
def test_an_idle_cpu_is_of_no_use_to_pinned_threads(fewest_cpus: int | None) -> None:
    result = queued_beside_idle(fewest_cpus)
    assert causes_of(result) == ["run-queue"]
    assert result.findings[0].cost_share == pytest.approx(0.4)


def slow_cpus(fastest: float, **changes: Any) -> MachineActivity:
    rows = (CpuFrequency("policy0", round(2e6 * fastest), 3_000_000, 2_000_000),)
    return machine(frequencies=rows, fastest_share=fastest, **changes)


def test_a_frequency_below_the_base_is_named_with_its_reason() -> None:
    result = measured(machine=slow_cpus(0.6, hot_s=4.0))
    assert causes_of(result) == ["frequency-drop"]
    assert "heat" in result.findings[0].sentence
    assert result.findings[0].cost_share == pytest.approx(0.4, abs=0.01)
    unknown = measured(machine=slow_cpus(0.6)).findings[0]
    assert (unknown.rating or 1) < (result.findings[0].rating or 0)


def test_slow_cpus_of_a_target_that_hardly_runs_are_no_frequency_drop() -> None:
    text = "main R(code)0-200 W(timer,sleep)200-500"
    assert causes_of(measured(text=text, machine=slow_cpus(0.5))) == []
    assert causes_of(measured(machine=slow_cpus(0.95))) == []


HERD = ("thundering herd: a wake-up wakes 8.0 threads, and 90% of the waits follow",)
FUTEX = cpu(system_calls=KernelTime(0.8, (("futex", 0.8),), (("wait", 0.8),)))


def herd(kind: str, **measurements: Any) -> DiagnoseResult:
    row = lock(kind=kind, owner=None, woken_per_wake_up=8.0, waiters=8, signs=HERD)
    document = msgspec.structs.replace(waits(BUSY), locks=(row,))
    return diagnose_result(document, None, None, Measurements(**measurements))


def test_threads_that_wake_in_vain_are_a_herd_and_no_system_call_storm() -> None:
    result = herd("condition", cpu=FUTEX)
    assert causes_of(result) == ["thundering-herd"]
    assert result.findings[0].cost_share == pytest.approx(0.7, abs=0.01)
    futex = herd("futex", cpu=FUTEX).findings[0]
    assert (futex.rating or 1) < (result.findings[0].rating or 0)


def test_a_mutex_wakes_one_thread_per_release_and_has_no_herd() -> None:
    assert causes_of(herd("mutex", cpu=FUTEX)) == []


def test_a_broadcast_that_costs_little_is_no_finding() -> None:
    quiet = cpu(system_calls=KernelTime(0.02, (("futex", 0.02),), ()))
    assert causes_of(herd("condition", cpu=quiet)) == []


def test_a_convoy_is_told_from_a_lock_whose_owner_computes() -> None:
    row = lock(wait_ns=200 * MS, signs=("convoy: 3.0 threads wait at a time",), waiters=4)
    assert causes_of(with_causes(locks=(row,))) == ["lock-convoy"]
    assert causes_of(with_causes(locks=(lock(wait_ns=200 * MS),))) == []


def test_threads_that_pause_in_a_loop_spin_and_explain_the_queue_behind_them() -> None:
    queue = cause("cpu", "threads of the target", 200, ("main", 200))
    result = measured(queue, cpu=cpu(), spins=(Spin("take", 0.7, 4),))
    assert causes_of(result) == ["spinning", "run-queue"]
    assert result.findings[0].cost_share == pytest.approx(0.7 + 0.7 * 0.4, abs=0.02)
    assert result.findings[1].cost_share == pytest.approx(0.3 * 0.4, abs=0.02)
    assert causes_of(measured(queue, cpu=cpu())) == ["run-queue"]


def test_stolen_and_throttled_time_have_the_kernels_counters_as_evidence() -> None:
    counters = machine(steal_share=0.2, throttled=(100, 60))
    stolen = measured(cause("steal", "hypervisor", 200, ("main", 200)), machine=counters)
    assert evidence(stolen.findings[0])["stolen time of all CPUs"] == 0.2
    stopped = measured(cause("throttle", "/limited", 200, ("main", 200)), machine=counters)
    assert evidence(stopped.findings[0])["of them throttled"] == 60
