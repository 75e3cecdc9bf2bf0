"""Measured wake-ups as evidence of what closing states gains."""

from collections.abc import Iterable
from dataclasses import dataclass

from cstates.wake_latency import WakeFinding, WakeVerdict

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


def evidence_from(verdicts: Iterable[WakeVerdict]) -> tuple[WakeEvidence, ...]:
    """Return the evidence in verdicts of measured wake-ups."""
    return tuple(
        WakeEvidence(verdict.test.name, verdict.setting.closed, verdict.finding, verdict.text)
        for verdict in verdicts
    )
