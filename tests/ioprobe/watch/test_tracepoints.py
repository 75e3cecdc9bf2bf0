"""Which tracepoints are asked for, their filters, and kernels that lack some."""

from pathlib import Path

import pytest

from ioprobe.watch.devices import WatchedDevice
from ioprobe.watch.tracepoints import block_tracepoints
from stallscope._native import BlockEvent
from stallscope.errors import UnableError, UsageError
from tests.ioprobe.block_pages import ISSUE, write_formats

SDA = WatchedDevice("sda", 8 << 20, bio_based=False, size_bytes=1, partitions=(8 << 20 | 1,))
ZRAM = WatchedDevice("zram0", 253 << 20, bio_based=True, size_bytes=1, partitions=())


def test_all_requests_are_asked_for_without_a_filter_but_for_flushes(tmp_path: Path) -> None:
    points = block_tracepoints(write_formats(tmp_path), None, [])
    assert points.filters["block/block_rq_issue"] == ""
    assert points.filters["block/block_getrq"] == 'rwbs ~ "F*"'
    assert points.missing == ()
    layouts = {kind: (number, fields) for number, kind, fields in points.layouts}
    number, fields = layouts[BlockEvent.ISSUE]
    assert number == ISSUE
    # device, sector, sectors, bytes, error (none), rwbs, comm
    assert fields == [(8, 4), (16, 8), (24, 4), (28, 4), (0, 0), (34, 10), (44, 16)]
    assert layouts[BlockEvent.SPLIT][1][2] == (0, 0)


def test_named_devices_are_filtered_by_the_kernel(tmp_path: Path) -> None:
    points = block_tracepoints(write_formats(tmp_path), (SDA,), [])
    wanted = "(dev == 8388608 || dev == 8388609)"
    assert points.filters["block/block_rq_complete"] == wanted
    assert points.filters["block/block_getrq"] == f'rwbs ~ "F*" && {wanted}'


def test_devices_without_requests_are_followed_by_their_bios(tmp_path: Path) -> None:
    events = write_formats(tmp_path)
    points = block_tracepoints(events, (), [ZRAM])
    assert points.layouts == []
    assert points.missing == ("block/block_bio_queue", "block/block_bio_complete")


def test_what_a_kernel_lacks_is_told(tmp_path: Path) -> None:
    events = write_formats(tmp_path / "few", without=("block_getrq", "block_split"))
    assert block_tracepoints(events, None, []).missing == ("block/block_getrq", "block/block_split")
    events = write_formats(tmp_path / "none", without=("block_rq_issue",))
    with pytest.raises(UnableError, match="no tracepoint block:block_rq_issue"):
        block_tracepoints(events, None, [])


def test_a_record_of_another_shape_is_refused(tmp_path: Path) -> None:
    events = write_formats(tmp_path)
    path = events / "block" / "block_rq_issue" / "format"
    path.write_text(path.read_text().replace("sector_t sector", "sector_t place"))
    with pytest.raises(UnableError, match="has no field sector"):
        block_tracepoints(events, None, [])


def test_more_devices_than_a_filter_takes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="more than a filter takes"):
        block_tracepoints(write_formats(tmp_path), (SDA,) * 65, [])
