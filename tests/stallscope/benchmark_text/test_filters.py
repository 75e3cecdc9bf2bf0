import pytest

from stallscope.benchmark_text.filters import matching_series, parse_filter
from stallscope.benchmark_text.results import read_benchmarks
from stallscope.benchmark_text.syntax import ExpressionError


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "f1"
    path.write_text("goos: linux\nBenchmarkName/n1=v3-4 1 100 ns/op 5 B/op\n")
    return read_benchmarks([str(path)])


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("*", [True, True]),
        ("goos:linux", [True, True]),
        ("goos:x OR /n1:v3", [True, True]),
        ("-goos:linux", [False, False]),
        ("--goos:linux", [True, True]),
        (".unit:ns/op", [True, False]),
        (".unit:sec/op", [True, False]),
        ("-(.unit:B/op)", [True, False]),
        (".unit:(B/op OR x) AND .name:Name", [False, True]),
        (".fullname:/^Name.*4$/ /gomaxprocs:4", [True, True]),
        ('missing:""', [True, True]),
    ],
)
def test_a_filter_selects_measurements(results, text, accepted):
    assert matching_series(results, parse_filter(text)).tolist() == accepted


@pytest.mark.parametrize(
    "text", ["a", "a:", "(a:b", "a:(b c)", ":b", "a:b )", ".config:x", "a:/[/", "-" * 500 + "a:b"]
)
def test_a_wrong_filter_is_refused(text):
    with pytest.raises(ExpressionError):
        parse_filter(text)
