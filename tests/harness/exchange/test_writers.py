"""Formats of outputs."""

from pathlib import Path

import pytest

from harness.commands.flame import FORMATS
from harness.exchange.writers import SUFFIXES, OutputFormat, output_format
from stallscope.errors import UsageError


def test_the_suffix_selects_the_format_and_the_option_precedes_it() -> None:
    assert output_format(Path("a/x.speedscope.json"), None) == OutputFormat.SPEEDSCOPE
    assert output_format(Path("x.svg"), "otlp") == OutputFormat.OTLP
    with pytest.raises(UsageError, match="none of the suffixes"):
        output_format(Path("x.json"), None)


def test_the_command_offers_every_format() -> None:
    assert tuple(OutputFormat) == FORMATS
    assert set(SUFFIXES.values()) == set(OutputFormat)
