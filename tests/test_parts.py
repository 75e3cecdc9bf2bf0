"""Which part of ./dev test runs a test."""

from pathlib import Path

import pytest

from tests.parts import parts_of_file


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("house/test_words.py", "", {"plain"}),
        ("harness/io/test_recording.py", "@pytest.mark.live\n", {"plain", "alone"}),
        ("live/test_collect_ends.py", "pytestmark = pytest.mark.live\n", {"beside"}),
        ("live/disk/test_known_answers.py", "pytestmark = pytest.mark.live\n", {"alone"}),
        ("live/disk/test_silent_disk.py", "pytestmark = pytest.mark.live\n", {"beside"}),
        ("live/test_kernels_arm64.py", "", {"built"}),
        ("unwind/test_whole_stacks.py", "pytestmark = pytest.mark.live\n", {"built"}),
        ("pmu_guest/test_counts.py", "pytestmark = pytest.mark.pmu\n", {"guest"}),
        ("house/test_arm64.py", "", {"guest"}),
        ("tools/packages/test_installation.py", "", {"beside"}),
    ],
)
def test_the_parts_of_a_file_follow_from_its_path_and_marks(
    name: str, text: str, parts: set[str]
) -> None:
    assert parts_of_file(Path(name), text) == parts
