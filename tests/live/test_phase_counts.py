"""Counters of a process in the measured time that a load marks, on the real kernel."""

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.topdown.phase_counts import PhaseCounts, counted_phases, phase_events
from harness.workload.loader import running_load
from harness.workload.options import LoadOptions, ServerOptions
from harness.workload.server import process_cpu_s, running_server
from stallscope.errors import StallscopeError
from topdown.slots.measurement import Kind

pytestmark = pytest.mark.live
SOFTWARE = {"task-clock", "context-switches", "page-faults", "cpu-migrations"}

# Uses CPU time before and after the phase, and prints that of the phase.
MARKING = """
import socket, sys, time
marks = socket.socket(fileno=int(sys.argv[1]))
def busy(seconds):
    begin = time.process_time()
    while time.process_time() - begin < seconds: pass
    return time.process_time() - begin
def mark(word):
    marks.send(word); marks.recv(64)
sys.stdin.readline()
busy(0.3); mark(b'start\\n')
begin = time.process_time(); busy(0.1); phase = time.process_time() - begin
mark(b'stop\\n'); busy(0.3)
print(phase)
"""


def counted(counts: PhaseCounts) -> set[str]:
    return {item.event for item in counts.events if item.kind is Kind.MEASURED}


def test_counts_are_those_of_the_marked_phase() -> None:
    marks, theirs = socket.socketpair()
    with marks, theirs:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", MARKING, str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(theirs.fileno(),),
            text=True,
        )
        try:
            with counted_phases(phase_events(), (process.pid,)) as counting:
                # The program runs before the collector's socket exists, so its marks are copied.
                assert process.stdin is not None
                process.stdin.write("\n")
                process.stdin.close()
                theirs.close()
                while line := marks.recv(64):
                    os.write(counting.marks, line)
                    marks.send(os.read(counting.marks, 64))
                [counts] = counting.finish()
            assert process.stdout is not None
            with process.stdout as output:
                phase_s = float(output.read())
        finally:
            process.kill()
            process.wait()
    assert counts.count("task-clock") == pytest.approx(phase_s * 1e9, rel=0.1)
    assert counted(counts) >= SOFTWARE


def test_a_server_is_counted_in_the_measured_time_of_the_load(tmp_path: Path) -> None:
    events = phase_events(("cycles",))
    with running_server(ServerOptions(path="kv")) as server:
        options = LoadOptions(
            target=server.target, output=tmp_path, duration_s=0.2, warmup_s=0.6, connections=4
        )
        begin_s = process_cpu_s(server.pid)
        with counted_phases(events, (server.pid,)) as counting:
            with running_load(replace(options, phases=counting.marks)) as load:
                result = load.finish()
            [counts] = counting.finish()
        total_s = process_cpu_s(server.pid) - begin_s
    assert result.requests
    assert counted(counts) >= SOFTWARE
    assert 0.1 < counts.seconds < 0.6
    clock_ns = counts.count("task-clock")
    assert clock_ns is not None
    assert 0 < clock_ns < 0.7e9 * total_s
    if counts.unavailable:
        assert counts.ipc is None
        assert all(item.reason for item in counts.events if item.kind is Kind.UNAVAILABLE)
    else:
        assert counts.ipc


def test_a_process_that_has_ended_cannot_be_counted() -> None:
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    with (
        pytest.raises(StallscopeError, match="process"),
        counted_phases(phase_events(), (process.pid,)),
    ):
        pass
