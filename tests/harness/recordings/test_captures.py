"""Captures of recordings, and where their symbols are searched."""

from pathlib import Path

import pytest

from harness.recordings.captures import check_has_samples, read_samples, symbol_sources
from stallscope.errors import RecordingError
from stallscope.recordings import open_recording
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.unwinding.tables import UnwindTables

CAPTURES = Path(__file__).parents[2] / "captures"


def test_a_perf_data_file_is_read_and_dated_by_its_modification() -> None:
    recording = open_recording(CAPTURES / "file.perf")
    sources = symbol_sources(recording)
    assert (sources.recording, sources.boot_id) == (None, None)
    assert sources.recorded_ns == (CAPTURES / "file.perf").stat().st_mtime_ns
    check_has_samples(recording)
    assert len(read_samples(recording, UnwindTables(sources)).stack) > 0


def test_a_damaged_capture_is_named_with_the_offset(tmp_path: Path) -> None:
    damaged = tmp_path / "perf.data"
    damaged.write_bytes(b"PERFILE2" + b"\xff" * 200)
    with pytest.raises(RecordingError, match="at offset") as raised:
        read_samples(open_recording(damaged), UnwindTables(SymbolSources()))
    assert raised.value.remedy
