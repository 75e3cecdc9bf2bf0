"""The maximum rate of one kind of request."""

import pytest

from ioprobe.mix.cells import CellReading
from ioprobe.mix.disk_limits import RequestKind, max_rate
from ioprobe.mix.plan import MixStep


def reading(step: MixStep, *failed: str) -> CellReading:
    return CellReading(100.0 * step.depth, 4096.0 * step.depth, None, None, failed)


def test_small_requests_give_requests_per_second_and_large_ones_bytes() -> None:
    small, large = RequestKind(writes=False, large=False), RequestKind(writes=True, large=True)
    assert (small.text, large.text) == ("4 KiB random reads", "1 MiB sequential writes")
    assert max_rate(small, reading, duration_s=1) == 100 * 128
    assert max_rate(large, reading, duration_s=1) == 4096 * 32


def test_a_failed_run_does_not_count() -> None:
    def measure(step: MixStep) -> CellReading | None:
        if step.depth == 32:
            return None
        return reading(step, *(["late"] if step.depth == 128 else []))

    assert max_rate(RequestKind(writes=False, large=False), measure, duration_s=1) == 800


def test_without_a_valid_run_the_rate_is_unknown() -> None:
    kind = RequestKind(writes=True, large=False)
    assert max_rate(kind, lambda _: None, duration_s=1) is None


@pytest.mark.parametrize("writes", [False, True])
def test_runs_have_one_direction_and_a_warm_up(writes: bool) -> None:
    steps: list[MixStep] = []

    def measure(step: MixStep) -> CellReading:
        steps.append(step)
        return reading(step)

    max_rate(RequestKind(writes=writes, large=False), measure, duration_s=2)
    assert {step.read_share for step in steps} == {0.0 if writes else 1.0}
    assert {(step.warmup_s, step.duration_s) for step in steps} == {(0.4, 2)}
