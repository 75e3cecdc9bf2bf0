"""The points that a probe measures."""

from dataclasses import replace

import pytest

from harness.io.probe.options import CACHED_S, ProbeOptions, ReadPath, selected_read_path
from stallscope.errors import UsageError

OPTIONS = ProbeOptions("/srv", duration_s=9.0)


def test_direct_reads_last_for_the_whole_duration() -> None:
    point = OPTIONS.point(ReadPath.DIRECT)
    assert (point.depth, point.duration_s, point.engine) == (1, 9.0, "uring")
    assert OPTIONS.target.need_direct


def test_cached_reads_are_short_unless_they_are_measured_alone() -> None:
    assert OPTIONS.point(ReadPath.CACHED).duration_s == CACHED_S
    alone = replace(OPTIONS, read_path=ReadPath.CACHED)
    assert alone.point(ReadPath.CACHED).duration_s == 9.0
    assert not alone.target.need_direct


def test_each_block_of_a_span_is_read_once_into_the_page_cache() -> None:
    point = OPTIONS.caching_point(65_536)
    assert (point.most_requests, point.pattern) == (16, "sequential")


def test_cached_excludes_direct_reads() -> None:
    assert selected_read_path("both", cached=True) is ReadPath.CACHED
    assert selected_read_path("direct", cached=False) is ReadPath.DIRECT
    with pytest.raises(UsageError, match="exclude each other"):
        selected_read_path("direct", cached=True)
