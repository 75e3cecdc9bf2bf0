import pytest

from harness.bench.history import store
from harness.bench.history.store import append_run, read_runs
from stallscope.errors import UsageError
from tests.harness.bench.history.runs import stored


def test_runs_are_read_back_in_order_over_several_files(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "MAX_FILE_BYTES", 500)
    runs = [stored(f"c{i}", float(i)) for i in range(9)]
    for run in runs:
        append_run(tmp_path / "history", run)
    assert len(list((tmp_path / "history").iterdir())) > 2
    assert read_runs(tmp_path / "history") == (runs, [])


def test_a_damaged_line_is_named_and_the_rest_is_read(tmp_path):
    for label in "abc":
        path = append_run(tmp_path, stored(label, 1.0))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"half\xff' + b"\n" + lines[2])
    runs, problems = read_runs(tmp_path)
    assert [run.label for run in runs] == ["a", "c"]
    assert len(problems) == 1
    assert problems[0].startswith(f"{path}:2 ")


def test_a_run_after_an_interrupted_write_is_not_lost(tmp_path):
    path = append_run(tmp_path, stored("a", 1.0))
    path.write_bytes(path.read_bytes() + b'{"unfinished')
    append_run(tmp_path, stored("b", 1.0))
    runs, problems = read_runs(tmp_path)
    assert [run.label for run in runs] == ["a", "b"]
    assert len(problems) == 1


def test_what_is_not_a_regular_file_is_named(tmp_path):
    append_run(tmp_path, stored("a", 1.0))
    (tmp_path / "runs-000000.jsonl").mkdir()
    runs, problems = read_runs(tmp_path)
    assert len(runs) == 1
    assert "not a regular file" in problems[0]


def test_a_missing_directory_is_an_error(tmp_path):
    with pytest.raises(UsageError):
        read_runs(tmp_path / "none")
