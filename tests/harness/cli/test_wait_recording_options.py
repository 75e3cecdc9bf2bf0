"""Options of commands that record waits."""

from typing import Any

import click
from click.testing import CliRunner

from harness.cli.wait_recording_options import wait_recording_options


@click.command()
@wait_recording_options(". Default: 0.07.")
def command(**values: Any) -> None:
    click.echo(f"{values['pids']} {values['max_cost']} {values['max_size_mib']} {values['words']}")


def test_a_target_its_recording_and_limits_are_accepted() -> None:
    words = ["--max-cost", "0.1", "--max-size", "64", "--force", "-o", "run", "--", "./work", "-n"]
    output = CliRunner().invoke(command, words).output
    assert output.endswith("0.1 64 ('./work', '-n')\n")


def test_help_has_the_commands_default_of_the_cost() -> None:
    text = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "in random windows only. Default: 0.07." in text
