"""The options of commands that summarise a CPU profile."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.cli.analysis_options import analysis_options, symbol_places
from stallscope.errors import UsageError


@click.command()
@analysis_options
def command(top: int, lines: int, inlined: bool, group: str | None, **_places: object) -> None:
    """Print the options."""
    click.echo(f"{top} {lines} {inlined} {group}")


def test_rows_are_limited_and_nothing_is_read_from_debug_information_by_default() -> None:
    assert CliRunner().invoke(command, []).output == "15 0 False None\n"
    words = ["--top", "3", "--lines", "9", "--inlined", "--group", "module"]
    assert CliRunner().invoke(command, words).output == "3 9 True module\n"
    assert CliRunner().invoke(command, ["--group", "line"]).exit_code == 2
    assert CliRunner().invoke(command, ["--top", "0"]).exit_code == 2
    assert CliRunner().invoke(command, ["--lines"]).output == "15 100 False None\n"


def test_places_of_symbols_and_sources_are_checked() -> None:
    places = symbol_places(["/build=/src=1", "/a="], [Path("/debug")])
    assert places.source_map == (("/build", "/src=1"), ("/a", ""))
    assert places.debug_directories == (Path("/debug"),)
    for wrong in ("/build", "=/src"):
        with pytest.raises(UsageError, match="expected FROM=TO"):
            symbol_places([wrong], [])


def test_servers_are_used_only_if_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUGINFOD_URLS", "http://a http://b")
    assert symbol_places([], []).debuginfod_urls == ""
    assert symbol_places([], [], "http://c").debuginfod_urls == "http://c"
    assert symbol_places([], [], "DEBUGINFOD_URLS").debuginfod_urls == "http://a http://b"
    monkeypatch.delenv("DEBUGINFOD_URLS")
    with pytest.raises(UsageError, match="needs DEBUGINFOD_URLS"):
        symbol_places([], [], "DEBUGINFOD_URLS")
