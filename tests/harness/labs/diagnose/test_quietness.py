"""Load of the machine before a run."""

from pathlib import Path

import pytest

from harness.labs.diagnose import quietness
from harness.labs.diagnose.quietness import busy_share


def test_the_busy_share_is_that_of_all_cpus_between_two_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu 100 0 50 1000 9 0 0 0 0 0\n")

    def later(_: float) -> None:
        stat.write_text("cpu 150 10 70 2000 9 5 5 10 0 0\n")

    times = iter((10.0, 11.0))
    monkeypatch.setattr(quietness.time, "sleep", later)
    monkeypatch.setattr(quietness.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(quietness.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(quietness.os, "sysconf", lambda _: 100)
    assert busy_share(stat) == pytest.approx(0.5)
