"""The argument of commands that read a recording."""

from pathlib import Path

import click
import pytest

from harness.cli.recording_argument import run_argument
from tests.harness.cli.parsed_options import parsed


def test_the_recording_is_a_path() -> None:
    assert parsed(run_argument, "slow-query") == {"run": Path("slow-query")}


def test_a_recording_must_be_named() -> None:
    with pytest.raises(click.MissingParameter):
        parsed(run_argument)
