import os
import subprocess
import sys
import time

from harness.continuous.meter import RecorderMeter

_BUSY = """
import time
while time.process_time() < 0.2: pass
print(1, flush=True)
input()
"""


def test_the_time_of_a_child_counts_while_it_runs_and_after_its_end_once() -> None:
    meter = RecorderMeter()
    before_s = meter.cpu_s()
    with subprocess.Popen(
        [sys.executable, "-c", _BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in meter.descendants()
        running_s = meter.cpu_s() - before_s
        child.communicate(b"\n")
    ended_s = meter.cpu_s() - before_s
    assert 0.2 <= running_s <= ended_s
    assert ended_s - running_s < 0.2, "it is not counted twice"


def test_this_process_counts_and_the_largest_memory_is_kept() -> None:
    meter = RecorderMeter()
    of_children = os.times().children_user + os.times().children_system
    assert abs(meter.cpu_s() - time.process_time()) < of_children + 10
    assert meter.read_memory() > 1_000_000
    assert meter.memory_bytes > 1_000_000
