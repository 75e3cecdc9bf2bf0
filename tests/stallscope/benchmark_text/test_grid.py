import pytest

from stallscope.benchmark_text import grid as grid_module
from stallscope.benchmark_text.grid import ABSENT, GridOptions, build_grid
from stallscope.benchmark_text.results import read_benchmarks
from stallscope.errors import UsageError


@pytest.fixture
def results(tmp_path):
    (tmp_path / "a").write_text("note: 1\nBenchmarkX 1 1 u\nBenchmarkX 1 2 u\nBenchmarkY 1 3 u\n")
    (tmp_path / "b").write_text("note: 2\nBenchmarkX 1 3 u 4 v\n")
    return read_benchmarks([str(tmp_path / "a"), str(tmp_path / "b")])


def test_a_cell_holds_all_values_with_its_keys(results):
    grid = build_grid(results, GridOptions(ignore="note"))
    table = grid.tables[0]
    assert table.unit == "u"
    assert grid.samples.values(table.cells[0, 0]).tolist() == [1, 2]
    assert table.cells[1].tolist() == [table.cells[1, 0], ABSENT]
    assert not grid.varying


def test_fields_that_vary_within_a_cell_are_named(results):
    grid = build_grid(results, GridOptions(table="", col=""))
    assert set(grid.varying.values()) == {("note",)}


def test_a_table_with_too_many_cells_is_refused(results, monkeypatch):
    monkeypatch.setattr(grid_module, "MAX_CELLS", 3)
    with pytest.raises(UsageError, match="is too large"):
        build_grid(results, GridOptions(ignore="note"))
