"""The document of an interval: shares add up, and what is missing is named."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.top import readings
from harness.top.readings import Reader, Reading, SampledStates
from harness.top.result import Missing, TopResult
from harness.top.snapshot import Context, snapshot
from tests.harness.top.machine import PID, Machine

SLOTS = Missing(part="slots and IPC", reason="no counters")


def between(machine: Machine, *, of_process: bool = True) -> tuple[Reader, Reading, Reading]:
    """Return two readings one second apart: 0.5 s run, 0.1 s queued, 20 reads of 2 ms."""
    reader = Reader(machine.roots, PID if of_process else None, "x86_64")
    reader.choose_threads()
    earlier = replace(reader.read(), at_s=10.0)
    machine.thread(40, "R", "running", run_ns=500_000_000, queue_ns=100_000_000)
    machine.write("proc/diskstats", machine.disk(120, 90))
    machine.write("proc/stat", "cpu 150 0 50 850 10 0 5 35\nprocs_running 1\n")
    machine.idle(250_000)
    return reader, earlier, replace(reader.read(), at_s=11.0)


def document(machine: Machine, *, of_process: bool = True) -> TopResult:
    states = SampledStates()
    states.counts.update({"poll": 3, "lock or condition": 1})
    target = (PID, "work") if of_process else None
    context = Context(target=target, functions=(), missing=(SLOTS,), cpu_share=0.01)
    return snapshot(*between(machine, of_process=of_process), states, context)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_wall_time_of_the_threads_adds_up(machine: Machine) -> None:
    result = document(machine)
    shares = {wait.category: (round(wait.share, 4), wait.source) for wait in result.waits}
    assert shares == {
        "running": (0.25, "measured"),
        "run queue": (0.05, "measured"),
        "poll": (0.525, "sampled"),
        "lock or condition": (0.175, "sampled"),
    }
    assert (result.threads, result.threads_read) == (2, 2)


def test_the_thread_that_runs_counts_even_if_it_was_not_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "MAX_THREADS", 1)
    reader = Reader(machine.roots, PID, "x86_64")
    reader.choose_threads()
    reader.choose_threads()  # now thread 41, which sleeps
    machine.process(cpu_ticks=0, threads=100)
    earlier = replace(reader.read(), at_s=10.0)
    machine.process(cpu_ticks=os.sysconf("SC_CLK_TCK"), threads=100)
    later = replace(reader.read(), at_s=11.0)
    context = Context(target=(PID, "work"), functions=(), missing=(), cpu_share=0)
    result = snapshot(reader, earlier, later, SampledStates(), context)
    shares = {wait.category: wait.share for wait in result.waits}
    assert shares["running"] == pytest.approx(0.01)
    assert result.verdict.startswith("1.00 of 100 threads on average: running")


def test_disks_and_sleep_states_are_rates_of_the_interval(machine: Machine) -> None:
    result = document(machine)
    (disk,) = result.disks
    assert (disk.reads_per_s, disk.read_latency_ms, disk.write_latency_ms) == (20.0, 2.0, None)
    assert [(state.state, state.share) for state in result.idle] == [("C1", 0.25)]


def test_without_a_process_the_cpus_are_shown(machine: Machine) -> None:
    result = document(machine, of_process=False)
    assert [(wait.category, wait.share) for wait in result.waits[:2]] == [
        ("user code", 0.5),
        ("idle", 0.5),
    ]
    assert result.threads is None


def test_missing_parts_are_named_and_not_zero(machine: Machine) -> None:
    for name in ("pressure/cpu", "diskstats"):
        (machine.folder / "proc" / name).write_text("")
    (machine.folder / "sys/devices/system/cpu/cpu0/cpuidle/state0/name").unlink()
    reader = Reader(machine.roots, PID, "x86_64")
    earlier = reader.read()
    later = replace(reader.read(), at_s=earlier.at_s + 1)
    context = Context(target=(PID, "work"), functions=(), missing=(SLOTS,), cpu_share=0)
    result = snapshot(reader, earlier, later, SampledStates(), context)
    parts = {gap.part for gap in result.missing}
    assert parts == {"slots and IPC", "waits", "sleep states", "disks", "pressure"}
    assert (result.idle, result.disks, result.waits) == ((), (), ())
    assert result.run_queue.cpu_pressure is None


def test_calls_that_are_not_readable_are_a_missing_part(machine: Machine) -> None:
    states = SampledStates(refused=3)
    states.counts["sleeping"] = 3
    context = Context(target=(PID, "work"), functions=(), missing=(), cpu_share=0)
    result = snapshot(*between(machine), states, context)
    assert [gap.part for gap in result.missing] == ["causes of waits"]
