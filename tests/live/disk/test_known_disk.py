"""The known disk itself: no request is answered early, faults come when planted, nothing stays."""

import errno
import mmap
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from stallscope.programs import program
from tests.live.disk.known_disk import known_disk

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_root")]

PAGE = 4096


@contextmanager
def direct(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_DIRECT)
    try:
        yield descriptor
    finally:
        with suppress(OSError):  # where the server was killed
            os.close(descriptor)


def read(descriptor: int, page: int = 0) -> bytes | int:
    """A page, or the number of the error."""
    with mmap.mmap(-1, PAGE) as place:
        try:
            assert os.preadv(descriptor, [place], page * PAGE) == PAGE
        except OSError as error:
            assert error.errno is not None
            return error.errno
        return place[:]


def test_the_known_disk_has_no_mount_point(tmp_path: Path) -> None:
    before = Path("/proc/self/mountinfo").read_text()
    with known_disk("--size-bytes", 1 << 20, "--service-us", 0) as disk:
        assert Path("/proc/self/mountinfo").read_text() == before
        assert Path(disk.path).stat().st_size == 1 << 20
        with direct(disk.path) as descriptor:
            noise = read(descriptor)
            assert isinstance(noise, bytes)
            assert len(set(noise)) > 200
            with mmap.mmap(-1, PAGE) as place:
                assert os.pwrite(descriptor, place, 0) == PAGE
    assert not Path(disk.path).exists()


@pytest.mark.parametrize(("servers", "readers"), [(1, 4), (4, 8)])
def test_requests_in_service_do_not_exceed_the_servers(servers: int, readers: int) -> None:
    service_s, requests = 0.004, 5
    with (
        known_disk("--servers", servers, "--service-us", int(service_s * 1e6)) as disk,
        direct(disk.path) as descriptor,
        ThreadPoolExecutor(readers) as pool,
    ):
        began = time.monotonic()
        answers = list(pool.map(lambda page: read(descriptor, page), range(readers * requests)))
        took_s = time.monotonic() - began
    assert all(isinstance(answer, bytes) for answer in answers)
    assert took_s >= readers * requests * service_s / servers


def test_a_time_slice_passes_the_planted_number_of_requests() -> None:
    words = ("--service-us", 0, "--slice-requests", 5, "--slice-ms", 50)
    with known_disk(*words) as disk, direct(disk.path) as descriptor:
        began = time.monotonic()
        for page in range(16):
            read(descriptor, page)
        # The first slice may be almost over; the others are whole but for the last.
        assert time.monotonic() - began >= 2 * 0.05


def test_errors_occur_as_planted() -> None:
    with (
        known_disk("--service-us", 0, "--fail-every", 3, "--fail-after", 7) as disk,
        direct(disk.path) as descriptor,
    ):
        failed = [read(descriptor) == errno.EIO for _ in range(9)]
    assert failed == [False, False, True, False, False, True, False, True, True]


@pytest.mark.parametrize("word", ["--slow-every", "--slow-after"])
def test_slow_requests_occur_as_planted(word: str) -> None:
    with (
        known_disk("--service-us", 0, "--slow-us", 200_000, word, 2) as disk,
        direct(disk.path) as descriptor,
    ):
        took_s = []
        for _ in range(4):
            began = time.monotonic()
            read(descriptor)
            took_s.append(time.monotonic() - began)
    slow = [False, True, False, True] if word == "--slow-every" else [False, False, True, True]
    assert all(time_s >= 0.2 for time_s, is_slow in zip(took_s, slow, strict=True) if is_slow)
    fast_s = [time_s for time_s, is_slow in zip(took_s, slow, strict=True) if not is_slow]
    assert min(fast_s) < 0.2  # were all slow, none could be


def test_a_kill_ends_requests_in_flight() -> None:
    with (
        known_disk("--service-us", 600_000_000) as disk,
        direct(disk.path) as descriptor,
        ThreadPoolExecutor(1) as pool,
    ):
        reading = pool.submit(read, descriptor)
        disk.process.kill()
        assert reading.result(timeout=60) in (errno.ENOTCONN, errno.ECONNABORTED)
    assert not Path(disk.path).exists()


PARENT = """
import subprocess, sys
server = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE, text=True)
if server.stdout.readline():
    print(server.pid, flush=True)
    sys.stdin.read()
"""


def test_the_known_disk_ends_with_its_parent() -> None:
    with known_disk():  # skips where there is no FUSE
        pass
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, program("stallscope-known-disk")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        server = os.pidfd_open(int(parent.stdout.readline()))
        try:
            parent.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([server], [], [], 60)
            assert ended
        finally:
            os.close(server)


@pytest.mark.parametrize(
    "words",
    [("--servers", "0"), ("--service-us", "-1"), ("--slow-every", "2"), ("--size-bytes", "x")],
)
def test_invalid_options_are_refused(words: tuple[str, str]) -> None:
    done = subprocess.run(
        [program("stallscope-known-disk"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "remedy: " in done.stderr
