"""Reading counters.jsonl: differences, scopes added up, and what strangers may have written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stallscope.errors import RecordingError
from tests.topdown.slots.counting.synthetic import START_NS, write_counters
from topdown.slots.counting.estimation import merged
from topdown.slots.counting.windows import SCHEMA, Windows, read_windows

HEADER = {
    "schema": SCHEMA,
    "groups": [{"group": 0, "events": ["cycles", "slots"], "scope": "pid"}],
    "window_ns": 100_000_000,
    "start_ns": START_NS,
}


def line(time: int, window: int, values: list[int], **more: Any) -> dict[str, Any]:
    row = {"t": START_NS + time, "g": 0, "w": window, "scope": {"pid": 1}, "v": values}
    return row | {"enabled": time, "running": time} | more


def read(folder: Path, *lines: dict[str, Any] | str) -> Windows:
    path = folder / "counters.jsonl"
    texts = [item if isinstance(item, str) else json.dumps(item) + "\n" for item in lines]
    path.write_text("".join(texts))
    return read_windows(path)


def test_cumulative_counts_become_windows(tmp_path: Path) -> None:
    path = write_counters(tmp_path, [["a", "b"], ["c"]], {"a": 800, "b": 16, "c": 8}, share=0.5)
    result = read_windows(path)
    first, second = result.groups
    assert first.events == ("a", "b")
    assert first.counts.sum(axis=0).tolist() == [400, 8]
    assert first.counts[:, 0].tolist() == [50] * 8
    assert second.counts.sum() == 4
    assert first.multiplexed
    assert first.running.sum() / first.enabled.sum() == pytest.approx(0.5)
    assert result.seconds == pytest.approx(1.0)
    assert result.warnings == ()


def test_without_a_start_time_the_first_read_is_a_start_value(tmp_path: Path) -> None:
    path = write_counters(tmp_path, [["a"]], {"a": 800})
    path.write_text(path.read_text().replace('"start_ns"', '"other"', 1))
    assert read_windows(path).groups[0].counts[:, 0].tolist() == [100] * 7


def test_scopes_are_added_up_and_late_ones_start_with_their_window(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        HEADER,
        line(100, 0, [10, 40]),
        line(200, 1, [20, 80]),
        line(200, 1, [7, 9], scope={"tid": 2}, enabled=50, running=25),
    )
    group = result.groups[0]
    assert group.counts.tolist() == [[10, 40], [17, 49]]
    assert group.enabled.tolist() == [100, 150]
    assert group.running.tolist() == [100, 125]
    assert group.start_s.tolist() == pytest.approx([0, 1e-7])


def test_an_incomplete_last_line_gives_a_warning_and_the_rest_is_kept(tmp_path: Path) -> None:
    result = read(tmp_path, HEADER, line(100, 0, [10, 40]), '{"t": 12')
    assert result.groups[0].counts.tolist() == [[10, 40]]
    assert "cut off" in result.warnings[0]


def test_a_decreasing_counter_removes_its_window(tmp_path: Path) -> None:
    result = read(
        tmp_path,
        HEADER,
        line(100, 0, [10, 40]),
        line(200, 1, [5, 50]),
        line(300, 2, [15, 60]),
    )
    assert result.groups[0].counts.tolist() == [[10, 40], [10, 10]]
    assert "a counter decreased" in result.warnings[0]


@pytest.mark.parametrize(
    ("lines", "expected_text"),
    [
        ((), "is empty"),
        (('{"schema": "other/1"}\n',), "expected the schema"),
        ((HEADER, "[1]\n", line(1, 0, [1, 2])), "Expected `object`"),
        ((HEADER, line(1, 0, [1])), "1 counts, expected 2"),
        ((HEADER, line(1, 0, [1, -2])), "exceeds 64 bits"),
        ((HEADER, line(1, 0, [1, 2**65])), "exceeds 64 bits"),
        ((HEADER, line(1, 0, [1, 2], g=7)), "unknown group 7"),
        ((HEADER, line(1, 0, [1, 2], running=5)), "running exceeds enabled"),
        ((HEADER, line(1, 0, [1, 2], w=-1)), "w`"),
        ((HEADER, line(1, 0, [1, 2], scope={"pid": [1]})), "scope"),
        ((HEADER, line(1, 0, [1, 2], v="12")), "Expected `array`"),
        ((HEADER, "x" * 70_000 + "\n"), "a line of 70000 bytes"),
        (({"schema": SCHEMA, "groups": [{"events": ["a", "a"]}]},), "an event twice"),
    ],
)
def test_an_invalid_file_is_one_error(
    tmp_path: Path, lines: tuple[Any, ...], expected_text: str
) -> None:
    with pytest.raises(RecordingError, match=expected_text):
        read(tmp_path, *lines)


@given(st.binary(max_size=400))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_give_windows_or_one_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "counters.jsonl"
    path.write_bytes(json.dumps(HEADER).encode() + b"\n" + content)
    try:
        result = read_windows(path)
    except RecordingError as error:
        assert error.remedy
    else:
        assert len(result.groups) == 1


def test_short_windows_are_put_together(tmp_path: Path) -> None:
    path = write_counters(tmp_path, [["a"]], {"a": 1100}, windows=11, seconds=0.22)
    group = merged(read_windows(path).groups[0])
    assert group.counts[:, 0].tolist() == [300, 300, 500]
    assert np.all(group.end_s - group.start_s >= 0.05)
    assert group.enabled.sum() == pytest.approx(0.22e9)
