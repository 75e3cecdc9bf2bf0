"""A disk that does so many requests a second, writes costing more, whatever their rates."""

from dataclasses import dataclass, field

from ioprobe.mix.cells import MixReading
from ioprobe.mix.plan import MixStep
from tests.ioprobe.server_model import latencies

KIB = 1024


@dataclass(slots=True)
class MixModel:
    """``reads`` and ``writes``: requests of 4 KiB a second alone; larger ones by their bytes."""

    reads: float = 100_000.0
    writes: float = 40_000.0
    steps: list[MixStep] = field(default_factory=list)

    def measure(self, step: MixStep) -> MixReading:
        self.steps.append(step)
        read, written = step.read_share, 1 - step.read_share
        cost_s = (read / self.reads + written / self.writes) * max(1, step.block_bytes / 65536)
        most = min(step.depth / 8, 1.0) / cost_s
        iops = min(most, step.rate_per_s or most)
        busy = min(0.99, iops * cost_s)
        mean_ns = 1e5 / (1 - busy)
        return MixReading(
            iops,
            iops * step.block_bytes,
            latencies(mean_ns) if read else None,
            latencies(2 * mean_ns) if written else None,
        )
