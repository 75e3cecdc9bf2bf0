"""What a path turns out to be, and every way in which it cannot be measured."""

import errno
import os
import socket
from pathlib import Path

import pytest

from ioprobe.target.own_file import Space
from ioprobe.target.target import Target, TargetKind, Wanted, open_target
from stallscope.errors import StallscopeError, UnableError, UsageError

MIB = 2**20
READ = Wanted(need_direct=False)
OWN = Wanted(need_direct=False, size_bytes=2 * MIB)


def opened(path: Path | str, wanted: Wanted = READ, told: list[str] | None = None) -> Target:
    return open_target(str(path), wanted, announce=(told if told is not None else []).append)


def refused(path: Path | str, wanted: Wanted = READ) -> StallscopeError:
    told: list[str] = []
    with pytest.raises(StallscopeError) as caught:
        opened(path, wanted, told).close()
    assert told == [], "something was to be written"
    assert caught.value.remedy
    assert "\n" not in caught.value.message
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some"
    path.write_bytes(os.urandom(MIB))
    return path


def without_direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """As overlay over a filesystem that has none."""
    real = os.open

    def refusing(path, flags, *arguments, **named):
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(path, flags, *arguments, **named)

    monkeypatch.setattr(os, "open", refusing)


def test_a_file_is_read_as_it_stands(file: Path) -> None:
    told: list[str] = []
    with opened(file, READ, told) as target:
        assert (target.kind, target.span_bytes) == (TargetKind.FILE, MIB)
        assert not target.writable
        assert not target.is_own_file
        assert target.descriptor is not None
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(target.descriptor, bytes(4096), 0)
        with target.cached() as cached:
            assert cached.descriptor is not None
            assert not cached.direct.had
            assert os.pread(cached.descriptor, 4096, 0) == file.read_bytes()[:4096]
    assert told == []


def test_a_file_that_is_to_be_written_stays_as_it_is(file: Path) -> None:
    before, told = file.read_bytes(), []
    wanted = Wanted(writable=True, need_direct=False, size_bytes=2 * MIB, writes_bytes=8 * MIB)
    with opened(file, wanted, told) as target:
        assert (target.kind, target.is_own_file, target.writable) == (TargetKind.FILE, True, True)
        assert target.span_bytes == 2 * MIB
        assert (
            target.warnings[0] == f"{file} stays as it is: a file of our own beside it is written"
        )
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["some"]
    assert len(told) == 1
    assert "a file of its own of 2 MiB" in told[0]
    assert "wear: 2 MiB once, and at most 8 MiB by the measurement" in told[0]


def test_a_directory_gets_a_file_without_a_name_that_is_told_of_first(tmp_path: Path) -> None:
    told: list[str] = []
    with opened(tmp_path, OWN, told) as target:
        assert (target.kind, target.is_own_file) == (TargetKind.DIRECTORY, True)
        assert target.descriptor is not None
        assert os.fstat(target.descriptor).st_nlink == 0
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(target.descriptor, bytes(4096), 0)  # only reads were asked for
    assert len(told) == 1
    assert f"in {tmp_path}" in told[0]
    assert "stay free" in told[0]


def test_what_cannot_be_measured_is_found_before_anything_is_written(tmp_path: Path) -> None:
    refused(tmp_path, Wanted(need_direct=False, size_bytes=2 * MIB, span_bytes=3 * MIB))
    refused(tmp_path, Wanted(need_direct=False, size_bytes=2 * MIB, block_bytes=(4 * MIB,)))
    refused(tmp_path, Wanted(need_direct=False, size_bytes=1000))
    assert list(tmp_path.iterdir()) == []


def test_a_filesystem_is_never_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ioprobe.target.target.space_of", lambda _: Space(3 * MIB, 20 * MIB))
    error = refused(tmp_path, OWN)
    assert isinstance(error, UnableError)
    assert "3 MiB are free, of which 2 MiB are kept" in error.message


def test_a_failure_in_the_middle_leaves_neither_file_nor_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(UnableError, match="the disk is full after 0 B of 2 MiB"):
        opened(tmp_path, OWN)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("not-there", "there is no such file, directory or device"),
        ("some/below", "there is no such file, directory or device"),
        ("a\0b", "is no path"),
        ("x" * 300, "is no path: File name too long"),
        ("loop", "is no path: Too many levels of symbolic links"),
        ("", "there is no such file, directory or device"),
    ],
)
def test_what_is_no_path(file: Path, name: str, said: str) -> None:
    (file.parent / "loop").symlink_to("loop")
    error = refused(f"{file.parent}/{name}" if name else "")
    assert isinstance(error, UsageError)
    assert said in error.message


def test_pipes_sockets_and_terminals_are_refused_without_a_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/null")):
            assert "neither a file, a directory nor a block device" in refused(path).message


def test_an_empty_file_has_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert "is empty" in refused(tmp_path / "empty").message
    assert "is empty" in refused("/proc/self/maps").message


def test_a_file_smaller_than_a_request_or_the_span_is_refused(file: Path) -> None:
    error = refused(file, Wanted(need_direct=False, block_bytes=(4096, 2 * MIB)))
    assert "its 1 MiB are less than one request of 2 MiB" in error.message
    error = refused(file, Wanted(need_direct=False, span_bytes=2 * MIB))
    assert "is smaller than the span of 2 MiB" in error.message
    error = refused(file, Wanted(need_direct=False, offset_bytes=MIB, span_bytes=4096))
    assert error.remedy == "begin before its end"
    refused(file, Wanted(need_direct=False, offset_bytes=-4096))
    refused(file, Wanted(need_direct=False, block_bytes=(0,)))


def test_a_file_of_our_own_that_is_too_small_is_named_by_the_size_asked_for(
    tmp_path: Path,
) -> None:
    error = refused(tmp_path, Wanted(need_direct=False, size_bytes=1000))
    assert error.message == "a file of 1000 B is too small to measure a disk with"


def test_a_part_of_a_file_can_be_asked_for(file: Path) -> None:
    with opened(file, Wanted(need_direct=False, offset_bytes=8192, span_bytes=16384)) as target:
        assert (target.offset_bytes, target.span_bytes) == (8192, 16384)


def test_sizes_that_direct_requests_cannot_have_are_refused(file: Path) -> None:
    with opened(file) as target:
        if not target.direct.had:
            pytest.skip("needs the kernel's O_DIRECT where temporary files are")
        unit = target.direct.alignment_bytes
        assert unit in (512, 1024, 2048, 4096)
        with pytest.raises(
            UsageError, match=f"requests of 1000 bytes are no multiple of its {unit}"
        ):
            target.check_block(1000)
    assert "an offset of 100 bytes" in refused(file, Wanted(offset_bytes=100)).message


def test_memory_is_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Path("/dev/shm")
    if not shared.is_dir():
        pytest.skip("needs the kernel's tmpfs at /dev/shm")
    error = refused(shared, Wanted(size_bytes=2 * MIB))
    assert isinstance(error, UnableError)
    assert "tmpfs keeps its files in memory" in error.message
    with opened(shared, OWN) as target:
        assert not target.direct.had
        assert target.filesystem == "tmpfs"
        target.check_block(1000)  # the page cache takes any size


def test_where_there_is_no_o_direct_it_says_so_and_goes_on_only_if_told(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_direct(monkeypatch)
    error = refused(file, Wanted())
    assert "so only the page cache could be measured" in error.message
    assert "O_DIRECT" in error.message or "in memory" in error.message
    with opened(file) as target:
        assert not target.direct.had
        assert target.direct.why_not


def test_holes_are_told(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as out:
        out.write(os.urandom(MIB))
        out.truncate(4 * MIB)
    with opened(path) as target:
        assert target.warnings[-1] == f"75 % of {path} was never written: no disk is asked"


def test_destroy_is_for_devices(file: Path) -> None:
    for path in (file, file.parent):
        error = refused(path, Wanted(writable=True, destroy=str(path), need_direct=False))
        assert "is no block device" in error.message


def test_a_simulated_disk_needs_no_path() -> None:
    with opened("sim:servers=8,service=1ms") as target:
        assert target.kind == TargetKind.SIMULATED
        assert target.descriptor is None
        assert target.simulated is not None
        assert (target.simulated.servers, target.simulated.service_ns) == (8, 1_000_000)
        with target.cached() as cached:
            assert cached.descriptor is None


def test_others_pages_stay_in_the_page_cache(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(os.urandom(MIB))
    with opened(tmp_path, OWN), other.open("rb") as reading:
        page = bytearray(4096)
        try:
            # Reads without waiting for a disk, so only what is in memory.
            assert os.preadv(reading.fileno(), [page], 0, os.RWF_NOWAIT) == 4096
        except OSError as error:
            assert error.errno == errno.EOPNOTSUPP  # as tmpfs, which is all memory
