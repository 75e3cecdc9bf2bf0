"""The data of captures with addresses, synthesized from the documented layout."""

from pathlib import Path

import pytest

from harness.data.session import NO_ADDRESSES, data_of_recording
from stallscope.errors import RecordingError
from tests.captures.memory_capture import (
    HIT_MEMORY,
    LOAD,
    REMOTE,
    Access,
    Node,
    write_capture,
)
from tests.harness.data.conftest import LINE, SHARED, THREADS

CAPTURES = Path(__file__).parents[2] / "captures"


def test_false_sharing_is_reported_with_the_threads(capture: Path) -> None:
    result = data_of_recording(capture)
    assert result.addresses is not None
    (pair,) = result.addresses.false_sharing
    assert (pair.address, pair.first.offset, pair.second.offset) == (LINE, 0, 8)
    assert (pair.first.threads, pair.second.threads) == (("writer (11)",), ("reader (12)",))
    assert pair.modified == 20


def test_levels_have_counts_and_latency(capture: Path) -> None:
    result = data_of_recording(capture)
    assert result.addresses is not None
    levels = {row.level: row for row in result.addresses.levels}
    assert (levels["L1"].stores, levels["L1"].mean_latency) == (20, None)
    assert (levels["L3"].loads, levels["L3"].mean_latency) == (20, 90)
    assert result.addresses.misses == 20
    assert result.addresses.nodes is None


def test_memory_accesses_are_counted_by_node(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    near = Access(0x1000, LOAD | HIT_MEMORY, cpu=0, latency=200, physical=0x10_0000)
    far = Access(0x2000, LOAD | HIT_MEMORY | REMOTE, cpu=0, latency=400, physical=0x50_0000)
    unknown = Access(0x3000, LOAD | HIT_MEMORY, cpu=5)
    nodes = [Node(0, "0-1", [0, 1, 2]), Node(1, "2-3", [4, 5])]
    write_capture(path, [near, near, far, unknown], threads=THREADS, nodes=nodes)
    result = data_of_recording(path)
    assert result.addresses is not None
    assert result.addresses.nodes is not None
    pairs = {(row.cpu_node, row.memory_node): row for row in result.addresses.nodes}
    assert (pairs[0, 0].accesses, pairs[0, 0].mean_latency) == (2, 200)
    assert (pairs[0, 1].accesses, pairs[0, 1].mean_latency) == (1, 400)
    assert result.addresses.unknown_nodes == 1


def test_a_recording_without_addresses_says_how_to_record_them() -> None:
    result = data_of_recording(CAPTURES / "file.perf")
    assert (result.addresses, result.addresses_missing) == (None, NO_ADDRESSES)
    assert result.hot_loads.samples > 0


def test_an_empty_capture_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    write_capture(path, [])
    with pytest.raises(RecordingError, match="empty"):
        data_of_recording(path)


@pytest.mark.parametrize("length", range(0, 2000, 97))
def test_a_capture_cut_short_gives_one_error_or_the_rest(tmp_path: Path, length: int) -> None:
    path, cut = tmp_path / "perf.data", tmp_path / "cut.data"
    write_capture(path, SHARED, threads=THREADS, nodes=[Node(0, "0", [0])])
    cut.write_bytes(path.read_bytes()[:length])
    try:
        assert data_of_recording(cut).addresses is not None
    except RecordingError as error:
        assert error.remedy
