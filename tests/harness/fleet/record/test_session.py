"""`harness.fleet.record.session`; hosts behind sshd are in `tests/harness/fleet/record/test_remote.py`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.fleet.record.hosts import Host
from harness.fleet.record.options import FleetRecordOptions
from harness.fleet.record.remote import collector_file
from harness.fleet.record.result import HostRecording
from harness.fleet.record.session import record_fleet
from stallscope import __version__
from stallscope.errors import UsageError


def test_complete_recordings_are_kept_without_a_connection(tmp_path: Path) -> None:
    folder = tmp_path / "web-1"
    folder.mkdir()
    (folder / "recording.json").write_text(
        '{"schema": "stallscope.recording/1.0", "complete": true, "samples": 7}'
    )
    options = FleetRecordOptions(hosts=(Host("web-1"),), output=tmp_path, collector_options=())
    result, code = record_fleet(options)
    assert (code, result.hosts[0].status, result.hosts[0].samples) == (0, "kept", 7)


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], HostRecording]:
    """Return a function that records a host whose ssh is a shell script."""

    def record(script: str) -> HostRecording:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "ssh").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "ssh").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        options = FleetRecordOptions(
            hosts=(Host("web-1"),), output=tmp_path / "out", collector_options=(), timeout_s=20.0
        )
        result, code = record_fleet(options)
        assert code == 4
        return result.hosts[0]

    return record


def test_a_refused_archive_is_the_cause_and_not_the_status_of_ssh(
    fake_ssh: Callable[[str], HostRecording],
) -> None:
    assert "is not a complete archive" in fake_ssh("exec 3<&0; cat <&3 >/dev/null & yes").error


def test_a_message_of_the_host_is_the_cause_if_no_archive_arrives(
    fake_ssh: Callable[[str], HostRecording],
) -> None:
    assert fake_ssh("echo 'no route' >&2; exit 255").error == "no route"


def test_a_link_in_place_of_a_host_is_named(
    tmp_path: Path, fake_ssh: Callable[[str], HostRecording]
) -> None:
    (tmp_path / "out").mkdir(mode=0o700)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out/web-1").symlink_to(tmp_path / "elsewhere")
    run = tmp_path / "run"
    run.mkdir()
    header = {"schema": "stallscope.recording/1.0", "complete": True}
    (run / "recording.json").write_text(json.dumps({**header, "tool": {"version": __version__}}))
    error = fake_ssh(f"exec 3<&0; cat <&3 >/dev/null & tar -C {tmp_path} -cf - run").error
    assert "symbolic link" in error
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("place", ["/dev/null", "/proc/none/out"])
def test_an_output_that_is_no_directory_is_an_error(place: str) -> None:
    options = FleetRecordOptions(hosts=(Host("web-1"),), output=Path(place), collector_options=())
    with pytest.raises(UsageError, match=f"cannot write {place}"):
        record_fleet(options)


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/null", "/"])
def test_a_collector_that_is_no_program_is_an_error(place: str) -> None:
    with pytest.raises(UsageError, match="cannot read|is not a collector"):
        collector_file(Path(place))
