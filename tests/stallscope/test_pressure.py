"""Pressure stall information: reading, and thresholds by totals."""

from pathlib import Path

import pytest

from stallscope.errors import UnableError
from stallscope.pressure import Pressure, PressureMonitor, PressureThreshold, read_pressure
from stallscope.system_files import Roots


def _write(roots: Roots, total_us: int, recent: float = 1.5) -> None:
    folder = roots.proc / "pressure"
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("io").write_text(
        f"some avg10={recent} avg60=0.00 avg300=0.00 total={total_us}\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=3\n"
    )


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    """Return a machine with a pressure of I/O."""
    roots = Roots.recorded(tmp_path)
    _write(roots, 100)
    return roots


def _monitor(roots: Roots) -> PressureMonitor:
    return PressureMonitor(PressureThreshold("io", "some", 0.2, 2.0), roots)


def test_a_pressure_is_a_share_and_a_total(roots: Roots) -> None:
    assert read_pressure("io", "some", roots) == Pressure(0.015, 100)
    assert read_pressure("io", "full", roots) == Pressure(0.0, 3)
    assert read_pressure("cpu", "some", roots) is None


@pytest.mark.parametrize("text", ["", "some\n", "some avg10=x total=1\n", "some avg10=1\n"])
def test_a_damaged_line_is_no_pressure(roots: Roots, text: str) -> None:
    (roots.proc / "pressure" / "io").write_text(text)
    assert read_pressure("io", "some", roots) is None


def test_the_totals_are_compared_within_the_window(roots: Roots) -> None:
    monitor = _monitor(roots)
    _write(roots, 1_000_000)
    assert not monitor.exceeded(0.0)  # earlier stalls do not count
    _write(roots, 1_300_000)
    assert not monitor.exceeded(1.0)  # 0.3 s of 2 s
    _write(roots, 1_450_000)
    assert monitor.exceeded(2.0)  # 0.45 s of 2 s
    assert not monitor.exceeded(10.0)  # none since then


def test_without_the_right_to_poll_events_the_monitor_has_no_descriptor(roots: Roots) -> None:
    monitor = _monitor(roots)
    (roots.proc / "pressure" / "io").chmod(0o400)
    monitor.open()  # root may write to the file, and a file gives no events
    monitor.close()
    assert monitor.descriptor is None


def test_a_kernel_without_pressure_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnableError, match="reports no pressure of io") as caught:
        _monitor(Roots.recorded(tmp_path)).open()
    assert "psi=1" in caught.value.remedy
