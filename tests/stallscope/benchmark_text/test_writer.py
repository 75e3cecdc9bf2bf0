import math

import pytest

from stallscope.benchmark_text.writer import configuration_line, result_line, unit_line


def test_lines_have_the_go_format():
    assert configuration_line("goos", "linux\nevil: 1") == "goos: linux evil: 1"
    assert unit_line("req/s", better="higher") == "Unit req/s better=higher"
    assert result_line(
        "Get/size=64", 10, {"sec/op": 1.5e-6, "B/op": 12.0, "x": None, "y": math.nan}
    ) == ("BenchmarkGet/size=64\t10\t1.5e-06 sec/op\t12 B/op")


def test_a_key_with_capitals_and_a_result_without_values_are_refused():
    with pytest.raises(ValueError, match="not a configuration key"):
        configuration_line("Key", "x")
    with pytest.raises(ValueError, match="no value"):
        result_line("A", 1, {"x": None})
