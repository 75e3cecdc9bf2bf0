"""Lines of mountinfo, and which mount a path or an overlay's upper layer is on."""

from pathlib import Path

import pytest

from ioprobe.target.mounts import covering, mounts, upper_layer
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


def test_lines_are_read_with_their_escapes_and_others_left_out(roots: Roots) -> None:
    found = list(mounts(roots))
    assert [mount.mount_id for mount in found] == [21, 22, 23, 24, 25, 26]
    assert (found[0].device_number, found[0].source) == ((8, 1), "/dev/sda1")
    assert found[0].super_options == ("rw", "errors=remount-ro")
    assert found[1].mount_point == "/tmp x"
    assert "upperdir=/tmp x/up" in found[2].super_options


def test_the_longest_and_latest_mount_holds_a_path(roots: Roots) -> None:
    def holder(path: str) -> int | None:
        found = covering(path, roots)
        return found and found.mount_id

    assert (holder("/tmp x/a/b"), holder("/tmp xy"), holder("/etc")) == (22, 26, 26)


def test_an_overlay_is_on_what_its_upper_layer_is_on(roots: Roots) -> None:
    found = {mount.mount_id: upper_layer(mount, roots) for mount in mounts(roots)}
    assert found[23] is not None
    assert found[23].filesystem == "tmpfs"
    assert [key for key, value in found.items() if value is not None] == [23]
