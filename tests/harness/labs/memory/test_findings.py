"""Conclusions of the memory lab."""

from dataclasses import replace

from harness.labs.memory.findings import memory_findings
from harness.labs.memory.measurement import MemoryMeasurement, SectionReadings
from harness.labs.memory.options import MemoryOptions
from harness.labs.memory.plan import LabSection
from harness.labs.memory.points import Pages
from tests.harness.labs.memory.measurements import REFUSED, measurement, without


def test_levels_come_from_huge_pages_if_they_were_measured() -> None:
    findings = memory_findings(measurement())
    assert findings.levels_from is Pages.HUGE
    assert findings.huge_pages == "transparent (madvise)"
    assert findings.warnings == ()
    small = memory_findings(measurement(MemoryOptions(pages=(Pages.SMALL,))))
    assert small.levels_from is Pages.SMALL
    assert small.huge_pages == "not requested"
    assert "levels were detected in a curve with small pages" in small.warnings[0]


def test_counters_are_listed_or_refused_with_the_reason() -> None:
    assert memory_findings(measurement(counted=True)).counters == ("cycles", "instructions")
    refused = memory_findings(measurement())
    assert (refused.counters, refused.counters_refused) == ((), REFUSED)


def test_disturbed_rings_are_counted() -> None:
    lab = measurement()
    assert "rings were disturbed" in memory_findings(_disturbed(lab)).warnings[0]


def test_an_empty_measurement_has_no_levels() -> None:
    findings = memory_findings(without(measurement(), *LabSection))
    assert findings.levels_from is None
    assert all(row.level is None for row in findings.rows)


def _disturbed(lab: MemoryMeasurement) -> MemoryMeasurement:
    curve = lab.section(LabSection.CURVE)
    readings = tuple(
        replace(
            reading,
            threads=tuple(
                replace(thread, latency_ns=(min(thread.latency_ns), 9 * max(thread.latency_ns)))
                for thread in reading.threads
            ),
        )
        for reading in curve.readings
    )
    disturbed = SectionReadings(LabSection.CURVE, readings, (), "")
    return replace(lab, sections=(disturbed, *lab.sections[1:]))
