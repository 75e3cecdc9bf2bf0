"""recording.json of every kind: published schemas, real recordings, older recordings."""

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from harness.recordings.collector_manifests import CountersManifest, SamplesManifest
from harness.report.schemas import DOCUMENTS, document_type, schema_text
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from stallscope.programs import program
from stallscope.recordings import read_manifest
from tests.documents import assert_valid

RECORDINGS = Path(__file__).parents[2] / "recordings"
KINDS = [
    ("recording.bench", "bench"),
    ("recording.counters", "counters"),
    ("recording.idle", "idle"),
    ("recording.io", "curve"),
    ("recording.io", "mix"),
    ("recording.io", "probe"),
    ("recording.io", "queue"),
    ("recording.io", "storm"),
    ("recording.io", "watch"),
    ("recording.load", "load"),
    ("recording.samples", "samples"),
]


def unnamed_fields(written: Any, decoded: Any, path: str = "$") -> list[str]:
    """Return the paths of fields that are written and not in the type."""
    if isinstance(written, dict):
        unnamed = [f"{path}.{name}" for name in written if name not in decoded]
        return unnamed + [
            inner
            for name in written
            if name in decoded
            for inner in unnamed_fields(written[name], decoded[name], f"{path}.{name}")
        ]
    if isinstance(written, list):
        return [
            inner
            for item, known in zip(written, decoded, strict=True)
            for inner in unnamed_fields(item, known, f"{path}[]")
        ]
    return []


def assert_all_fields_are_named(name: str, content: str) -> None:
    decoded = msgspec.to_builtins(decode(content, document_type(name), name))
    assert unnamed_fields(json.loads(content), decoded) == []


def test_every_kind_and_every_recording_is_tested() -> None:
    names = {name for name in DOCUMENTS if name.startswith("recording.")}
    assert {name for name, _ in KINDS} == names
    assert {folder for _, folder in KINDS} == {path.name for path in RECORDINGS.iterdir()}


@pytest.mark.parametrize(("name", "folder"), KINDS)
def test_a_recording_is_valid_and_has_no_field_without_a_schema(name: str, folder: str) -> None:
    content = (RECORDINGS / folder / "recording.json").read_text()
    assert_valid(name, content)
    assert_all_fields_are_named(name, content)
    assert read_manifest(RECORDINGS / folder / "recording.json").complete


@pytest.mark.parametrize(("name", "folder"), KINDS)
def test_another_kind_is_not_valid(name: str, folder: str) -> None:
    content = json.loads((RECORDINGS / folder / "recording.json").read_text())
    validator = jsonschema.Draft202012Validator(json.loads(schema_text(name)))
    assert not validator.is_valid(content | {"kind": "other"})
    assert not validator.is_valid(content | {"schema": "stallscope.recording/2.0"})
    assert validator.is_valid(content | {"schema": "stallscope.recording/1.7", "later": 1})


def test_counters_of_the_collector_are_valid(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    events = {"time": {"name": "task-clock"}, "none": {"name": "no-such-event"}}
    sets = [{"name": name, "events": [name]} for name in events]
    plan.write_text(
        json.dumps({"schema": "stallscope.count-plan/1", "sets": sets, "events": events})
    )
    run = tmp_path / "run"
    command = [program("stallscope-collect"), "count", "--plan", plan, "-o", run, "--", "true"]
    subprocess.run(command, capture_output=True, check=True, timeout=60)
    content = (run / "recording.json").read_text()
    assert_valid("recording.counters", content)
    assert_all_fields_are_named("recording.counters", content)
    [unavailable] = json.loads(content)["counting"]["unavailable"]
    assert unavailable["event"] == "none"


def test_an_early_recording_without_a_kind_is_readable() -> None:
    early = '{"schema": "stallscope.recording/1.0", "complete": true, "samples": 5}'
    manifest = decode(early, SamplesManifest, "early")
    assert (manifest.kind, manifest.tool, manifest.samples) == (None, None, 5)
    jsonschema.validate(json.loads(early), json.loads(schema_text("recording.samples")))


def test_a_wrong_field_is_named_by_its_path() -> None:
    counters = json.loads((RECORDINGS / "counters" / "recording.json").read_text())
    counters["counting"]["groups"][0]["ran"] = "yes"
    with pytest.raises(RecordingError, match=r"\$\.counting\.groups\[0\]\.ran"):
        decode(encode(counters), CountersManifest, "counters")
