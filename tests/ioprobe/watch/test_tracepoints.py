"""Block tracepoints: filters, layouts, and kernels without some of them."""

from pathlib import Path

import pytest

from ioprobe.watch.devices import WatchedDevice
from ioprobe.watch.tracepoints import block_tracepoints
from stallscope._native import BlockEvent
from stallscope.errors import UnableError, UsageError
from tests.ioprobe.block_pages import ISSUE, write_formats

SDA = WatchedDevice("sda", 8 << 20, bio_based=False, size_bytes=1, partitions=(8 << 20 | 1,))
ZRAM = WatchedDevice("zram0", 253 << 20, bio_based=True, size_bytes=1, partitions=())


def test_without_devices_only_flushes_are_filtered(tmp_path: Path) -> None:
    tracepoints = block_tracepoints(write_formats(tmp_path), None, [])
    assert tracepoints.filters["block/block_rq_issue"] == ""
    assert tracepoints.filters["block/block_getrq"] == 'rwbs ~ "F*"'
    assert tracepoints.missing == ()
    layouts = {kind: (number, fields) for number, kind, fields in tracepoints.layouts}
    number, fields = layouts[BlockEvent.ISSUE]
    assert number == ISSUE
    # device, sector, sectors, bytes, error (none), rwbs, comm
    assert fields == [(8, 4), (16, 8), (24, 4), (28, 4), (0, 0), (34, 10), (44, 16)]
    assert layouts[BlockEvent.SPLIT][1][2] == (0, 0)


def test_named_devices_are_in_the_filters(tmp_path: Path) -> None:
    tracepoints = block_tracepoints(write_formats(tmp_path), (SDA,), [])
    device_filter = "(dev == 8388608 || dev == 8388609)"
    assert tracepoints.filters["block/block_rq_complete"] == device_filter
    assert tracepoints.filters["block/block_getrq"] == f'rwbs ~ "F*" && {device_filter}'


def test_bio_based_devices_use_bio_events(tmp_path: Path) -> None:
    events = write_formats(tmp_path)
    tracepoints = block_tracepoints(events, (), [ZRAM])
    assert tracepoints.layouts == []
    assert tracepoints.missing == ("block/block_bio_queue", "block/block_bio_complete")


def test_missing_tracepoints_are_listed_or_refused(tmp_path: Path) -> None:
    events = write_formats(tmp_path / "few", without=("block_getrq", "block_split"))
    assert block_tracepoints(events, None, []).missing == ("block/block_getrq", "block/block_split")
    events = write_formats(tmp_path / "none", without=("block_rq_issue",))
    with pytest.raises(UnableError, match="no tracepoint block:block_rq_issue"):
        block_tracepoints(events, None, [])


def test_an_unknown_event_format_is_refused(tmp_path: Path) -> None:
    events = write_formats(tmp_path)
    path = events / "block" / "block_rq_issue" / "format"
    path.write_text(path.read_text().replace("sector_t sector", "sector_t position"))
    with pytest.raises(UnableError, match="has no field sector"):
        block_tracepoints(events, None, [])


def test_too_many_devices_for_a_filter_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exceed the limit of 128"):
        block_tracepoints(write_formats(tmp_path), (SDA,) * 65, [])
