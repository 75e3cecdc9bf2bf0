"""Invented results of simulated governors."""

from harness.cstates.simulate.result import (
    ChoiceAgreement,
    SimulatedExits,
    SimulatedRow,
    SimulateResult,
)


def row(
    governor: str, agreement: ChoiceAgreement | None = None, per_s: float | None = 1.0
) -> SimulatedRow:
    return SimulatedRow(
        governor=governor,
        kernel="",
        intervals=10,
        entries=10,
        too_deep_share=0.25,
        too_shallow_share=0.5,
        exit_us=SimulatedExits(mean=3.14159, p50=1, p99=20, per_s=per_s),
        residency={"POLL": 0.25, "C1": 0.75},
        agreement=agreement,
    )


def result(*rows: SimulatedRow) -> SimulateResult:
    return SimulateResult(
        table="vm:haltpoll", trace="idle\x1b.csv", intervals=10, duration_s=1, tick="recorded",
        tick_hz=250, latency_limit_us=None, closed=(), rows=rows,
    )  # fmt: skip
