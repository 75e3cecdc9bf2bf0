"""A model of a disk with a maximum rate of requests, in which writes cost more than reads."""

from dataclasses import dataclass, field

from ioprobe.mix.cells import CellReading
from ioprobe.mix.plan import MixStep
from tests.ioprobe.server_model import latencies

KIB = 1024


@dataclass(slots=True)
class MixModel:
    """Maximum rates of 4 KiB reads alone and writes alone; larger requests cost more."""

    reads: float = 100_000.0
    writes: float = 40_000.0
    steps: list[MixStep] = field(default_factory=list)

    def measure(self, step: MixStep) -> CellReading:
        self.steps.append(step)
        reads, writes = step.read_share, 1 - step.read_share
        cost_s = (reads / self.reads + writes / self.writes) * max(1, step.block_bytes / 65536)
        max_rate = min(step.depth / 8, 1.0) / cost_s
        iops = min(max_rate, step.rate_per_s or max_rate)
        busy = min(0.99, iops * cost_s)
        mean_ns = 1e5 / (1 - busy)
        return CellReading(
            iops,
            iops * step.block_bytes,
            latencies(mean_ns) if reads else None,
            latencies(2 * mean_ns) if writes else None,
        )
