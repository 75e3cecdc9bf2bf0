"""The list of benchmarks."""

import importlib

import pytest

from benchmarks.__main__ import NAMES, main


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_can_be_imported_and_run(name: str) -> None:
    if name == "flame_page":
        pytest.importorskip("selenium")
    assert callable(importlib.import_module(f"benchmarks.{name}").run)


def test_an_unknown_benchmark_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert "start_up" in capsys.readouterr().out
