"""Disks in a recorded sysfs: partitions, bio-based devices, kernel counters."""

from pathlib import Path

import pytest

from ioprobe.watch.devices import all_devices, kernel_request_counts, named_devices
from stallscope.errors import UsageError
from stallscope.system_files import Roots


def add(sys: Path, folder: str, number: str, **files: str) -> None:
    place = sys / "devices" / folder
    place.mkdir(parents=True)
    (place / "dev").write_text(number)
    (place / "size").write_text("8")
    for name, text in files.items():
        path = place / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for links in (sys / "dev" / "block" / number, sys / "block" / place.name):
        links.parent.mkdir(parents=True, exist_ok=True)
        links.symlink_to(place)


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    sys = tmp_path / "sys"
    add(sys, "sda", "8:0", mq__0="", stat="10 2 160 5 20 3 320 7 0 9 12", queue__iostats="1")
    add(sys, "sda/sda1", "8:1", partition="1")
    add(sys, "zram0", "253:0", stat="1 2 3", queue__iostats="1")
    add(sys, "cciss!c0d0", "104:0", mq__0="", stat="1 0 8 1 2 0 8 1 0 1 1", queue__iostats="0")
    return Roots.recorded(tmp_path)


def test_disks_are_listed_with_their_partitions(roots: Roots) -> None:
    cciss, sda, zram = all_devices(roots)
    assert (cciss.name, cciss.major_minor) == ("cciss/c0d0", "104:0")
    assert (sda.number, sda.partitions, sda.bio_based) == (8 << 20, (8 << 20 | 1,), False)
    assert zram.bio_based


def test_kernel_counters_are_read_if_enabled(roots: Roots) -> None:
    cciss, sda, zram = all_devices(roots)
    assert kernel_request_counts(sda, roots) == {
        "reads": 10,
        "read_merges": 2,
        "writes": 20,
        "write_merges": 3,
    }
    assert kernel_request_counts(cciss, roots) is None  # iostats are off
    assert kernel_request_counts(zram, roots) is None  # damaged


def test_an_unknown_device_is_refused(tmp_path: Path, roots: Roots) -> None:
    for word in ("no-such-disk", "", "\0", str(tmp_path)):
        with pytest.raises(UsageError, match="is not a block device"):
            named_devices([word], roots)


def test_without_sysfs_there_are_no_disks(tmp_path: Path) -> None:
    assert all_devices(Roots.recorded(tmp_path / "nothing")) == ()
