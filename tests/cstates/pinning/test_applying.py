"""Writes that fail, and writes that the kernel changes."""

import os

import pytest

from cstates.pinning import applying
from cstates.pinning.request import PinRequest
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.cstates.pinning.machines import BENCH, Fake


def test_a_failed_write_rolls_back_earlier_ones(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = fake("skylake-client")
    before = machine.content()
    real = applying.write_value
    written: list[str] = []

    def failing(roots: Roots, path: str, value: str) -> str:
        if len(written) == 5:
            raise OSError(22, os.strerror(22))
        written.append(path)
        return real(roots, path, value)

    monkeypatch.setattr(applying, "write_value", failing)
    with pytest.raises(UnableError, match="Invalid argument; all earlier changes were undone"):
        machine.pin(BENCH, "true")
    assert len(written) == 5
    assert machine.content() == before
    assert not machine.journals


def test_a_clipped_value_is_a_failed_write(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = fake("skylake-client")
    before = machine.content()
    real = applying.write_value

    def cutting(roots: Roots, path: str, value: str) -> str:
        return real(roots, path, "2700000" if path.endswith("max_freq") else value)

    monkeypatch.setattr(applying, "write_value", cutting)
    with pytest.raises(UnableError, match="it reads '2700000'"):
        machine.pin(PinRequest(frequency="base"), "true")
    assert machine.content() == before
