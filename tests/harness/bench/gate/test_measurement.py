"""The measurement of a gate: metrics, and Ctrl-C keeps finished blocks."""

import dataclasses

import pytest

from harness.bench.gate.measurement import BlockMeasurement, metric_value
from harness.bench.gate.options import GateMetric, gate_options
from stallscope.errors import TargetError
from stallscope.launcher import CompletedRun
from tests.harness.bench.gate.test_options import VALUES

RUN = CompletedRun(0, 0, 5_000, 2, 3, 4096, 0, 0, 0, 0, False, 0, False, b"")


class Runner:
    """Runs that end by Ctrl-C after a number of calls."""

    def __init__(self, limit: int) -> None:
        self.calls: list[tuple[int, int]] = []
        self.limit = limit

    def run(self, index: int, *, padding_bytes: int = 0) -> tuple[CompletedRun, bool]:
        if len(self.calls) == self.limit:
            raise KeyboardInterrupt
        self.calls.append((index, padding_bytes))
        return RUN, False


def test_metrics_are_values_of_a_run() -> None:
    assert metric_value(GateMetric.WALL, RUN) == 5_000
    assert metric_value(GateMetric.CPU, RUN) == 5_000
    assert metric_value(GateMetric.MEMORY, RUN) == 4096
    with pytest.raises(TargetError, match="the kernel reports 0"):
        metric_value(GateMetric.CPU, dataclasses.replace(RUN, user_us=0, system_us=0))


def test_ctrl_c_keeps_finished_blocks() -> None:
    runner = Runner(limit=7)
    measurement = BlockMeasurement(runner, gate_options(VALUES), [].append)  # type: ignore[arg-type]
    assert len(measurement.blocks(20)) == 2
    assert measurement.interrupted


def test_blocks_take_the_builds_in_turn() -> None:
    runner = Runner(limit=100)
    options = gate_options({**VALUES, "base": "a{build}", "head": "b{build}", "builds": 6})
    measurement = BlockMeasurement(runner, options, [].append)  # type: ignore[arg-type]
    assert [block.build for block in measurement.blocks(7)] == [0, 1, 2, 3, 4, 5, 0]
    assert sorted(index for index, _ in runner.calls[3:6]) == [2, 2, 3]
