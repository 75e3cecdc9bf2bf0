import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.benchmark_text.results import read_benchmarks, sources_of
from stallscope.benchmark_text.writer import configuration_line, result_line


@pytest.fixture
def read(tmp_path):
    def read_text(text, *more):
        path = tmp_path / "bench.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_benchmarks([str(path), *more])

    return read_text


def test_values_are_held_in_base_units_by_series(read):
    results = read(
        "goos: linux\nBenchmarkGet-8 100 12.5 ns/op 3 MB/s\nBenchmarkGet-8 100 13.5 ns/op\n"
    )
    assert results.names == ["Get-8"]
    assert results.values(0).tolist() == [12.5 * 1e-9, 13.5 * 1e-9]
    assert results.values(1).tolist() == [3e6]
    assert results.configurations == [{"goos": "linux"}]
    assert [results.units[unit] for unit in results.units_of_series()] == ["sec/op", "B/s"]


def test_bad_lines_are_named_with_file_and_line_and_the_rest_is_read(read):
    results = read(
        "BenchmarkA x 5 ns/op\nBenchmarkB 10 5\nBenchmarkC 1 1e400 x\nBenchmarkD 1 2 x # a comment\nBenchmarkE\nUnit x y\n"
    )
    assert [(problem.line, problem.message) for problem in results.problems] == [
        (1, "parsing iteration count: invalid syntax"),
        (2, "missing units"),
        (3, "parsing measurement: value out of range"),
        (6, "expected key=value"),
    ]
    assert results.names == ["D"]


def test_a_long_line_is_skipped_and_named(read):
    results = read(b"BenchmarkA 1 2 x\nBenchmark" + b"B" * (3 << 20) + b" 1 2 x\nBenchmarkC 1 3 x")
    assert results.names == ["A", "C"]
    assert str(results.problems[0]).endswith(
        "bench.txt:2: the line is longer than 1 MiB and is not read"
    )


def test_an_endless_line_ends_the_reading_of_its_file(read):
    results = read("BenchmarkA 1 2 x\n", "/dev/zero")
    assert results.names == ["A"]
    assert "/dev/zero:1: a line without an end" in str(results.problems[0])


def test_missing_files_and_directories_are_named(read, tmp_path):
    (tmp_path / "empty").mkdir()
    results = read("BenchmarkA 1 2 x\n", "/no/such/file", str(tmp_path / "empty"))
    assert [str(p) for p in results.problems] == [
        "/no/such/file: No such file or directory",
        f"{tmp_path}/empty: is a directory without bench.txt",
    ]
    assert all(problem.is_file for problem in results.problems)


def test_a_deleted_key_is_replaced_by_the_last_one(read):
    results = read("a: 1\nb: 2\nc: 3\na:\nBenchmarkX 1 1 y\n")
    assert list(results.configurations[0].items()) == [("c", "3"), ("b", "2")]


def test_zero_keeps_the_unit_as_written_for_the_reference_only(read):
    results = read("BenchmarkX 1 0 ns/op\nBenchmarkX 1 5 ns/op\n")
    assert [results.units[unit] for unit in results.units_of_series()] == ["ns/op", "sec/op"]
    assert {results.units[unit] for unit in results.units_of_series(keep_unscaled=False)} == {
        "sec/op"
    }


def test_names_need_not_be_utf8(read):
    results = read(b"BenchmarkA\xff 1 2 x\n")
    assert results.names == [os.fsdecode(b"A\xff")]


def test_sources_have_labels_and_repeated_paths_numbers():
    labels = [source.label for source in sources_of(["a", "new=b", "a"])]
    assert labels == ["a#0", "new", "a#1"]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_failure(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(b"Benchmark" + content)
    results = read_benchmarks([str(path)])
    assert len(results.problems) <= 301


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_written_values_are_read_back(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("written") / "x"
    lines = [
        configuration_line("host", "a b"),
        *(result_line("A b", 1, {"x": value}) for value in values),
    ]
    path.write_text("\n".join(lines))
    results = read_benchmarks([str(path)])
    assert results.names == ["A_b"]
    assert results.values(0).tolist() == values


def test_of_a_recording_its_benchmark_lines_are_read(tmp_path):
    (tmp_path / "bench.txt").write_text("BenchmarkGet 1 5 ns/op\n")
    assert read_benchmarks([f"new={tmp_path}"]).names == ["Get"]
