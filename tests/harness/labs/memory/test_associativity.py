"""Associativity, where it is known."""

from harness.labs.memory.associativity import Ways, find_ways
from harness.labs.memory.findings import conclude
from harness.labs.memory.plan import LabOptions, Section
from tests.harness.labs.memory.results import CACHES, KIB, results


def test_ways_and_the_size_of_one_are_found() -> None:
    assert conclude(results()).ways == (
        Ways(1, fits=8, exceeds=9, way_bytes=4 * KIB, told=8),
        Ways(2, fits=8, exceeds=9, way_bytes=128 * KIB, told=8),
    )


def test_odd_strides_evict_nothing() -> None:
    found = results(LabOptions(strides=(4160, 65600)))
    assert conclude(found).ways == ()
    assert {each.least_ns for each in found.section(Section.STRIDES).measured} == {1.0}


def test_without_levels_nothing_is_concluded() -> None:
    assert find_ways(results().section(Section.STRIDES).measured, (), CACHES) == ()
