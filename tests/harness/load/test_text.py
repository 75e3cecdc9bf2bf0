"""A load on the terminal."""

import json
from typing import Any

from harness.load.text import lines, rate_text, second_line
from harness.workload.results import LoadResult, LoadSecond
from stallscope.documents import decode
from tests.harness.workload.fake_programs import LOADED


def text_of(**changes: Any) -> str:
    result = decode(json.dumps(LOADED | changes), LoadResult, "test")
    return "\n".join(lines(result, 100))


def test_the_table_has_all_distributions() -> None:
    text = text_of()
    assert "closed loop against 127.0.0.1:7379: 64 connections, pipeline 1" in text
    assert "achieved 3,012 requests/s; 36,000 requests, 0 errors" in text
    assert "warning: the loader shared its core" in text
    assert "send lag" in text
    assert "mean       p50       p90       p95       p99     p99.9       max" in text


def test_connections_that_could_not_be_opened_are_reported() -> None:
    assert "achieved 64 connections" in text_of()
    text = text_of(connections_achieved=48)
    assert "closed loop against 127.0.0.1:7379: 48 of 64 connections, pipeline 1" in text


def test_check_counts_are_printed_only_after_a_check() -> None:
    text = text_of(checked=1200, lost=0, doubled=0, reordered=0, foreign=0)
    assert "checked 1,200 replies: 0 lost, 0 doubled, 0 reordered, 0 foreign" in text
    assert "checked" not in text_of(checked=None)


def test_a_loader_that_was_the_bottleneck_is_reported() -> None:
    text = text_of(limited_by_loader=True, why="its core is full")
    assert "The loader itself was the bottleneck: its core is full" in text


def test_the_live_line_counts_errors() -> None:
    assert "7 requests/s, p50 5.5 µs" in second_line(LoadSecond(1.0, 7, 0, 5.5, 9.0))
    assert ", 2 errors" in second_line(LoadSecond(1.0, 7, 2, 5.5, 9.0))
    assert rate_text(None) == "n/a"
