"""The generator: from a vendor's table to a model file, and what it refuses."""

from pathlib import Path

import pytest

from topdown.slots.generate.__main__ import main, model_text
from topdown.slots.model import FOLDER, keys, load

TABLES = Path(__file__).parents[5] / "shared" / "facts" / "topdown_formulas"


@pytest.mark.parametrize("cpu", keys())
def test_the_models_equal_the_output_of_the_generator(cpu: str) -> None:
    if TABLES.is_dir():
        assert model_text(cpu, TABLES) == (FOLDER / f"{cpu}.json").read_text()
    else:  # without the tables: what a model is made of stands in it
        assert load(cpu).source
        assert load(cpu).licence


def test_help_without_tables() -> None:
    assert main([]) == 2
