"""The accesses in traces of a capture."""

from pathlib import Path

from harness.data.session import data_of_recording
from harness.data.traces import traced_accesses
from stallscope._native import read_capture
from tests.captures.memory_capture import write_capture
from tests.harness.data.conftest import LINE, SHARED, THREADS
from tests.topdown.data.test_spe_packets import access as spe_access


def test_accesses_of_an_spe_trace_are_read(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    write_capture(path, [], traces=[spe_access(LINE) * 3, spe_access(LINE + 8, store=True)])
    result = data_of_recording(path)
    assert result.addresses is not None
    assert (result.addresses.accesses, len(result.addresses.lines)) == (4, 1)
    assert any("not resolved" in warning for warning in result.warnings)


def test_traces_of_another_kind_are_named(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    write_capture(path, SHARED, threads=THREADS, traces=[b"\x02\x82"], trace_kind=1)
    result = data_of_recording(path)
    assert any("not of Arm SPE" in warning for warning in result.warnings)
    assert result.addresses is not None


def test_a_capture_without_traces_has_no_traced_accesses(capture: Path) -> None:
    traced = traced_accesses(read_capture(capture), capture)
    assert (len(traced.accesses), traced.warnings) == (0, ())


def test_bytes_that_are_no_packets_are_named(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    write_capture(path, [], traces=[b"\xff" * 5 + spe_access(LINE)])
    traced = traced_accesses(read_capture(path), path)
    assert len(traced.accesses) == 1
    assert traced.warnings[0].startswith("5 bytes of the traces are not packets")
