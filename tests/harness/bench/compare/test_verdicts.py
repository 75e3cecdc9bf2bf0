import numpy as np
import pytest

from harness.bench.compare.verdicts import can_reach, holm_column, needed_size
from stallscope import _native
from stallscope.benchmark_text.results import read_benchmarks
from stallscope.benchmark_text.writer import result_line
from stallscope.statistics.multiple_tests import holm
from stallscope.statistics.rank_tests import mann_whitney


def test_the_column_is_corrected_as_the_list():
    p_values = [0.01, 0.5, 0.01, 0.04, 1.0]
    assert holm_column(np.array(p_values)).tolist() == holm(p_values)


def test_the_needed_size_grows_with_the_number_of_rows():
    assert needed_size(1, 0.05) == 4
    assert needed_size(6, 0.05) == 5
    assert not can_reach(3, 3, 1, 0.05)


def test_native_tests_of_ranks_are_those_of_the_python_module(tmp_path):
    choice = np.random.default_rng(7)
    samples = []
    for _ in range(60):
        sizes = choice.integers(1, 14, 2)
        samples.append([choice.integers(0, 12, size).tolist() for size in sizes])
    samples += [[list(range(30)), list(range(5, 40))], [[1, 1], [1, 1]]]
    path = tmp_path / "x"
    path.write_text(
        "\n".join(
            result_line(f"{number}{'ab'[side]}", 1, {"u": value})
            for number, pair in enumerate(samples)
            for side in (0, 1)
            for value in pair[side]
        )
    )
    results = read_benchmarks([str(path)])
    count = 2 * len(samples)
    cells = _native.BenchmarkSamples(results.native, np.arange(count + 1), np.arange(count))
    p_values = cells.compare(np.arange(0, count, 2), np.arange(1, count, 2))[0]
    expected = [mann_whitney(first, second).p for first, second in samples]
    assert p_values.tolist() == pytest.approx(expected, rel=1e-9)
