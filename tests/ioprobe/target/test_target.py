"""Targets of all kinds, and the errors for paths that cannot be measured."""

import errno
import os
import socket
from pathlib import Path

import pytest

from ioprobe.target.scratch_file import FilesystemSpace
from ioprobe.target.target import DiskTarget, TargetKind, TargetRequirements, open_target
from stallscope.errors import StallscopeError, UnableError, UsageError

MIB = 2**20
READ = TargetRequirements(need_direct=False)
SCRATCH = TargetRequirements(need_direct=False, size_bytes=2 * MIB)


def opened_target(
    path: Path | str,
    requirements: TargetRequirements = READ,
    announcements: list[str] | None = None,
) -> DiskTarget:
    return open_target(
        str(path),
        requirements,
        announce=(announcements if announcements is not None else []).append,
    )


def refused(path: Path | str, requirements: TargetRequirements = READ) -> StallscopeError:
    announcements: list[str] = []
    with pytest.raises(StallscopeError) as caught:
        opened_target(path, requirements, announcements).close()
    assert announcements == [], "a write was announced"
    assert caught.value.remedy
    assert "\n" not in caught.value.message
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some"
    path.write_bytes(os.urandom(MIB))
    return path


def without_direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make O_DIRECT fail, as on overlay over a filesystem without it."""
    real = os.open

    def refusing(path, flags, *args, **kwargs):
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument")
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", refusing)


def test_a_file_is_opened_for_reads(file: Path) -> None:
    announcements: list[str] = []
    with opened_target(file, READ, announcements) as target:
        assert (target.kind, target.span_bytes) == (TargetKind.FILE, MIB)
        assert not target.writable
        assert not target.is_scratch_file
        assert target.descriptor is not None
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(target.descriptor, bytes(4096), 0)
        with target.cached() as cached:
            assert cached.descriptor is not None
            assert not cached.direct.available
            assert os.pread(cached.descriptor, 4096, 0) == file.read_bytes()[:4096]
    assert announcements == []


def test_writes_to_a_file_go_to_a_scratch_file_beside_it(file: Path) -> None:
    before, announcements = file.read_bytes(), []
    requirements = TargetRequirements(
        writable=True, need_direct=False, size_bytes=2 * MIB, writes_bytes=8 * MIB
    )
    with opened_target(file, requirements, announcements) as target:
        assert (target.kind, target.is_scratch_file, target.writable) == (
            TargetKind.FILE,
            True,
            True,
        )
        assert target.span_bytes == 2 * MIB
        assert target.warnings[0] == f"{file} is not changed: writes go to a scratch file beside it"
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["some"]
    assert len(announcements) == 1
    assert "a scratch file of 2 MiB" in announcements[0]
    assert "wear: 2 MiB, and at most 8 MiB by the measurement" in announcements[0]


def test_a_directory_gets_a_scratch_file_that_is_announced_first(tmp_path: Path) -> None:
    announcements: list[str] = []
    with opened_target(tmp_path, SCRATCH, announcements) as target:
        assert (target.kind, target.is_scratch_file) == (TargetKind.DIRECTORY, True)
        assert target.descriptor is not None
        assert os.fstat(target.descriptor).st_nlink == 0
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(target.descriptor, bytes(4096), 0)  # the target is read-only
    assert len(announcements) == 1
    assert f"in {tmp_path}" in announcements[0]
    assert "stay free" in announcements[0]


def test_invalid_requirements_are_refused_before_any_write(tmp_path: Path) -> None:
    refused(tmp_path, TargetRequirements(need_direct=False, size_bytes=2 * MIB, span_bytes=3 * MIB))
    refused(
        tmp_path, TargetRequirements(need_direct=False, size_bytes=2 * MIB, block_bytes=(4 * MIB,))
    )
    refused(tmp_path, TargetRequirements(need_direct=False, size_bytes=1000))
    assert list(tmp_path.iterdir()) == []


def test_a_filesystem_is_not_filled_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ioprobe.target.target.filesystem_space", lambda _: FilesystemSpace(3 * MIB, 20 * MIB)
    )
    error = refused(tmp_path, SCRATCH)
    assert isinstance(error, UnableError)
    assert "3 MiB are free, and 2 MiB are kept free" in error.message


def test_a_write_error_leaves_neither_file_nor_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(UnableError, match="the disk is full after 0 B of 2 MiB"):
        opened_target(tmp_path, SCRATCH)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("not-there", "no such file, directory or device"),
        ("some/below", "no such file, directory or device"),
        ("a\0b", "invalid path"),
        ("x" * 300, "invalid path: File name too long"),
        ("loop", "invalid path: Too many levels of symbolic links"),
        ("", "no such file, directory or device"),
    ],
)
def test_an_invalid_path_is_refused(file: Path, name: str, message: str) -> None:
    (file.parent / "loop").symlink_to("loop")
    error = refused(f"{file.parent}/{name}" if name else "")
    assert isinstance(error, UsageError)
    assert message in error.message


def test_pipes_sockets_and_terminals_are_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/null")):
            assert "neither a file, a directory nor a block device" in refused(path).message


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert "is empty" in refused(tmp_path / "empty").message
    assert "is empty" in refused("/proc/self/maps").message


def test_a_file_smaller_than_a_request_or_the_span_is_refused(file: Path) -> None:
    error = refused(file, TargetRequirements(need_direct=False, block_bytes=(4096, 2 * MIB)))
    assert "has 1 MiB, less than one request of 2 MiB" in error.message
    error = refused(file, TargetRequirements(need_direct=False, span_bytes=2 * MIB))
    assert "less than a span of 2 MiB" in error.message
    error = refused(file, TargetRequirements(need_direct=False, offset_bytes=MIB, span_bytes=4096))
    assert error.remedy == "use a smaller offset"
    refused(file, TargetRequirements(need_direct=False, offset_bytes=-4096))
    refused(file, TargetRequirements(need_direct=False, block_bytes=(0,)))


def test_the_error_for_a_small_scratch_file_names_its_size(
    tmp_path: Path,
) -> None:
    error = refused(tmp_path, TargetRequirements(need_direct=False, size_bytes=1000))
    assert error.message == "a file of 1000 B is too small to measure a disk"


def test_a_span_of_a_file_can_be_selected(file: Path) -> None:
    with opened_target(
        file, TargetRequirements(need_direct=False, offset_bytes=8192, span_bytes=16384)
    ) as target:
        assert (target.offset_bytes, target.span_bytes) == (8192, 16384)


def test_sizes_that_are_not_aligned_are_refused(file: Path) -> None:
    with opened_target(file) as target:
        if not target.direct.available:
            pytest.skip("needs the kernel's O_DIRECT where temporary files are")
        unit = target.direct.alignment_bytes
        assert unit in (512, 1024, 2048, 4096)
        with pytest.raises(
            UsageError, match=f"request size of 1000 bytes is not a multiple of {unit}"
        ):
            target.check_block(1000)
    assert "an offset of 100 bytes" in refused(file, TargetRequirements(offset_bytes=100)).message


def test_a_filesystem_in_memory_is_refused_as_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Path("/dev/shm")
    if not shared.is_dir():
        pytest.skip("needs the kernel's tmpfs at /dev/shm")
    error = refused(shared, TargetRequirements(size_bytes=2 * MIB))
    assert isinstance(error, UnableError)
    assert "tmpfs keeps its files in memory" in error.message
    with opened_target(shared, SCRATCH) as target:
        assert not target.direct.available
        assert target.filesystem == "tmpfs"
        target.check_block(1000)  # the page cache accepts any size


def test_a_target_without_o_direct_is_refused_if_it_is_required(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_direct(monkeypatch)
    error = refused(file, TargetRequirements())
    assert "so only the page cache could be measured" in error.message
    assert "O_DIRECT" in error.message or "in memory" in error.message
    with opened_target(file) as target:
        assert not target.direct.available
        assert target.direct.missing


def test_holes_give_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as out:
        out.write(os.urandom(MIB))
        out.truncate(4 * MIB)
    with opened_target(path) as target:
        assert (
            target.warnings[-1]
            == f"75 % of {path} was never written: such blocks are read without a disk request"
        )


def test_destroy_is_refused_for_files_and_directories(file: Path) -> None:
    for path in (file, file.parent):
        error = refused(
            path, TargetRequirements(writable=True, destroy=str(path), need_direct=False)
        )
        assert "is not a block device" in error.message


def test_a_simulated_disk_needs_no_path() -> None:
    with opened_target("sim:servers=8,service=1ms") as target:
        assert target.kind == TargetKind.SIMULATED
        assert target.descriptor is None
        assert target.simulated is not None
        assert (target.simulated.servers, target.simulated.service_ns) == (8, 1_000_000)
        with target.cached() as cached:
            assert cached.descriptor is None


def test_other_files_stay_in_the_page_cache(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(os.urandom(MIB))
    with opened_target(tmp_path, SCRATCH), other.open("rb") as reading:
        page = bytearray(4096)
        try:
            # RWF_NOWAIT reads only what is in memory.
            assert os.preadv(reading.fileno(), [page], 0, os.RWF_NOWAIT) == 4096
        except OSError as error:
            assert error.errno == errno.EOPNOTSUPP  # tmpfs, which is always in memory
