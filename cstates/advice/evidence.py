"""Measured wake-ups as evidence of what closing states gains."""

from dataclasses import dataclass

from cstates.wake_latency import WakeFinding

_INCONCLUSIVE = frozenset(
    {WakeFinding.TOO_FEW, WakeFinding.WITHOUT_EFFECT, WakeFinding.NOT_COUNTED}
)


@dataclass(frozen=True, slots=True)
class WakeEvidence:
    """The result of one wake-up test with these states closed."""

    test: str
    closed: tuple[str, ...]
    finding: WakeFinding
    text: str

    @property
    def conclusive(self) -> bool:
        """Return whether the test has a verdict, including "nothing to gain"."""
        return self.finding not in _INCONCLUSIVE
