"""Blocks of a gate: base, base again and head, in random order, and their differences.

All values are natural logarithms of the measured quantity, so that differences are ratios.
"""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from stallscope.documents import Amount, Count, Record
from stallscope.statistics.signed_ranks import hodges_lehmann


class Slot(IntEnum):
    """The place of a run in its block's data; base and base again are the same command."""

    BASE = 0
    BASE_AGAIN = 1
    HEAD = 2


class Block(Record, frozen=True, kw_only=True):
    """The runs of a block, in the unit of the metric."""

    base: Amount
    base_again: Amount
    head: Amount
    build: Count = 0  # of both sides, from 0

    @property
    def difference(self) -> float:
        """Return log(head) minus the mean of both logarithms of base."""
        return math.log(self.head) - (math.log(self.base) + math.log(self.base_again)) / 2

    @property
    def control(self) -> float:
        """Return the difference of base to itself: the A/A control."""
        return math.log(self.base_again) - math.log(self.base)


def build_differences(blocks: Iterable[Block]) -> list[float]:
    """Return the estimated difference of each build: blocks of one build share its placement."""
    by_build: dict[int, list[float]] = {}
    for block in blocks:
        by_build.setdefault(block.build, []).append(block.difference)
    return [hodges_lehmann(differences) for differences in by_build.values()]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of a block: its place, and the bytes that it adds to the environment.

    The size of the environment moves the stack, which changes the time of some programs by
    more than a change does. Random sizes make it a part of the measured spread.
    """

    slot: Slot
    padding_bytes: int


def planned_block(generator: random.Random) -> Iterator[PlannedRun]:
    """Yield the runs of a block in random order."""
    slots = list(Slot)
    generator.shuffle(slots)
    for slot in slots:
        yield PlannedRun(slot, 1 + generator.randrange(4096))
