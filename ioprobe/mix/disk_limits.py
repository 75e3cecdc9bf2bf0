"""The maximum rate of one kind of request, for io-properties.yaml.

Small random requests give requests per second, large sequential ones bytes per second, as in
seastar's iotune. Each kind is measured at three depths, and the best rate counts.
"""

from dataclasses import dataclass

from ioprobe.mix.measurement import MeasureMixStep
from ioprobe.mix.plan import KIB, MIB, MixStep

SMALL_BYTES, LARGE_BYTES = 4 * KIB, MIB
_SMALL_DEPTHS, _LARGE_DEPTHS = (8, 32, 128), (2, 8, 32)


@dataclass(frozen=True, slots=True)
class RequestKind:
    """Small random or large sequential requests of one direction."""

    writes: bool
    large: bool

    @property
    def pattern(self) -> str:
        """Return the engine's name of the pattern."""
        return "sequential" if self.large else "random"

    @property
    def block_bytes(self) -> int:
        """Return the size of a request."""
        return LARGE_BYTES if self.large else SMALL_BYTES

    @property
    def text(self) -> str:
        """Return the kind in words."""
        size = "1 MiB" if self.large else "4 KiB"
        return f"{size} {self.pattern} {'writes' if self.writes else 'reads'}"


def max_rate(kind: RequestKind, measure: MeasureMixStep, *, duration_s: float) -> float | None:
    """Return requests per second (small) or bytes per second (large); None if all runs failed."""
    rates: list[float] = []
    for depth in _LARGE_DEPTHS if kind.large else _SMALL_DEPTHS:
        read_share = 0.0 if kind.writes else 1.0
        step = MixStep(
            block_bytes=kind.block_bytes,
            depth=depth,
            read_share=read_share,
            rate_per_s=None,
            warmup_s=duration_s / 5,
            duration_s=duration_s,
            seed=depth,
            pattern=kind.pattern,
        )
        reading = measure(step)
        if reading is not None and not reading.failed:
            rates.append(reading.bytes_per_s if kind.large else reading.iops)
    return max(rates, default=None)
