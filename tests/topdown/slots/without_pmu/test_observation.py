"""Observation of a target without hardware counters."""

import json
from pathlib import Path

import pytest

from stallscope.collector import CollectionEnd, CollectorOptions
from stallscope.errors import ExitCode, RecordingError
from stallscope.recordings import MANIFEST
from tests.topdown.slots.without_pmu.activities import CALLING, COMPUTING, work
from topdown.slots.measurement import Kind
from topdown.slots.without_pmu import observation
from topdown.slots.without_pmu.kernel_findings import find
from topdown.slots.without_pmu.observation import IDLE, NO_SLOTS, KernelObservation

END = CollectionEnd(0, "duration", interrupted=False)


def test_a_measurement_has_facts_and_no_nodes() -> None:
    samples = work(40, calls=900)
    finding = find(CALLING, samples)
    measurement = KernelObservation(CALLING, samples, finding, END).measurement("a CPU")
    assert (measurement.kind, measurement.nodes, measurement.title) == (
        Kind.UNAVAILABLE,
        (),
        "a CPU",
    )
    assert measurement.bottleneck_why == NO_SLOTS
    assert finding is not None
    assert any(finding.why in str(fact) for fact in measurement.facts)
    assert measurement.warnings == ()


def test_a_target_without_samples_gives_a_warning() -> None:
    assert KernelObservation(COMPUTING, None, None, END).measurement("x").warnings == (IDLE,)


@pytest.mark.parametrize(("samples", "code"), [(0, ExitCode.DONE), (7, None)])
def test_an_empty_recording_is_an_idle_target_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: int, code: int | None
) -> None:
    manifest = {
        "schema": "stallscope.recording/1.0", "complete": True, "samples": samples,
        "end_reason": "duration",
    }  # fmt: skip
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))

    def unreadable(*_: object) -> CollectionEnd:
        raise RecordingError("the recording is empty", "record again")

    monkeypatch.setattr(observation, "collect", unreadable)
    options = CollectorOptions(output=tmp_path)
    if code is None:
        with pytest.raises(RecordingError):
            observation._collect(options, lambda _: None, None)
    else:
        assert observation._collect(options, lambda _: None, None).exit_code == code
