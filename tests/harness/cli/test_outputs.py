"""Writing result files: which paths are replaced, written to, or refused."""

import os
import threading
from pathlib import Path

import pytest

from harness.cli.outputs import check_place, default_directory, write_whole
from stallscope.errors import OutputError, UsageError


def test_a_file_is_written_completely_without_leftovers(tmp_path: Path) -> None:
    place = tmp_path / ("é" * 120)  # 240 bytes: no room for a temporary suffix
    write_whole(place, ["a\udcff", "ü"])
    write_whole(place, ["b\udcff", "ü"])
    assert place.read_bytes() == b"b?\xc3\xbc"
    write_whole(place, [b"\x89PNG\xff"])
    assert place.read_bytes() == b"\x89PNG\xff"
    assert list(tmp_path.iterdir()) == [place]


def test_a_failure_keeps_the_former_file(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.write_text("before")

    def parts():
        yield "half"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_whole(place, parts())
    assert place.read_text() == "before"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(("before", "after"), [(0o600, 0o600), (0o640, 0o640), (0o666, 0o644)])
def test_a_private_file_stays_private(tmp_path: Path, before: int, after: int) -> None:
    place = tmp_path / "recording.json"
    place.touch()
    place.chmod(before)
    write_whole(place, ["new"])
    assert place.stat().st_mode & 0o777 == after
    assert place.read_text() == "new"


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "page").symlink_to(tmp_path / "precious")
    write_whole(tmp_path / "page", ["new"])
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / "page").read_text() == "new"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, ["through"])
    reader.join(30)
    assert received == [b"through"]
    assert pipe.is_fifo()


@pytest.mark.usefixtures("needs_root")
def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    device = tmp_path / "null"
    os.mknod(device, 0o020666, os.makedev(1, 3))
    write_whole(device, ["gone"])
    assert device.is_char_device()


def test_links_to_standard_streams_are_kept(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    before = Path("/dev/stdout").readlink()
    write_whole(Path("/dev/stdout"), ["out"])
    write_whole(Path("/dev/stderr"), ["error"])
    assert capfdbinary.readouterr() == (b"out", b"error")
    assert Path("/dev/stdout").readlink() == before


@pytest.mark.parametrize("place", [".", "/", "..", "none/page.html"])
def test_an_unwritable_path_is_refused(place: str) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write_whole(Path(place), ["text"])
    with pytest.raises(UsageError, match="cannot write"):
        check_place(Path(place))


@pytest.mark.parametrize("place", ["-", "/dev/null", "/dev/stdout", "new.html"])
def test_checking_a_writable_path_creates_no_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_place(Path(place))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_not_a_usage_error() -> None:
    with pytest.raises(OutputError, match="No space left"):
        write_whole(Path("/dev/full"), ["text"])


def test_a_block_device_is_never_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    disks = [Path(f"/dev/{entry.name}") for entry in Path("/sys/class/block").glob("*")]
    devices = [disk for disk in disks if disk.is_block_device()]
    if not devices:
        pytest.skip("needs the kernel's block devices at /dev")
    monkeypatch.setattr(os, "open", lambda *words: pytest.fail(f"opened {words}"))
    with pytest.raises(UsageError, match="is a block device"):
        write_whole(devices[0], ["text"])


@pytest.mark.usefixtures("needs_root")
def test_root_writes_no_file_into_a_directory_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    os.chown(tmp_path, 12345, 12345)
    for write in (check_place, lambda path: write_whole(path, ["text"])):
        with pytest.raises(UsageError, match="belongs to the user 12345") as caught:
            write(tmp_path / "page.html")
        assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("needs_root")
def test_root_writes_to_no_pipe_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    os.chown(pipe, 12345, 12345)
    with pytest.raises(UsageError, match="belongs to the user 12345"):
        write_whole(pipe, ["secret"])


def test_a_link_to_a_pipe_is_replaced_and_not_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "page").symlink_to("pipe")
    write_whole(tmp_path / "page", ["text"])
    assert (tmp_path / "page").read_text() == "text"


def test_default_names_cannot_be_predicted_in_a_shared_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = default_directory("target").name
    tmp_path.chmod(0o1777)
    shared = [default_directory("target").name for _ in range(2)]
    assert len(own.split("-")) == 4
    assert [len(name.split("-")) for name in shared] == [5, 5]
    assert shared[0].rpartition("-")[2] != shared[1].rpartition("-")[2]
