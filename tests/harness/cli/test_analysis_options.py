"""The options of commands that summarise a CPU profile."""

import click
from click.testing import CliRunner

from harness.cli.analysis_options import analysis_options


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
