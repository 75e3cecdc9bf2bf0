from pathlib import Path

import pytest

from harness.diagnose.readings.file import FILE, ReadingsWriter, read_readings
from stallscope.errors import RecordingError
from tests.harness.diagnose.machines import header, idle, reading


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    writer = ReadingsWriter(tmp_path, header(path_disks=("vda",)))
    writer.add(reading(0, idle=idle(0)))
    writer.add(reading(1))
    content = read_readings(tmp_path)  # before close: each line is written at once
    writer.close()
    assert content is not None
    assert content.header.path_disks == ("vda",)
    assert content.rows == (reading(0, idle=idle(0)), reading(1))


def test_a_line_that_was_cut_off_is_ignored(tmp_path: Path) -> None:
    writer = ReadingsWriter(tmp_path, header())
    writer.add(reading(0))
    writer.close()
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes() + b'{"monotonic_ns":1')
    content = read_readings(tmp_path)
    assert content is not None
    assert len(content.rows) == 1


def test_a_damaged_line_is_an_error_with_its_number(tmp_path: Path) -> None:
    writer = ReadingsWriter(tmp_path, header())
    writer.close()
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(RecordingError, match="line 2"):
        read_readings(tmp_path)


def test_a_recording_without_readings_has_none(tmp_path: Path) -> None:
    assert read_readings(tmp_path) is None
    (tmp_path / FILE).touch()
    assert read_readings(tmp_path) is None


def test_a_symbolic_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("kept")
    (tmp_path / FILE).symlink_to(elsewhere)
    ReadingsWriter(tmp_path, header()).close()
    assert elsewhere.read_text() == "kept"
