"""Directories and files that cannot be measured, on filesystems made for it, and as not root."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ioprobe.target.target import TargetRequirements, open_target
from stallscope.errors import StallscopeError, UnableError

pytestmark = [pytest.mark.live, pytest.mark.usefixtures("needs_root")]

MIB = 2**20
NOBODY = 65534

MOUNTS = """
import json, os, subprocess, sys
from pathlib import Path
from ioprobe.target.target import TargetRequirements, open_target
from stallscope.errors import StallscopeError

def mounted(name, *words):
    point = Path(sys.argv[1], name)
    point.mkdir()
    subprocess.run(["mount", *words, str(point)], check=True)
    return point

def message(path, requirements, announce=lambda line: None):
    try:
        with open_target(str(path), requirements, announce=announce) as target:
            return f"{target.filesystem}: {target.warnings}"
    except StallscopeError as error:
        return f"{type(error).__name__}: {error.message} | {error.remedy}"

def fill(line):
    (small / "others").write_bytes(bytes(12 << 20))

CACHED = TargetRequirements(need_direct=False, size_bytes=8 << 20)
small = mounted("small", "-t", "tmpfs", "-o", "size=16m", "none")
full = message(small, CACHED, fill)
left = os.listdir(small)
memory = message(small, TargetRequirements(size_bytes=1 << 20))
layers = mounted("layers", "-t", "tmpfs", "none")
for layer in ("lower", "upper", "work"):
    (layers / layer).mkdir()
options = f"lowerdir={layers}/lower,upperdir={layers}/upper,workdir={layers}/work"
overlay = over_cached = None
try:
    over = mounted("over", "-t", "overlay", "-o", options, "none")
    overlay = message(over, TargetRequirements(size_bytes=1 << 20))
    over_cached = message(over, TargetRequirements(need_direct=False, size_bytes=1 << 20))
except subprocess.CalledProcessError:
    pass
free = os.statvfs(small).f_bavail * os.statvfs(small).f_frsize
subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
print(json.dumps({
    "full": full,
    "left": left,
    "free": free,
    "read_only": message(small, TargetRequirements(need_direct=False, size_bytes=1 << 20)),
    "read_only_file": message(small / "others", TargetRequirements(need_direct=False)),
    "memory": memory,
    "overlay": overlay,
    "over_cached": over_cached,
}))
"""


@pytest.fixture(scope="module")
def messages(
    tmp_path_factory: pytest.TempPathFactory, own_mounts: tuple[str, ...], checkout: Path
) -> dict[str, str]:
    """What was said of filesystems that only that process had mounted."""
    done = subprocess.run(
        [*own_mounts, sys.executable, "-c", MOUNTS, str(tmp_path_factory.mktemp("mounts"))],
        capture_output=True, text=True, cwd=checkout, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_disk_that_fills_up_is_one_error_and_its_space_is_freed(messages) -> None:
    assert messages["full"].startswith("UnableError: ")
    assert "the disk is full after 4 MiB of 8 MiB; the scratch file was removed" in messages["full"]
    assert messages["left"] == ["others"]
    assert messages["free"] == 4 * MIB


def test_a_read_only_mount_permits_only_reads_of_files(messages) -> None:
    assert "is mounted read-only" in messages["read_only"]
    assert "name a file in it" in messages["read_only"]
    assert messages["read_only_file"].startswith("tmpfs: ")


def test_a_filesystem_in_memory_is_refused(messages) -> None:
    assert "tmpfs keeps its files in memory" in messages["memory"]


def test_an_overlay_is_treated_as_its_upper_layer(messages) -> None:
    if messages["overlay"] is None:
        pytest.skip("needs the kernel's overlay filesystem")
    assert "tmpfs keeps its files in memory" in messages["overlay"]
    assert messages["over_cached"] == "overlay: ()"


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("what", ["file", "directory", "device"])
def test_missing_permissions_are_reported(open_folder: Path, what: str) -> None:
    (open_folder / "file").write_bytes(bytes(MIB))
    (open_folder / "file").chmod(0o600)
    (open_folder / "directory").mkdir(0o755)
    path = "/dev/loop0" if what == "device" else str(open_folder / what)
    if not Path(path).exists():
        pytest.skip("needs the kernel's loop devices: there is none")
    with as_ordinary_user(), pytest.raises(UnableError) as caught:
        open_target(
            path, TargetRequirements(need_direct=False, size_bytes=MIB), announce=pytest.fail
        ).close()
    said = "no permission to create a file" if what == "directory" else "permission denied"
    assert said in caught.value.message
    assert caught.value.remedy


def test_a_user_measures_in_their_directory(open_folder: Path) -> None:
    with as_ordinary_user():
        requirements = TargetRequirements(need_direct=False, size_bytes=MIB)
        with open_target(str(open_folder), requirements, announce=lambda _: None) as target:
            assert target.descriptor is not None
            assert os.fstat(target.descriptor).st_uid == NOBODY
    assert list(open_folder.iterdir()) == []


def test_a_device_without_permission_is_not_overwritten(scratch_device: str) -> None:
    requirements = TargetRequirements(writable=True, destroy=scratch_device)
    with as_ordinary_user(), pytest.raises(StallscopeError, match="permission denied"):
        open_target(scratch_device, requirements, announce=pytest.fail).close()
