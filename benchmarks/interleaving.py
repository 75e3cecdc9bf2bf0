"""Interleaved measurement of pairs."""

from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")


def sides(pairs: int) -> Iterator[str]:
    """Yield "ours" and "peer" once for each pair; every second pair starts with the peer."""
    for pair in range(pairs):
        yield from ("ours", "peer") if pair % 2 == 0 else ("peer", "ours")


def interleave(
    pairs: int, ours: Callable[[], T], peer: Callable[[], T]
) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """Return the readings of both sides, in the order of the pairs."""
    measure = {"ours": ours, "peer": peer}
    readings: dict[str, list[T]] = {"ours": [], "peer": []}
    for side in sides(pairs):
        readings[side].append(measure[side]())
    return tuple(readings["ours"]), tuple(readings["peer"])
