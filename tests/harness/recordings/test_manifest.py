"""The manifests of commands: each kind is what its command writes."""

import json
from pathlib import Path

import pytest

from harness.recordings.directory import write_manifest
from harness.recordings.manifest import (
    CommandManifest,
    IdleManifest,
    IoManifest,
    LoadManifest,
    this_host,
)
from stallscope.recordings import RecordedEvent, Target, read_manifest
from tests.documents import assert_valid


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("kind", [IdleManifest, IoManifest, LoadManifest])
def test_a_manifest_is_valid_before_and_after_its_end(
    tmp_path: Path, kind: type[CommandManifest], ended: bool
) -> None:
    manifest = kind(
        command=("stallscope", "\udcff"), target=Target("cpus"), source=RecordedEvent(event="x")
    )
    write_manifest(tmp_path, manifest, begin_ns=1, ended=ended)
    content = (tmp_path / "recording.json").read_text()
    name = json.loads(content)["kind"]
    assert_valid(f"recording.{name}", content)
    read = read_manifest(tmp_path / "recording.json")
    assert (read.kind, read.complete, read.end_ns is not None) == (name, ended, ended)
    assert read.host == this_host()


def test_the_host_has_a_name_and_a_kernel() -> None:
    host = this_host()
    assert host.hostname
    assert host.kernel_release
    assert host.memory_bytes
