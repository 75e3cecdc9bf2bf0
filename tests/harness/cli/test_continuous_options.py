import click
from click.testing import CliRunner

from harness.cli.continuous_options import continuous_choices


def test_the_options_have_no_values_by_default() -> None:
    values = {}

    @click.command()
    @continuous_choices
    def command(**options: object) -> None:
        values.update(options)

    assert CliRunner().invoke(command, []).exit_code == 0
    assert values == {"continuous": False, "budget": None, "segment": None, "otlp": None}
    result = CliRunner().invoke(command, ["--help"])
    assert "Default: 1%." in result.output
