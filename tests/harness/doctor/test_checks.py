"""Single checks on machines that differ in a single property."""

from harness.doctor.checks import FOR_PROFILES, first_remedy
from harness.doctor.result import DoctorResult
from harness.doctor.text import lines
from harness.machine_checks.check import Check, Status, available, limited, unavailable


def closing_lines(checks: list[Check]) -> list[str]:
    """Return the lines after the checks."""
    text = lines(DoctorResult(checks=tuple(checks)), 100)
    return text[text.index("") + 1 :]


def test_the_first_remedy_is_the_most_important_for_profiles() -> None:
    checks = [
        unavailable("tracefs", "x", "mount it"),
        limited("kernel-symbols", "x", "show them"),
        available("collector", "x", "not needed"),
    ]
    assert first_remedy(checks, FOR_PROFILES) == "show them"
    assert closing_lines(checks) == ["1 available, 1 limited, 1 unavailable", "Do first: show them"]
    assert closing_lines(checks[:1])[1:] == [
        "Ready for: stallscope profile -p PID",
        "For more: mount it",
    ]
    assert closing_lines([Check("pmu", Status.AVAILABLE, "x")])[1:] == [
        "Ready for: stallscope profile -p PID"
    ]
