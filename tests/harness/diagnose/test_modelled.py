from pathlib import Path

import pytest

from harness.diagnose.counters import recorded_slots
from harness.diagnose.modelled import model_slots
from stallscope.errors import UnableError
from topdown.slots.measurement import Kind, MeasuredNode, Measurement
from topdown.slots.modelled import command

MEASUREMENT = Measurement(
    kind=Kind.MODELLED,
    source="model",
    cpu="skx",
    title="",
    whole=1.0,
    nodes=(MeasuredNode("backend_bound", 1, None, 0.7, "slots"),),
    ipc=None,
    interval_label="",
    bottleneck=("backend_bound",),
    bottleneck_why="",
)


def test_modelled_slots_are_kept_in_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "measure_command", lambda *_, **__: MEASUREMENT)
    assert model_slots(("./work",), tmp_path) == ""
    result, _ = recorded_slots(tmp_path)
    assert result is not None
    assert result.bottleneck == ("backend_bound",)


def test_a_program_that_cannot_be_modelled_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Measurement:
        raise UnableError("valgrind is missing", "install it")

    monkeypatch.setattr(command, "measure_command", refuse)
    assert model_slots(("./work",), tmp_path).endswith("valgrind is missing; install it")
    assert recorded_slots(tmp_path) == (None, "")
