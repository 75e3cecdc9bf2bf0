"""How much of a capture that ends too early is lost."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.profile.truncated_capture import truncation_warning
from stallscope.errors import RecordingError


def capture(at: int | None, *, samples: int = 10, end: int | None = None, switches: int = 0) -> Any:
    return SimpleNamespace(
        truncated_at=at, records_end=end, time_ns=[0] * samples, switch_time_ns=[0] * switches
    )


def recording(
    folder: Path, *, content: bytes = b"x" * 1000, samples: int = 0, written: int | None = None
) -> Any:
    """Return a recording; its manifest has a number of samples if it is not 0."""
    path = folder / "samples.perf"
    path.write_bytes(content)
    files = (SimpleNamespace(name="samples.perf", bytes=written),)
    manifest = SimpleNamespace(complete=True, samples=samples, files=files) if samples else None
    return SimpleNamespace(samples=path, manifest=manifest)


def test_a_whole_capture_has_no_warning(tmp_path: Path) -> None:
    assert truncation_warning(capture(None), recording(tmp_path)) == ()


@pytest.mark.parametrize(
    ("truncated", "samples", "lost"),
    [
        (capture(900), 0, "10.0 % of it"),  # of the bytes
        (capture(900), 40, None),  # 10 of 40 samples are readable
        (capture(900, samples=30), 40, "25.0 % of it"),
        (capture(900, end=1200), 0, "25.0 % of it"),
        (capture(1000), 0, "an unknown part of it"),
        (capture(900, samples=0), 0, None),
    ],
)
def test_a_capture_is_refused_if_most_of_it_is_lost(
    tmp_path: Path, truncated: Any, samples: int, lost: str | None
) -> None:
    source = recording(tmp_path, samples=samples)
    if lost is None:
        with pytest.raises(RecordingError, match="is truncated at offset 900"):
            truncation_warning(truncated, source)
    else:
        (warning,) = truncation_warning(truncated, source)
        assert f"{lost} is lost" in warning.message


def test_other_data_after_all_samples_is_no_loss(tmp_path: Path) -> None:
    content = b"x" * 900 + b"[ perf record: Woken up 1 times ]"
    (warning,) = truncation_warning(capture(900), recording(tmp_path, content=content))
    assert "all samples were read" in warning.message
    (warning,) = truncation_warning(capture(900, end=900), recording(tmp_path))
    assert "before the description of the host" in warning.message


def test_the_lost_part_of_a_recording_of_waits_is_that_of_its_bytes(tmp_path: Path) -> None:
    """Samples of switches are not in the manifest's number of samples."""
    cut = capture(900, samples=50, switches=100)
    (warning,) = truncation_warning(cut, recording(tmp_path, samples=40, written=1200))
    assert "25.0 % of it is lost" in warning.message
