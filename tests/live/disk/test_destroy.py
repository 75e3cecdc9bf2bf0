"""Which devices are written at all: loop devices on which this and that was put."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ioprobe.target.target import TargetKind, TargetRequirements, open_target
from stallscope.errors import StallscopeError, UsageError

pytestmark = pytest.mark.live

MIB = 2**20
LUKS = b"LUKS\xba\xbe\x00\x01".ljust(512, b"\0")
MBR = bytes(446) + bytes.fromhex("00000000 83000000 01000000 00100000") + bytes(48) + b"\x55\xaa"


def swap_header() -> bytes:
    """Version 1, its last page, then the words at the end of the first page."""
    header = bytearray(4096)
    header[1024:1028], header[1028:1032] = (1).to_bytes(4, "little"), (4095).to_bytes(4, "little")
    header[4086:] = b"SWAPSPACE2"
    return bytes(header)


def ext_superblock() -> bytes:
    """Just what makes an ext2 of zeros: magic, block counts, revision."""
    superblock = bytearray(1024)
    for at, size, value in (
        (0, 4, 2048),
        (4, 4, 16384),
        (32, 4, 8192),
        (56, 2, 0xEF53),
        (76, 4, 1),
    ):
        superblock[at : at + size] = value.to_bytes(size, "little")
    return bytes(1024) + bytes(superblock)


def put(device: str, content: bytes, offset: int = 0) -> None:
    with open(device, "r+b", buffering=0) as out:
        os.pwrite(out.fileno(), content, offset)
        os.fsync(out.fileno())


def refused(device: str, destroy: str | None = None) -> str:
    announcements: list[str] = []
    requirements = TargetRequirements(writable=True, destroy=destroy or device)
    with pytest.raises(StallscopeError) as caught:
        open_target(device, requirements, announce=announcements.append).close()
    assert announcements == []
    assert caught.value.remedy
    return caught.value.message


def test_an_unused_device_named_twice_is_opened_for_writing(
    scratch_device: str, scratch_file: Path
) -> None:
    announcements: list[str] = []
    requirements = TargetRequirements(
        writable=True, destroy=scratch_device, offset_bytes=MIB, span_bytes=MIB
    )
    with open_target(scratch_device, requirements, announce=announcements.append) as target:
        assert (target.kind, target.writable, target.span_bytes) == (TargetKind.DEVICE, True, MIB)
        assert target.direct.available
        assert len(announcements) == 1
        assert announcements[0].startswith(f"overwriting {scratch_device}, 1 MiB from offset {MIB}")
        assert target.descriptor is not None
        with pytest.raises(OSError, match="busy"):  # no process can mount it meanwhile
            os.open(scratch_device, os.O_RDONLY | os.O_EXCL)
    assert scratch_file.read_bytes() == b"\x55" * len(scratch_file.read_bytes())


def test_a_device_opened_for_reads_cannot_be_written(scratch_device: str) -> None:
    with open_target(scratch_device, TargetRequirements(), announce=pytest.fail) as target:
        assert target.kind == TargetKind.DEVICE
        assert target.device is not None
        assert target.device.path == scratch_device
        assert target.span_bytes == 16 * MIB
        assert target.descriptor is not None
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.pwrite(target.descriptor, bytes(4096), 0)
    with pytest.raises(UsageError, match="this measurement does not write"):
        open_target(
            scratch_device, TargetRequirements(destroy=scratch_device), announce=pytest.fail
        )


@pytest.mark.parametrize("typed", ["/dev/sda", "loop", "/dev/loop", "y"])
def test_a_different_name_is_refused(scratch_device: str, typed: str) -> None:
    assert f"the device to write is {scratch_device}" in refused(scratch_device, typed)
    with pytest.raises(UsageError, match="destroys its content"):
        open_target(scratch_device, TargetRequirements(writable=True), announce=pytest.fail)


def test_a_link_is_refused_as_a_name(scratch_device: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(scratch_device)
    assert f"the device to write is {scratch_device}" in refused(str(link), str(link))


@pytest.mark.parametrize(
    ("content", "offset", "name"),
    [
        (ext_superblock(), 0, "ext2"),
        (swap_header(), 0, "swap"),
        (LUKS, 0, "crypto_LUKS"),
        (MBR, 0, "dos"),
    ],
)
def test_a_signature_is_refused(
    scratch_device: str, content: bytes, offset: int, name: str
) -> None:
    put(scratch_device, content, offset)
    message = refused(scratch_device)
    assert "it holds " in message
    assert name in message


def test_a_disk_with_a_signature_on_a_partition_is_refused(scratch_device: str) -> None:
    with partition(scratch_device) as part:
        open_target(
            scratch_device,
            TargetRequirements(writable=True, destroy=scratch_device),
            announce=lambda _: None,
        ).close()
        put(part, LUKS)
        assert f"{part} holds crypto_LUKS" in refused(scratch_device)


def test_a_disk_with_a_held_partition_is_refused(scratch_device: str) -> None:
    with partition(scratch_device) as part:
        holder = os.open(part, os.O_RDONLY | os.O_EXCL)
        try:
            assert "it is in use" in refused(scratch_device)
            assert "it is in use" in refused(part)
        finally:
            os.close(holder)


def test_a_held_device_is_refused(scratch_device: str) -> None:
    holder = os.open(scratch_device, os.O_RDONLY | os.O_EXCL)
    try:
        assert "the kernel reports that it is in use" in refused(scratch_device)
    finally:
        os.close(holder)


def test_a_device_open_in_a_process_is_refused(scratch_device: str) -> None:
    with (
        open(scratch_device, "rb") as standard_input,
        subprocess.Popen(
            ["cat"], stdin=subprocess.PIPE, pass_fds=[standard_input.fileno()]
        ) as other,
    ):
        assert f"process {other.pid} has it open" in refused(scratch_device)
        assert other.stdin is not None
        other.stdin.close()


def test_a_device_open_by_another_node_is_refused(scratch_device: str, tmp_path: Path) -> None:
    node = tmp_path / "node"  # as a container has its own
    os.mknod(node, stat.S_IFBLK | 0o600, Path(scratch_device).stat().st_rdev)
    try:
        node.open("rb").close()
    except PermissionError:
        pytest.skip("needs the kernel's device nodes in this filesystem")
    with (
        node.open("rb") as opened,
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[opened.fileno()]) as other,
    ):
        assert f"process {other.pid} has it open" in refused(scratch_device)
        assert other.stdin is not None
        other.stdin.close()


def test_a_read_only_device_is_refused(scratch_device: str) -> None:
    subprocess.run(["blockdev", "--setro", scratch_device], check=True)
    try:
        assert "is read-only" in refused(scratch_device)
    finally:  # the kernel keeps it for the loop device's next file
        subprocess.run(["blockdev", "--setrw", scratch_device], check=True)


MOUNTED = """
import subprocess, sys
from ioprobe.target.target import TargetRequirements, open_target
from stallscope.errors import StallscopeError
device, point = sys.argv[1:]
subprocess.run(["mount", "-t", "ext4", device, point], check=True)
try:
    open_target(device, TargetRequirements(writable=True, destroy=device), announce=print)
except StallscopeError as error:
    print(error.message, flush=True)
sys.stdin.readline()
"""


def test_a_mounted_device_is_refused_in_every_namespace(
    scratch_device: str, tmp_path: Path, own_mounts: tuple[str, ...], checkout: Path
) -> None:
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("needs the program mkfs.ext4")
    subprocess.run(["mkfs.ext4", "-q", scratch_device], check=True)
    point = tmp_path / "point"
    point.mkdir()
    with subprocess.Popen(
        [*own_mounts, sys.executable, "-c", MOUNTED, scratch_device, str(point)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=checkout,
    ) as inside:  # fmt: skip
        assert inside.stdout is not None
        assert f"it is mounted at {point}" in inside.stdout.readline()
        assert "in use (mounted in another namespace" in refused(scratch_device)
        inside.communicate("\n")


def test_swap_is_refused(scratch_device: str) -> None:
    put(scratch_device, swap_header())
    if subprocess.run(["swapon", scratch_device], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the kernel's swapping to loop devices")
    try:
        assert "it is swap" in refused(scratch_device)
    finally:
        subprocess.run(["swapoff", scratch_device], check=True)


@contextmanager
def partition(device: str) -> Iterator[str]:
    """A partition from 1 MiB on that only the kernel knows of."""
    words = ["addpart", device, "1", "2048", "16384"]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the kernel's partitions of loop devices")
    node = f"{device}p1"
    try:
        if not Path(node).exists():
            pytest.skip("needs the kernel's devtmpfs at /dev")
        yield node
    finally:
        subprocess.run(["delpart", device, "1"], check=True)
