"""Steps on a host, by a program that runs them here."""

import io
import tarfile
from pathlib import Path

import pytest

from harness.fleet.remote import RemoteError, RemoteHost, _extract
from stallscope.programs import program
from tests.harness.fleet.local_ssh import local_ssh


def test_the_directory_is_private_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    host = RemoteHost("here", local_ssh(tmp_path))
    directory, version = host.prepare(program("stallscope-collect"))
    assert version.startswith("stallscope-collect ")
    assert Path(directory).stat().st_mode & 0o777 == 0o700
    host.remove(directory)
    assert not Path(directory).exists()


def test_a_directory_of_another_name_is_not_removed(tmp_path: Path) -> None:
    RemoteHost("here", local_ssh(tmp_path)).remove(str(tmp_path))
    assert tmp_path.exists()


def test_values_are_no_code_of_the_shell(tmp_path: Path) -> None:
    host = RemoteHost("here", local_ssh(tmp_path))
    with pytest.raises(RemoteError):
        host.collect(str(tmp_path), (f"$(touch {tmp_path}/made); touch {tmp_path}/made",), 30)
    assert not (tmp_path / "made").exists()


def test_refused_and_slow_hosts_are_errors_with_the_reason(tmp_path: Path) -> None:
    ssh = local_ssh(tmp_path)
    with pytest.raises(RemoteError, match="refused: ssh: connect to host refused"):
        RemoteHost("refused", ssh).prepare(program("stallscope-collect"))
    with pytest.raises(RemoteError, match="no answer within"):
        RemoteHost("slow", ssh).collect("/x", (), 0.2)


def archive(**members: bytes | None) -> tarfile.TarFile:
    """Return a stream of members; None is a symbolic link to /etc."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as made:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            if data is None:
                entry.type, entry.linkname = tarfile.SYMTYPE, "/etc"
            else:
                entry.size = len(data)
            made.addfile(entry, io.BytesIO(data or b""))
    content.seek(0)
    return tarfile.open(fileobj=content, mode="r|")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"run/../../up": b"x"}, "unexpected file"),
        ({"/etc/x": b"x"}, "unexpected file"),
        ({"run/link": None}, "not a regular file"),
        ({"run/a": b"x" * 600, "run/b": b"x" * 600}, "more than 0 MiB"),
    ],
)
def test_hostile_archives_are_refused(
    tmp_path: Path, members: dict[str, bytes | None], message: str
) -> None:
    with pytest.raises(tarfile.TarError, match=message):
        _extract(archive(**members), tmp_path / "target", 1000)
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_files_and_folders_are_written(tmp_path: Path) -> None:
    _extract(archive(**{"run/a": b"x"}), tmp_path / "target", 1000)
    assert (tmp_path / "target/a").read_bytes() == b"x"
