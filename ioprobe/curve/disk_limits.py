"""The most a disk does of one kind of request: what io-properties.yaml holds.

Small random requests tell requests a second, large sequential ones bytes a second, as seastar's
iotune has it; each at three depths, of which the best counts.
"""

from dataclasses import dataclass

from ioprobe.mix.plan import KIB, MIB, MixStep
from ioprobe.mix.rounds import MixMeasure

SMALL_BYTES, LARGE_BYTES = 4 * KIB, MIB
_SMALL_DEPTHS, _LARGE_DEPTHS = (8, 32, 128), (2, 8, 32)


@dataclass(frozen=True, slots=True)
class Kind:
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
        """Return the kind as a person names it."""
        size = "1 MiB" if self.large else "4 KiB"
        return f"{size} {self.pattern} {'writes' if self.writes else 'reads'}"


def most_of(kind: Kind, measure: MixMeasure, *, duration_s: float) -> float | None:
    """Return requests a second of small, bytes a second of large ones; None where none passed."""
    rates: list[float] = []
    for depth in _LARGE_DEPTHS if kind.large else _SMALL_DEPTHS:
        share = 0.0 if kind.writes else 1.0
        step = MixStep(
            kind.block_bytes, depth, share, None, duration_s / 5, duration_s, depth, kind.pattern
        )
        found = measure(step)
        if found is not None and not found.failed:
            rates.append(found.bytes_per_s if kind.large else found.iops)
    return max(rates, default=None)
