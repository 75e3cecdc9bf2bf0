"""Options with former names."""

import click
import pytest
from click.testing import CliRunner

from harness.cli.renamed_option import RenamedOption


@click.command()
@click.option("--max-size", cls=RenamedOption, former=["--most"], type=int, default=1, help="Size.")
def command(max_size: int) -> None:
    click.echo(max_size)


@pytest.mark.parametrize("name", ["--max-size", "--most"])
def test_both_names_set_the_option(name: str) -> None:
    assert CliRunner().invoke(command, [name, "7"]).output == "7\n"


def test_help_and_errors_have_the_current_name_only() -> None:
    text = CliRunner().invoke(command, ["--help"]).output
    error = CliRunner().invoke(command, ["--most", "x"]).output
    assert "--max-size" in text
    assert "--most" not in text
    assert "--max-size" in error
    assert "--most'" not in error
