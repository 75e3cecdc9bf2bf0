"""Rows by cluster and data set: time per operation, and requests per second."""

from msgspec import structs

from harness.bench.matrix.sections import MatrixRow, sections
from harness.bench.plan.commands import MatrixPlace
from harness.bench.run.result import BenchRunResult
from tests.harness.bench.run.test_result import bench_result


def matrix_result() -> BenchRunResult:
    result = bench_result()
    command = result.commands[0]
    clients = [
        structs.replace(
            command,
            name=f"S-c{n}{dataset}",
            server="kv",
            operation_ns=(300.0, 310.0, 290.0),
            place=MatrixPlace(label="kv-c", cluster="loop", dataset=dataset, parallel=n),
        )
        for dataset in ("small", "large")
        for n in (1, 4)
    ]
    local = structs.replace(command, place=MatrixPlace(label="sha1"))
    return structs.replace(result, commands=(local, *clients))


def test_sections_are_data_sets_and_then_the_node() -> None:
    small, large, node = sections(matrix_result(), "box")
    assert small.heading == "cluster:loop dataset:small"
    assert large.heading == "cluster:loop dataset:large"
    assert node.heading == "node:box"
    assert [row.name for row in small.rows] == ["kv-c·1", "kv-c·4"]
    assert small.rows[0].summary == "300ns ± 3%"
    assert node.rows[0].summary == "20.0ms ±50%"  # without printed lines, a run is an operation


def test_throughput_is_that_of_all_connections() -> None:
    line = sections(matrix_result(), "box")[0].lines()["kv-c"]
    assert [count for count, _ in line] == [1, 4]
    assert round(line[1][1]) == round(4 / 300e-9)


def test_a_row_without_times_has_no_numbers() -> None:
    row = MatrixRow(MatrixPlace(label="kv-c"), ())
    assert (row.summary, row.rate_per_s) == ("n/a", None)


def test_commands_without_data_sets_have_no_sections() -> None:
    assert sections(bench_result(), "box") == ()


def test_whole_runs_have_no_rate() -> None:
    row = sections(matrix_result(), "box")[2].rows[0]
    assert row.mean_ns is not None
    assert row.rate_per_s is None
