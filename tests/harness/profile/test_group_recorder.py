"""Recording with groups of counters: the largest group that fits is used."""

from pathlib import Path
from typing import Any

import pytest

from harness.profile import group_recorder
from stallscope.collector import CollectorOptions
from stallscope.errors import UnableError
from topdown.slots import detection, sampling_group
from topdown.slots.sampling_group import SamplingGroup

LARGE = SamplingGroup("cycles", ("a", "b"), "slots", "slots")
SMALL = SamplingGroup("cycles", ("a",), "", "IPC")


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[CollectorOptions]:
    """Return the options of each attempt to record; no counters are used."""
    monkeypatch.setattr(sampling_group, "check_counters", lambda *_: None)
    monkeypatch.setattr(sampling_group, "groups_for", lambda *_: [LARGE, SMALL])
    monkeypatch.setattr(detection, "model_of_machine", lambda *_: None)
    return []


def record_with(
    monkeypatch: pytest.MonkeyPatch,
    attempts: list[CollectorOptions],
    refusals: list[UnableError],
    **options: Any,
) -> Any:
    def record(collector: CollectorOptions, *_: object, **__: object) -> Any:
        attempts.append(collector)
        if refusals:
            raise refusals.pop(0)
        return "recording", "end"

    monkeypatch.setattr(group_recorder, "record", record)
    return group_recorder.record_group(
        CollectorOptions(output=Path("run")), as_json=False, **options
    )


def test_without_slots_no_group_is_counted(
    monkeypatch: pytest.MonkeyPatch, recorded: list[CollectorOptions]
) -> None:
    record_with(monkeypatch, recorded, [], slots=False)
    assert [options.counted for options in recorded] == [()]


def test_a_group_that_is_too_large_is_replaced_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
    recorded: list[CollectorOptions],
    capsys: pytest.CaptureFixture[str],
) -> None:
    refusal = UnableError("5 events do not fit in one group", "")
    record_with(monkeypatch, recorded, [refusal], slots=True)
    assert [(o.event, o.counted, o.leader) for o in recorded] == [
        ("cycles", ("a", "b"), "slots"),
        ("cycles", ("a",), ""),
    ]
    assert "slots by function cannot be counted" in capsys.readouterr().err


def test_another_refusal_ends_the_recording(
    monkeypatch: pytest.MonkeyPatch, recorded: list[CollectorOptions]
) -> None:
    with pytest.raises(UnableError, match="not permitted"):
        record_with(monkeypatch, recorded, [UnableError("not permitted", "")], slots=True)
    assert len(recorded) == 1
