import numpy as np
import pytest

from stallscope.benchmark_text.projections import ProjectionParser, number_with_prefix
from stallscope.benchmark_text.results import read_benchmarks
from stallscope.benchmark_text.syntax import ExpressionError


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "f"
    names = ["Z/n=20", "A/n=3", "Z/n=1k"]
    path.write_text(
        "goos: x\n"
        + "".join(f"Benchmark{name} 1 1 u\n" for name in names)
        + "note: b\nBenchmarkB 1 1 u\n"
    )
    return read_benchmarks([str(path)])


def values(results, text):
    projection = ProjectionParser().parse(text)
    selected = np.flatnonzero(projection.allowed_series(results))
    return projection.project(results, selected).values


def test_keys_are_in_the_requested_order(results):
    assert values(results, ".name") == [("Z",), ("A",), ("B",)]
    assert values(results, ".name@alpha") == [("A",), ("B",), ("Z",)]
    assert values(results, "/n@num") == [("3",), ("20",), ("1k",), ("",)]
    assert values(results, "/n@(1k 3)") == [("1k",), ("3",)]
    assert values(results, ".config") == [("x", ""), ("x", "b")]


def test_keys_of_other_projections_are_left_out(results):
    parser = ProjectionParser()
    full = parser.parse(".fullname")
    parser.parse("/n")
    keys = full.project(results, np.arange(results.series_count))
    assert keys.values == [("Z",), ("A",), ("B",)]
    assert [order.key for order in parser.residue().orders] == [".config"]


@pytest.mark.parametrize(
    "text", ["a@", "a@x", "a@()", "a@(b", ".unit", ".config@(a)", "a,,b", '""', ":"]
)
def test_a_wrong_projection_is_refused(text):
    with pytest.raises(ExpressionError):
        ProjectionParser().parse(text)


def test_numbers_have_prefixes():
    assert number_with_prefix("2k") == 2000
    assert number_with_prefix("+2MiB") == 2 << 20
    assert number_with_prefix("x1k") is None
