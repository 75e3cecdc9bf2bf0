"""Options of experiments: defaults and bounds."""

import click
import pytest

from harness.cli.experiment_options import rounds_option, seconds_option, seed_option
from tests.harness.cli.parsed_options import Decorator, parsed


@pytest.mark.parametrize(
    ("option", "name", "default"),
    [
        (rounds_option("Rounds."), "rounds", 6),
        (seconds_option(0.5, 2.0, "Length."), "seconds", 2.0),
        (seed_option("Seed.", default=7), "seed", 7),
    ],
)
def test_an_option_has_a_default_and_takes_a_number(
    option: Decorator, name: str, default: float
) -> None:
    assert parsed(option) == {name: default}
    assert parsed(option, f"--{name}", "3") == {name: 3}


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (rounds_option("Rounds."), ("--rounds", "0")),
        (rounds_option("Rounds."), ("--rounds", "1001")),
        (seconds_option(0.5, 2.0, "Length."), ("--seconds", "0.4")),
        (seconds_option(0.5, 2.0, "Length."), ("--seconds", "nan")),
        (seed_option("Seed."), ("--seed", "-1")),
    ],
)
def test_a_number_out_of_bounds_is_refused(option: Decorator, words: tuple[str, str]) -> None:
    with pytest.raises(click.BadParameter):
        parsed(option, *words)
