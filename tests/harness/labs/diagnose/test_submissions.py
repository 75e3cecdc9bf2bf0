"""Requests that are submitted without waiting."""

from pathlib import Path

import pytest

from harness.labs.diagnose.submissions import BLOCK, Submissions


def test_requests_are_submitted_until_the_allowed_number_is_in_flight(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(8 * BLOCK))
    try:
        reads = Submissions(file, 2, 8)
        submitted = sum(reads.submit() for _ in range(50))
    except OSError as error:
        pytest.skip(f"needs the kernel's AIO and a file that can be read directly: {error}")
    assert submitted >= 2
