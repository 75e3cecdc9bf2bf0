"""Functions of many hosts, added up."""

import importlib.util
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.commands.fleet_top import command
from harness.fleet.top.options import FleetTopOptions, recordings_below
from harness.fleet.top.session import function_table, functions_of, top_functions
from stallscope.errors import RecordingError, UnableError
from tests.documents import assert_valid


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Return files of two hosts, of which one is hotter in work, and a damaged one."""
    (tmp_path / "a").write_text("srv;main;work 60\nsrv;main;idle 40\n")
    (tmp_path / "b").write_text("srv;main;work 10\nsrv;main;other 290\n")
    (tmp_path / "c").write_text("damaged\n")
    return tmp_path


def recordings(fleet: Path) -> tuple[tuple[str, Path], ...]:
    return recordings_below(tuple(fleet / name for name in "abc"))


def test_weights_of_all_hosts_are_added(fleet: Path) -> None:
    result = top_functions(FleetTopOptions(recordings=recordings(fleet), top=2))
    assert (result.hosts, result.samples, result.value, result.functions_in_all) == (2, 400, 400, 4)
    first, second = result.functions
    assert (first.name, first.self_share, first.hosts) == ("other", 290 / 400, 1)
    assert (second.name, second.self_share, second.hosts) == ("work", 70 / 400, 2)
    assert (second.hottest_host, second.hottest_share) == ("a", 0.6)
    assert [row.host for row in result.failed] == ["c"]


def test_the_table_has_a_row_per_host_and_function(fleet: Path) -> None:
    part = functions_of("a", fleet / "a")
    table = function_table([part])
    assert table["own"].sum() == part.value == 100
    assert set(table["name"]) >= {"main", "work", "idle"}


def test_the_command_prints_valid_json_and_text(fleet: Path) -> None:
    paths = [str(fleet / name) for name in "abc"]
    printed = CliRunner().invoke(command, [*paths, "--json"]).stdout
    assert_valid("fleet.top", printed)
    text = CliRunner().invoke(command, paths).stdout
    assert "2 hosts, 400 samples" in text
    assert "left out: c" in text


def test_nothing_readable_is_an_error(fleet: Path) -> None:
    options = FleetTopOptions(recordings=(("c", fleet / "c"),))
    with pytest.raises(RecordingError, match="no recording can be read: c:"):
        top_functions(options)


def test_a_scheduler_gives_the_same_answer(fleet: Path) -> None:
    local = top_functions(FleetTopOptions(recordings=recordings(fleet)))
    if importlib.util.find_spec("distributed") is None:
        options = FleetTopOptions(recordings=recordings(fleet), scheduler="tcp://127.0.0.1:1")
        with pytest.raises(UnableError, match="needs Dask"):
            top_functions(options)
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        options = FleetTopOptions(recordings=recordings(fleet), scheduler=cluster.scheduler_address)
        assert top_functions(options) == local
