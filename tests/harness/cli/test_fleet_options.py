"""`harness.cli.fleet_options`."""

import click
from click.testing import CliRunner

from harness.cli.fleet_options import query_options


def test_directories_are_required_and_the_period_is_optional() -> None:
    @click.command()
    @query_options
    def command(directories: tuple[object, ...], **values: object) -> None:
        click.echo(f"{len(directories)} {values}")

    assert CliRunner().invoke(command, []).exit_code == 2
    result = CliRunner().invoke(command, ["a", "b", "--from", "2026-11-28"])
    assert result.output.startswith("2 {'begin': '2026-11-28', 'end': None")
