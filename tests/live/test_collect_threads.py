"""Samples of threads and processes, compared with their CPU clocks."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.live

# Not a divisor of the scheduler's tick: at 999 Hz samples and time slices synchronize, and if two
# threads share a CPU, the samples of both go to the same thread.
FREQUENCY_HZ = 1733


def test_samples_of_two_threads_equal_their_cpu_times(start_target, record, perf) -> None:
    target = start_target("busy", 2)
    recording = record("-p", target.pid, "--duration", 0.8, "-F", FREQUENCY_HZ)
    truth = target.end()
    assert recording.exit_code == 0, recording.messages
    counter = recording.document["counter"]
    assert recording.document["losses"]["lost_samples"] == 0
    # Within 2 %; under other load the kernel drops more, and the recording has a warning.
    assert counter["sampled"] <= 1.02 * counter["value"]
    short = counter["sampled"] < 0.98 * counter["value"]
    assert short == ("samples-short-of-counter" in recording.warnings())
    assert counter["sampled"] > 0.85 * counter["value"]
    sampled = perf.sampled_ns(recording)
    assert set(sampled) <= set(truth)
    assert sum(sampled.values()) == counter["sampled"]
    # CPU time before the attach and after the end is not sampled: no thread has more.
    for tid, (_, cpu_ns) in truth.items():
        assert 0 < sampled[tid] <= cpu_ns * 1.05


def test_samples_of_a_thread_from_start_to_end_equal_its_cpu_time(
    record, target_program, perf
) -> None:
    recording = record("-F", FREQUENCY_HZ, "--", target_program, "spin", 1000)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["end"] == {"reason": "target ended", "target_status": {"exited": 0}}
    sampled = perf.sampled_ns(recording)
    assert len(sampled) == 1
    assert sum(sampled.values()) == pytest.approx(1e9, rel=0.04)


@pytest.mark.parametrize(("mode", "life_ms"), [("churn", 4), ("churn", 20), ("chain", 5)])
def test_threads_created_while_attaching_are_counted_once(
    start_target, record, perf, mode: str, life_ms: int
) -> None:
    target = start_target(mode, life_ms)
    recording = record("-p", target.pid, "--duration", 1, "-F", FREQUENCY_HZ)
    truth = target.end()
    assert recording.exit_code == 0, recording.messages
    assert "attach-unsettled" not in recording.warnings()
    opened = recording.document["attach"]["opened_monotonic_ns"]
    settled = recording.document["attach"]["settled_monotonic_ns"]
    end = recording.document["clocks"]["end_monotonic_ns"]
    sampled = perf.sampled_ns(recording)
    for first, last in ((opened, settled), (settled, end - 20 * life_ms * 1_000_000)):
        started = {tid: cpu for tid, (start, cpu) in truth.items() if first <= start < last}
        truth_ns = sum(started.values())
        sampled_ns = sum(sampled[tid] for tid in started)
        # A thread's last, incomplete period is in no sample: half a period on average.
        cut_ns = len(started) * 1e9 / FREQUENCY_HZ
        assert truth_ns - cut_ns - 0.1 * truth_ns <= sampled_ns <= 1.1 * truth_ns + 3e6
    whole = sum(cpu for start, cpu in truth.values() if start >= settled)
    assert whole > 0


def test_five_thousand_threads_are_recorded_through_a_filter(
    needs_root, start_target, record, perf
) -> None:
    target = start_target("sleep", 5000)
    recording = record("-p", target.pid, "--duration", 1)
    truth = target.end()
    assert recording.exit_code == 0, recording.messages
    assert recording.document["attach"]["mode"] == "per-cpu filtered"
    assert recording.document["attach"]["threads"] == 5003
    assert "per-cpu-filtered" in recording.warnings()
    samples = perf.samples(recording)
    assert {sample.pid for sample in samples} == {target.pid}
    assert {sample.tid for sample in samples} == set(truth)
    assert len(samples) == recording.document["samples"]


def test_a_process_that_exits_at_once_is_recorded(record, target_program) -> None:
    recording = record("--", target_program, "spin", 0)
    assert recording.exit_code in (0, 5)
    assert recording.document["complete"] is True
    assert recording.document["end"]["target_status"] == {"exited": 0}


def test_hundreds_of_children_are_recorded(start_target, start_collector, perf) -> None:
    target = start_target("fork", 400, 2)
    collection = start_collector("-p", target.pid, "-F", FREQUENCY_HZ)
    collection.wait_for("started")
    target.go()
    truth = target.end()
    recording = collection.end()
    assert recording.exit_code == 0
    assert recording.document["end"]["reason"] == "target ended"
    assert len(truth) == 400
    # The hypervisor may stop a CPU for the whole life of a child: its clock goes on, no timer expires in it.
    forks = perf.text("script", "-i", recording.samples_file, "--show-task-events", "-G")
    assert set(truth) <= {int(pid) for pid in re.findall(r"PERF_RECORD_FORK\((\d+):", forks)}
    sampled = perf.sampled_ns(recording)
    assert len([pid for pid in truth if pid not in sampled]) <= 0.02 * len(truth)
    truth_ns = sum(cpu for _, cpu in truth.values())
    assert sum(sampled[pid] for pid in truth if pid in sampled) == pytest.approx(truth_ns, rel=0.25)


def test_a_deleted_binary_keeps_its_build_id(
    start_target, record, perf, target_program: Path, tmp_path: Path
) -> None:
    program = tmp_path / "short lived"
    shutil.copy(target_program, program)
    target = start_target("light", 1, program=program)
    program.unlink()
    recording = record("-p", target.pid, "--duration", 0.5)
    assert recording.exit_code == 0, recording.messages
    expected = build_id_of(target_program)
    maps = perf.text("script", "-i", recording.samples_file, "--show-mmap-events", "-G")
    assert any(expected in line and "short lived" in line for line in maps.splitlines())


def test_a_binary_in_another_mount_namespace_keeps_its_build_id(
    needs_root, own_mounts, start_target, record, perf, target_program: Path, tmp_path: Path
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    script = f'mount -t tmpfs none "{inside}" && cp "{target_program}" "{inside}/hidden" && exec "{inside}/hidden" busy 1'
    target = start_target("-c", script, program=Path("/bin/sh"), before=own_mounts)
    assert not (inside / "hidden").exists()
    recording = record("-p", target.pid, "--duration", 0.5)
    assert recording.exit_code == 0, recording.messages
    maps = perf.text("script", "-i", recording.samples_file, "--show-mmap-events", "-G")
    expected = build_id_of(target_program)
    assert any(expected in line and "hidden" in line for line in maps.splitlines())


def build_id_of(program: Path) -> str:
    """The build id as printed by binutils."""
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True)
    return next(
        line.split()[-1]
        for line in notes.stdout.splitlines()
        if line.strip().startswith("Build ID")
    )


def test_whole_cpus_are_recorded(needs_root, start_target, record, perf) -> None:
    cpu = max(os.sched_getaffinity(0))
    target = start_target("light", 2, before=("taskset", "-c", str(cpu)))
    recording = record("-C", cpu, "--duration", 0.5)
    assert recording.exit_code == 0, recording.messages
    assert recording.document["target"]["cpus"] == str(cpu)
    assert target.pid in {sample.pid for sample in perf.samples(recording)}
    used = perf.text("script", "-i", recording.samples_file, "-G", "-F", "cpu").split()
    assert set(used) == {f"[{cpu:03}]"}


def test_a_cgroup_is_recorded(needs_root, start_target, record, perf) -> None:
    root = next(
        (
            Path(p)
            for p in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")
            if (Path(p) / "cgroup.procs").exists()
        ),
        None,
    )
    if root is None:
        pytest.skip("needs the kernel's unified cgroup hierarchy, mounted")
    group = root / f"stallscope-test-{os.getpid()}"
    group.mkdir()
    try:
        inside, outside = start_target("light", 1), start_target("light", 1)
        (group / "cgroup.procs").write_text(str(inside.pid))
        recording = record("-G", group.name, "--duration", 0.5)
        assert recording.exit_code == 0, recording.messages
        assert recording.document["target"]["pids"] == [inside.pid]
        assert {sample.pid for sample in perf.samples(recording)} == {inside.pid}
        assert {sample.comm for sample in perf.samples(recording)} == {"target"}
        inside.end()
        outside.end()
    finally:
        group.rmdir()
