"""The options of a flight recorder on the command line."""

import click
from click.testing import CliRunner

from harness.cli.flight_options import flight_choices


def _values(*words: str) -> dict[str, object]:
    values: dict[str, object] = {}

    @click.command()
    @flight_choices
    def command(**chosen: object) -> None:
        values.update(chosen)

    assert CliRunner().invoke(command, words).exit_code == 0
    return values


def test_nothing_is_set_by_default() -> None:
    assert not any(_values().values())


def test_conditions_are_collected_in_order() -> None:
    values = _values("--flight", "30s", "--on", "psi.io>20%", "--on", "signal", "--repeat", "3")
    assert values["conditions"] == ("psi.io>20%", "signal")
    assert (values["flight"], values["repeat"]) == ("30s", 3)
