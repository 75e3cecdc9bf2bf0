import json

import pytest

from stallscope.errors import RecordingError, StallscopeError
from tests.documents import assert_valid
from tests.harness.bench.compare.command_line import compare


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text)

    return write


def results(name, values, unit="ns/op", head=""):
    return head + "".join(f"Benchmark{name} 1 {value} {unit}\n" for value in values)


def rows(*arguments):
    printed = compare(*arguments, "--json").stdout
    assert_valid("bench.compare", printed)
    return json.loads(printed)["rows"]


def test_a_slower_benchmark_is_worse_and_a_higher_rate_is_better(files):
    files(
        a=results("X", range(100, 110)) + results("Y", range(100, 110), "MB/s"),
        b=results("X", range(200, 210)) + results("Y", range(200, 210), "MB/s"),
    )
    assert [row["verdict"] for row in rows("a", "b")] == ["worse", "better"]
    first = rows("a", "b")[0]
    assert first["name"] == "X"
    assert (
        first["a"] == {"median": 104.5e-9, "low": 101e-9, "high": 108e-9, "n": 10}
        or first["a"]["n"] == 10
    )
    assert first["delta"] == pytest.approx(100 / 104.5)
    assert compare("a", "b", "--fail-if-worse").return_value == 1


def test_too_few_values_print_the_number_that_is_needed(files):
    files(a=results("X", [1, 2, 3]), b=results("X", [7, 8, 9]))
    assert rows("a", "b")[0]["verdict"] == "need 4"
    assert rows("a", "b")[0]["a"]["low"] is None


def test_equal_samples_have_no_difference(files):
    files(a=results("X", [5] * 10), b=results("X", [5] * 10))
    assert rows("a", "b")[0]["verdict"] == "no difference"


def test_verdicts_are_corrected_for_all_rows(files):
    # p = 0.029 alone is below 0.05; for two rows it is 0.057.
    files(
        a=results("X", [1, 2, 3, 4]) + results("Y", [1, 2, 3, 4]),
        b=results("X", [5, 6, 7, 8]) + results("Y", [2, 1, 4, 3]),
    )
    assert [row["verdict"] for row in rows("a", "b")] == ["need 5", "need 5"]
    assert [row["verdict"] for row in rows("a", "b", "--filter", ".name:X")] == ["worse"]


def test_zero_and_scaled_values_are_one_sample(files):
    files(a=results("X", [0, 1, 2]))
    assert [(row["unit"], row["a"]["n"]) for row in rows("a")] == [("sec/op", 3)]


def test_nan_and_infinity_are_named_and_do_not_end_the_comparison(files):
    files(a=results("X", ["NaN", *range(9)]), b=results("X", ["+Inf", *range(9)]))
    document = json.loads(compare("a", "b", "--json").stdout)
    assert document["rows"][0]["a"]["n"] == 9
    assert document["warnings"] == ["left out: 1 times NaN"]


def test_rows_of_different_configurations_are_not_compared(files):
    files(a=results("X", [1], head="cpu: A\n"), b=results("X", [1], head="cpu: B\n"))
    document = json.loads(compare("a", "b", "--json").stdout)
    assert {row["verdict"] for row in document["rows"]} == {""}
    assert "the columns differ in cpu" in document["warnings"][0]
    assert rows("a", "b", "--ignore", "cpu")[0]["verdict"] == "need 4"


def test_the_geometric_mean_takes_matching_rows_only(files):
    files(
        a=results("X", [1] * 6) + results("Y", [1] * 6),
        b=results("X", [2] * 6) + results("Z", [9] * 6),
    )
    document = json.loads(compare("a", "b", "--json").stdout)
    mean = document["geomeans"][0]
    assert (mean["delta"], mean["rows"], mean["omitted_rows"]) == (pytest.approx(1), 1, 2)
    assert [row["verdict"] for row in document["rows"]][1:] == ["only a", "only b"]


def test_missing_files_and_bad_lines_are_named_and_the_rest_is_compared(files):
    files(a=results("X", [1, 2]) + "BenchmarkBad 1 x\n", b=results("X", [1, 2]))
    run = compare("a", "b")
    assert run.return_value == 5
    assert "a:3: parsing measurement: invalid syntax" in run.stderr
    missing = compare("a", "b", "none")
    assert missing.return_value == 2
    assert "none: No such file or directory" in missing.stderr
    assert "need 4" in missing.stdout


def test_files_without_results_are_an_error(files):
    files(a="nothing\n")
    error = compare("a").exception
    assert isinstance(error, RecordingError)
    assert "no benchmark line in a" in error.message


def test_a_wrong_expression_is_an_error(files):
    files(a=results("X", [1]))
    assert isinstance(compare("a", "--row", "x@y").exception, StallscopeError)


def test_text_csv_and_page_show_the_rows(files, tmp_path):
    files(a=results("X<b>", range(100, 110)), b=results("X<b>", range(200, 210)))
    text = compare("a", "b", "-o", "page.html").stdout
    assert "geomean of 1 row: +95.69%" in text
    assert "worse" in text
    page = (tmp_path / "page.html").read_text()
    assert "X&lt;b&gt;" in page
    assert "<svg" in page
    lines = compare("a", "b", "--format", "csv").stdout.splitlines()
    assert lines[0].startswith("table,name,unit")
    assert lines[1].endswith("worse")


def test_control_characters_in_names_are_not_printed(files):
    files(a=results("X\x1b[31m", [1]))
    for style in ("stallscope", "benchstat", "2017"):
        assert "\x1b" not in compare("a", "--style", style).stdout


def test_a_change_between_files_names_their_order_as_a_possible_cause(files):
    same = results("X", range(100, 110))
    files(a=same, b=results("X", range(200, 210)), c=same)
    assert "one after the other" in compare("a", "b").stdout
    assert "one after the other" not in compare("a", "c").stdout
