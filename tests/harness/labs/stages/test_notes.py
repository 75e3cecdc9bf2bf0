"""Notes on a measurement of the stages lab."""

from dataclasses import replace
from pathlib import Path

from harness.labs.stages.measurement import Replays
from harness.labs.stages.notes import stages_notes
from harness.labs.stages.plan import LoadLevel
from tests.harness.labs.stages.measurements import SETTINGS, measurement


def test_an_interruption_comes_first(tmp_path: Path) -> None:
    interrupted = replace(measurement(tmp_path), interrupted=True)
    assert next(stages_notes(interrupted)).startswith("Interrupted")


def test_a_rate_that_was_not_reached_is_noted(tmp_path: Path) -> None:
    lab = measurement(tmp_path)
    slow = tuple(
        replace(reading, throughput_per_s=reading.throughput_per_s / 2)
        if reading.run.load == LoadLevel(0.9)
        else reading
        for reading in lab.readings
    )
    notes = list(stages_notes(replace(lab, readings=slow)))
    assert any("10 of 10 runs did not reach the requested rate (minimum 50%" in n for n in notes)


def test_machine_settings_and_missing_parts_are_noted(tmp_path: Path) -> None:
    lab = replace(
        measurement(tmp_path),
        settings=SETTINGS,
        replays=Replays(None, None, "", "no valgrind"),
    )
    notes = list(stages_notes(lab))
    assert "Less repeatable: C6 open (170 us), entered 9 times." in notes
    assert "Simulated instruction cache: unavailable: no valgrind" in notes
    assert "Slots and IPC: unavailable: this machine has no hardware counters" in notes
