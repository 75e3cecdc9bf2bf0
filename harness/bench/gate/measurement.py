"""The measurement of a gate: shuffled blocks of base, base again and head."""

import random
from collections.abc import Callable
from contextlib import suppress

from harness.bench.gate.blocks import Block, Slot, planned_block
from harness.bench.gate.options import GateMetric, GateOptions
from harness.bench.run.measurement import CommandRunner
from stallscope.errors import TargetError
from stallscope.launcher import CompletedRun


class BlockMeasurement:
    """Measures blocks; with several builds, blocks take them in turn."""

    def __init__(
        self, runner: CommandRunner, options: GateOptions, on_block: Callable[[int], None]
    ) -> None:
        """Commands 2 k and 2 k + 1 of the runner are base and head of build k."""
        self._runner = runner
        self._options = options
        self._on_block = on_block
        self._random = random.Random(options.seed)  # noqa: S311 - an order, not a secret
        self.count = 0
        self.interrupted = False

    def warm_up(self) -> None:
        """Run every command the requested number of times."""
        for _ in range(self._options.warmup):
            for index in range(2 * self._options.builds):
                self._runner.run(index)

    def blocks(self, count: int) -> list[Block]:
        """Measure and return ``count`` blocks; fewer after Ctrl-C."""
        measured: list[Block] = []
        with suppress(KeyboardInterrupt):
            for _ in range(count):
                self._on_block(self.count)
                measured.append(self._block(self.count % self._options.builds))
                self.count += 1
            return measured
        self.interrupted = True
        return measured

    def _block(self, build: int) -> Block:
        values = {}
        for run in planned_block(self._random):
            index = 2 * build + (run.slot is Slot.HEAD)
            completed, _ = self._runner.run(index, padding_bytes=run.padding_bytes)
            values[run.slot] = metric_value(self._options.rule.metric, completed)
        return Block(
            base=values[Slot.BASE],
            base_again=values[Slot.BASE_AGAIN],
            head=values[Slot.HEAD],
            build=build,
        )


def metric_value(metric: GateMetric, completed: CompletedRun) -> float:
    """Return the measured quantity of a run; TargetError if it is 0, which has no logarithm."""
    value = {
        GateMetric.WALL: completed.wall_ns,
        GateMetric.CPU: 1000 * (completed.user_us + completed.system_us),
        GateMetric.MEMORY: completed.max_rss_bytes,
    }[metric]
    if value <= 0:
        raise TargetError(
            f"a run has no {metric}: the kernel reports 0", "let the command run longer"
        )
    return float(value)
