"""Readings from benchmark lines."""

import pytest

from harness.bench.scale.benchmark_lines import (
    base_unit,
    lines_of_file,
    lines_of_output,
    rate_unit,
    readings_of_names,
)
from stallscope.errors import RecordingError

GO = """goos: linux
BenchmarkGet-1 100 1000 ns/op 5 B/op
BenchmarkGet-8 800 200 ns/op
BenchmarkPut-1 100 9 ns/op
BenchmarkBad-1 x 9 ns/op
PASS
"""


def _read(text: str, **options):
    options = {"name": None, "unit": None} | options
    return readings_of_names(lines_of_output(text.encode(), "b.txt"), "b.txt", **options)


def test_a_time_with_threads_is_that_of_all_together() -> None:
    readings, name, unit = _read(GO, name="Get")
    assert [item.count for item in readings] == [1, 8]
    assert [item.throughput for item in readings] == pytest.approx([1e6, 5e6])
    assert (name, unit) == ("Get", "op/s")


def test_a_time_with_clients_is_that_of_one() -> None:
    text = "Benchmarkzwrk.go·1 1 217 us/object\nBenchmarkzwrk.go·4 1 434 us/object\n"
    readings, name, unit = _read(text)
    assert readings[1].throughput == pytest.approx(4 / 434e-6)
    assert readings[1].response_s == pytest.approx(434e-6)
    assert (name, unit) == ("zwrk.go", "object/s")


def test_a_rate_is_preferred_to_a_time_and_mean_is_the_response_time() -> None:
    text = "BenchmarkLoad-2 1 50 req/s 40000 mean-us 7 ns/op"
    (reading,), _, unit = _read(text)
    assert (reading.throughput, unit) == (50, "req/s")
    assert reading.response_s == pytest.approx(0.04)
    assert _read(text, unit="ns/op")[2] == "op/s"


def test_several_benchmarks_need_a_name() -> None:
    with pytest.raises(RecordingError, match="2 benchmarks with counts in their names: Get, Put"):
        _read(GO)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("BenchmarkGet 1 5 ns/op", {}, "0 benchmarks with counts"),
        (GO, {"name": "Get", "unit": "req/s"}, "no value of the unit req/s"),
        ("BenchmarkGet-1 1 0 ns/op", {}, "b.txt: Get-1: 0 .* is not a time"),
        ("BenchmarkGet-1 1 NaN ns/op", {}, "b.txt: Get-1: nan sec/op"),
    ],
)  # fmt: skip
def test_unusable_lines_are_named(text, options, message) -> None:
    with pytest.raises(RecordingError, match=message):
        _read(text, **options)


def test_units_of_rates() -> None:
    assert [rate_unit(unit) for unit in ("ns/op", "sec/req", "MB/s")] == ["op/s", "req/s", "MB/s"]


def test_lines_of_a_file_that_cannot_be_read_are_named(tmp_path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("BenchmarkGet-1 1 5 ns/op\nBenchmarkGet-2 x 5 ns/op\n")
    lines, problems = lines_of_file(path)
    assert [line.name for line in lines] == ["Get-1"]
    assert problems[0].startswith(f"{path}:2:")
    with pytest.raises(RecordingError, match="cannot read"):
        lines_of_file(tmp_path / "missing.txt")


def test_times_are_held_in_seconds() -> None:
    assert base_unit("ns/op") == "sec/op"
    assert base_unit(None) is None
