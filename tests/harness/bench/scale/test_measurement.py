"""Commands at counts."""

import sys

import pytest

from harness.bench.scale.measurement import measure, run_order
from harness.bench.scale.options import RunOptions, Work
from stallscope.errors import TargetError

PRINTS = (sys.executable, "-S", "-c", "print('BenchmarkX 1', {n}*100, 'req/s 2 ms/req')")


def test_every_second_round_is_reversed() -> None:
    options = RunOptions(PRINTS, (1, 2, 4), rounds=3)
    assert list(run_order(options)) == [1, 2, 4, 4, 2, 1, 1, 2, 4]


def test_printed_rates_are_read() -> None:
    readings, unit, warnings = measure(RunOptions(PRINTS, (1, 3), rounds=1, warmup=0), None)
    assert [(item.count, item.throughput) for item in readings] == [(1, 100), (3, 300)]
    assert all(item.busy is not None and item.busy > 0 for item in readings)
    assert (unit, warnings) == ("req/s", [])


def test_without_lines_throughput_is_runs_per_second() -> None:
    command = (sys.executable, "-S", "-c", "{n}")
    total, unit, _ = measure(RunOptions(command, (2,), rounds=1, warmup=0), None)
    assert unit == "runs/s"
    options = RunOptions(command, (10**6,), rounds=1, warmup=0, work=Work.PER_THREAD)
    assert measure(options, None)[0][0].throughput > 100 * total[0].throughput


@pytest.mark.parametrize(
    ("code", "options", "message"),
    [
        ("import sys; sys.exit('broken {n}')", {}, "exit status 1: broken 1"),
        ("import time; time.sleep(60 * {n})", {"timeout_s": 0.2}, "did not end within 0.2 s"),
    ],
)  # fmt: skip
def test_failures_end_the_measurement_unless_ignored(code, options, message) -> None:
    command = (sys.executable, "-S", "-c", code)
    with pytest.raises(TargetError, match=message):
        measure(RunOptions(command, (1,), rounds=1, warmup=0, **options), None)
    with pytest.raises(TargetError, match="no run of the command was measured"):
        measure(RunOptions(command, (1,), 1, 0, ignore_failure=True, **options), None)


def test_a_missing_unit_or_program_is_named() -> None:
    with pytest.raises(TargetError, match="no benchmark line with the unit B/s"):
        measure(RunOptions(PRINTS, (1,), rounds=1, warmup=0), "B/s")
    with pytest.raises(TargetError, match="there is no program"):
        measure(RunOptions(("/nowhere/{n}",), (1,)), None)


def test_processes_left_behind_are_ended_and_named() -> None:
    command = ("/bin/sh", "-c", "sleep 60 >/dev/null 2>&1 & echo {n}")
    _, _, warnings = measure(RunOptions(command, (1,), rounds=1, warmup=0), None)
    assert warnings == ["The command left processes behind, which were ended."]
