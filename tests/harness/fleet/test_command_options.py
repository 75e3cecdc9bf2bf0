"""`harness.fleet.command_options`."""

from pathlib import Path

import click
from click.testing import CliRunner

from harness.fleet.command_options import NOTE, query_options, top_option, with_places
from harness.fleet.query import QueryOptions


@click.command()
@query_options
@top_option("rows", default=5, least=0)
def command(options: QueryOptions, top: int) -> None:
    """Show rows."""
    click.echo(f"{options.directories} {options.begin} {options.end} {options.scheduler} {top}")


def test_the_options_of_a_query_are_one_value(tmp_path: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(command, []).exit_code == 2
    words = [str(tmp_path), "--from", "2026-11-28", "--scheduler", "local"]
    result = runner.invoke(command, words, catch_exceptions=False)
    assert result.output == f"({tmp_path!r},) 2026-11-28 None local 5\n"


def test_debug_files_are_part_of_the_query(tmp_path: Path) -> None:
    @click.command()
    @query_options
    @with_places
    def named(options: QueryOptions) -> None:
        """Show names."""
        click.echo(" ".join(options.places.words()))

    words = [str(tmp_path), "--debug-directory", str(tmp_path), "--debuginfod", "http://a"]
    result = CliRunner().invoke(named, words, catch_exceptions=False)
    assert result.output == f"--debug-directory={tmp_path} --debuginfod=http://a\n"


def test_the_number_of_rows_has_a_range() -> None:
    assert "0<=x<=100000" in CliRunner().invoke(command, ["--top", "-1", "/"]).output


def test_the_help_ends_with_the_note() -> None:
    text = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "Show rows. " + NOTE in text
    assert "Number of rows." in text
