"""Options of `stallscope load`."""

from pathlib import Path

import pytest

from harness.load.options import load_options
from stallscope.errors import UsageError


def test_the_directory_and_pictures_are_separated() -> None:
    values = {"duration": 1.0, "warmup": 0.0, "rate": None}
    options = load_options("h:1", (Path("run"), Path("x.svg")), values, force=False)
    assert (options.load.output, options.pictures) == (Path("run"), (Path("x.svg"),))


def test_a_missing_target_names_the_next_command() -> None:
    with pytest.raises(UsageError, match="TARGET is missing") as raised:
        load_options("", (), {}, force=False)
    assert "stallscope serve" in raised.value.remedy
