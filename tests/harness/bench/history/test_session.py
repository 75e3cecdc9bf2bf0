import json

import pytest
from click.testing import CliRunner

from harness.bench.history.session import analyse
from harness.bench.history.store import append_run
from harness.commands.bench_history import command
from stallscope.errors import RecordingError
from tests.documents import assert_valid
from tests.harness.bench.history.runs import slower_from, stored


def history(*arguments):
    return CliRunner().invoke(command, list(map(str, arguments)), standalone_mode=False)


def test_the_first_bad_run_is_named():
    series = analyse("d", slower_from(25), ()).series[0]
    assert series.is_worse
    assert series.changes[0].label == "c25"
    assert series.changes[0].direction == "worse"
    assert series.changes[0].delta == pytest.approx(0.1, abs=0.01)


def test_a_repaired_series_is_not_worse():
    runs = slower_from(20, 40) + slower_from(99, 30)
    series = analyse("d", runs, ()).series[0]
    assert [change.direction for change in series.changes] == ["worse", "better"]
    assert not series.is_worse


def test_runs_of_other_hosts_are_other_series():
    result = analyse("d", [*slower_from(99), stored("x", 5.0, host="other")], ())
    assert [series.host for series in result.series] == ["cpu", "other"]
    assert "2 kinds of hosts" in result.warnings[0]


def test_a_file_is_added_with_medians_and_host(tmp_path):
    file = tmp_path / "bench.txt"
    file.write_text(
        "Unit q better=higher\n" + "".join(f"BenchmarkX 1 {v} ns/op {v} q\n" for v in (1, 3, 2))
    )
    run = history(tmp_path / "history", "--add", file, "--label", "abc", "--json")
    assert_valid("bench.history", run.stdout)
    document = json.loads(run.stdout)
    assert (document["added"], document["runs"]) == ("abc", 1)
    assert {series["name"] for series in document["series"]} == {"X"}
    line = next((tmp_path / "history").iterdir()).read_text()
    assert_valid("bench.history.run", line)
    assert [value["better"] for value in json.loads(line)["values"]] == [-1, 1]


def test_damaged_lines_and_bad_results_set_the_exit_code(tmp_path):
    path = append_run(tmp_path, stored("a", 1.0))
    path.write_text(path.read_text() + "damaged\n")
    run = history(tmp_path)
    assert run.return_value == 5
    assert f"warning: not read: {path}:2 " in run.stdout
    (tmp_path / "empty").write_text("")
    assert isinstance(history(tmp_path, "--add", tmp_path / "empty").exception, RecordingError)


def test_outputs_for_github_and_junit_name_the_run(tmp_path):
    for run in slower_from(25):
        append_run(tmp_path, run)
    printed = history(tmp_path, "--github", "--junit", tmp_path / "report.xml", "--fail-if-worse")
    assert printed.return_value == 1
    assert printed.stdout.startswith("::error title=Get sec/op::worse from c25 ")
    assert 'message="first bad run: c25"' in (tmp_path / "report.xml").read_text()


def test_the_answer_is_the_same_every_time():
    runs = slower_from(25)
    assert analyse("d", runs, ()) == analyse("d", runs, ())
