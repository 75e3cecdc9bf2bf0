"""The text of a recording of idle intervals."""

from harness.cstates.record.text import lines
from tests.harness.cstates.record.results import recording_of


def test_measured_and_declared_latency_are_in_the_same_row() -> None:
    text = "\n".join(lines(recording_of(100), 100))
    row = next(line for line in text.splitlines() if "ipi" in line).split()
    assert row[:4] == ["C6", "ipi", "100", "100"]
    assert abs(float(row[4]) - 140) < 2
    assert abs(float(row[5]) - 150) < 2
    assert row[-1] == "170"
