"""The option --weight."""

import click
import pytest
from click.testing import CliRunner

from harness.cli.weight_option import weight_option
from topdown.waits.weight import Weight


@click.command()
@weight_option
def _command(weight: str | None) -> None:
    click.echo(Weight(weight).name if weight else "none")


@pytest.mark.parametrize(
    ("words", "output"),
    [
        ([], "none"),
        (["--weight", "cpu"], "CPU"),
        (["--weight", "wall"], "WALL"),
        (["--weight", "off-cpu"], "OFF_CPU"),
    ],
)
def test_the_option_names_a_weight(words: list[str], output: str) -> None:
    assert CliRunner().invoke(_command, words).output.strip() == output


def test_other_weights_are_refused() -> None:
    assert CliRunner().invoke(_command, ["--weight", "time"]).exit_code == 2
