"""Associativity of invented caches."""

from harness.labs.memory.associativity import CacheWays, find_ways
from harness.labs.memory.findings import memory_findings
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import LabSection
from tests.harness.labs.memory.measurements import CACHES, KIB, measurement


def test_the_number_and_size_of_cache_ways_are_detected() -> None:
    assert memory_findings(measurement()).ways == (
        CacheWays(1, fits=8, exceeds=9, way_bytes=4 * KIB, sysfs_ways=8),
        CacheWays(2, fits=8, exceeds=9, way_bytes=128 * KIB, sysfs_ways=8),
    )


def test_odd_strides_evict_no_line() -> None:
    lab = measurement(MemoryOptions(strides=(4160, 65600)))
    assert memory_findings(lab).ways == ()
    assert {reading.min_ns for reading in lab.section(LabSection.STRIDES).readings} == {1.0}


def test_without_levels_there_is_no_associativity() -> None:
    assert find_ways(measurement().section(LabSection.STRIDES).readings, (), CACHES) == ()
