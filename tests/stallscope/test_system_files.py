"""Reading files that may be missing, malformed or endless."""

import os
from pathlib import Path

import pytest

from stallscope.system_files import (
    Roots,
    names_in,
    numbers_in,
    read_integer,
    read_text,
)


def test_text_is_stripped_and_decoded_with_replacement(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\xffb\n\0")
    assert read_text(tmp_path / "file") == "a\ufffdb"
    assert read_text(tmp_path / "none") is None
    assert read_text(tmp_path) is None


def test_reading_stops_at_the_limit() -> None:
    assert len(read_text(Path("/proc/self/environ"), 10) or "") <= 10
    assert read_text(Path("/dev/zero"), 100_000) == ""


def test_reading_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_text(tmp_path / "pipe") == ""


@pytest.mark.parametrize(
    ("text", "number"), [("7\n", 7), ("-1", -1), ("", None), ("max", None), ("1 2", None)]
)
def test_a_file_holds_an_integer_or_none(tmp_path: Path, text: str, number: int | None) -> None:
    (tmp_path / "file").write_text(text)
    assert read_integer(tmp_path / "file") == number


def test_a_missing_folder_has_no_names() -> None:
    assert names_in(Path("/nonexistent")) == ()


def test_only_the_default_roots_are_live(tmp_path: Path) -> None:
    assert Roots().is_live
    assert not Roots.recorded(tmp_path).is_live


def test_numbers_come_only_from_names_with_the_prefix(tmp_path: Path) -> None:
    for name in ("cpu10", "cpu2", "cpu", "cpufreq", "cpu\u0663", "cpu-1", "7", "cpu1a"):
        (tmp_path / name).touch()
    assert numbers_in(tmp_path, "cpu") == (2, 10)
    assert numbers_in(tmp_path, "") == (7,)
    assert numbers_in(tmp_path / "none", "cpu") == ()
