"""Mounts from mountinfo: parsing, the mount of a path, and the upper layer of overlay."""

from pathlib import Path

import pytest

from ioprobe.target.mounts import covering_mount, mounts, upper_layer
from stallscope.system_files import Roots

LINES = (
    "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro",
    "22 21 0:30 / /tmp\\040x rw - tmpfs none rw,size=1k",
    "23 21 0:31 / /over rw - overlay overlay rw,lowerdir=/l,upperdir=/tmp\\040x/up,workdir=/w",
    "24 21 0:32 / /again rw - overlay overlay rw,lowerdir=/l,upperdir=/over/up,workdir=/w",
    "25 21 0:33 / /relative rw - overlay overlay rw,lowerdir=l,upperdir=up,workdir=w",
    "26 21 8:2 / / rw - xfs /dev/sdb rw",
    "x 21 8:2 / /bad rw - xfs /dev/sdb rw",
    "27 21 8 / /bad rw - xfs /dev/sdb rw",
    "28 21 8:2 / /bad rw xfs /dev/sdb rw",
    "29 21 8:2 / /bad - xfs",
)


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text("\n".join(LINES))
    return Roots.recorded(tmp_path)


def test_escapes_are_decoded_and_malformed_lines_skipped(roots: Roots) -> None:
    mount_list = list(mounts(roots))
    assert [mount.mount_id for mount in mount_list] == [21, 22, 23, 24, 25, 26]
    assert (mount_list[0].device_number, mount_list[0].source) == ((8, 1), "/dev/sda1")
    assert mount_list[0].super_options == ("rw", "errors=remount-ro")
    assert mount_list[1].mount_point == "/tmp x"
    assert "upperdir=/tmp x/up" in mount_list[2].super_options


def test_the_longest_and_latest_mount_point_covers_a_path(roots: Roots) -> None:
    def mount_id(path: str) -> int | None:
        mount = covering_mount(path, roots)
        return mount and mount.mount_id

    assert (mount_id("/tmp x/a/b"), mount_id("/tmp xy"), mount_id("/etc")) == (22, 26, 26)


def test_the_upper_layer_of_an_overlay_is_the_mount_of_its_upper_directory(roots: Roots) -> None:
    uppers = {mount.mount_id: upper_layer(mount, roots) for mount in mounts(roots)}
    assert uppers[23] is not None
    assert uppers[23].filesystem == "tmpfs"
    assert [key for key, upper in uppers.items() if upper is not None] == [23]
