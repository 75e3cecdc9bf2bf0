"""Which code stays in the first-level cache."""

from topdown.slots.modelled.callgrind_file import EVENTS, CallgrindProfile
from topdown.slots.modelled.footprint import footprint

HERE = 0x1000


def executed(counts: dict[int, int]) -> CallgrindProfile:
    result = CallgrindProfile()
    for address, count in counts.items():
        result.costs[address] = [count] + [0] * (len(EVENTS) - 1)
    return result


def test_code_that_fits_is_kept() -> None:
    kept = footprint(executed(dict.fromkeys(range(100), 50)), operations=100, targets=10)
    assert not any(kept.is_decoded(address) for address in range(100))


def test_of_a_round_that_does_not_fit_nothing_is_kept() -> None:
    kept = footprint(executed(dict.fromkeys(range(101), 50)), operations=100, targets=10)
    assert all(kept.is_decoded(address) for address in range(101))


def test_hot_code_is_kept_beside_much_that_is_cold() -> None:
    counts = dict.fromkeys(range(50), 10_000) | dict.fromkeys(range(50, 1000), 3)
    kept = footprint(executed(counts), operations=100, targets=10)
    assert not any(kept.is_decoded(address) for address in range(50))
    assert all(kept.is_decoded(address) for address in range(50, 1000))


def test_targets_of_jumps_and_calls_are_counted_together() -> None:
    result = executed({HERE: 100})
    result.jumps = {HERE: dict.fromkeys(range(8), 10)}
    result.calls = {HERE: dict.fromkeys(range(8, 16), 10)}
    assert footprint(result, operations=100, targets=15).loses_target(9)
    assert not footprint(result, operations=100, targets=16).loses_target(9)
