"""Checks of devices before overwriting, on recorded trees of /proc and /sys."""

from pathlib import Path

import pytest

from ioprobe.target.block_devices import block_device
from ioprobe.target.device_checks import check_destroy_option, check_unused
from stallscope.errors import UsageError
from stallscope.system_files import Roots
from tests.ioprobe.target.disks import DISK, SDZ, SDZ1


def refusal(roots: Roots, number: tuple[int, int] = SDZ) -> str:
    device = block_device(number, roots)
    assert device is not None
    with pytest.raises(UsageError) as caught:
        check_unused(device, roots)
    assert caught.value.message.startswith(device.path)
    assert caught.value.message.endswith("; nothing was written")
    assert caught.value.remedy
    return caught.value.message


def test_an_unused_disk_passes(machine) -> None:
    roots = machine({})
    for number in (SDZ, SDZ1):
        device = block_device(number, roots)
        assert device is not None
        check_unused(device, roots)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({f"{DISK}/ro": "1"}, "is read-only"),
        ({f"{DISK}/size": "2048"}, "is smaller than 4 MiB"),
        ({f"{DISK}/size": "?"}, "its size is unknown"),
        (
            {"proc/self/mountinfo": "9 1 8:400 / /a\\040b rw - xfs /dev/x rw"},
            "it is mounted at /a b",
        ),
        (
            {"proc/self/mountinfo": "9 1 8:401 / /mnt rw - ext4 /dev/disk/by-id/x rw"},
            "/dev/sdz1 is mounted at /mnt",
        ),
        # btrfs uses numbers of no device
        (
            {"proc/self/mountinfo": "9 1 0:44 / /b rw - btrfs /dev/sdz1 rw"},
            "/dev/sdz1 is mounted at /b",
        ),
        ({"proc/swaps": "Filename\n/dev/sdz  partition 1 0 -2"}, "it is swap"),
        ({"proc/swaps": "Filename\n/dev/sdz1\tpartition 1 0 -2"}, "/dev/sdz1 is swap"),
        ({f"{DISK}/holders/dm-3/x": ""}, "it is held by dm-3"),
        ({f"{DISK}/sdz1/holders/md0/x": ""}, "/dev/sdz1 is held by md0: RAID"),
        ({"sys/block/loop4/loop/backing_file": "/dev/sdz1"}, "/dev/sdz1 is below /dev/loop4"),
    ],
)
def test_a_disk_in_use_is_refused(machine, changes, message: str) -> None:
    assert message in refusal(machine(changes))


def test_a_disk_open_in_a_process_is_refused(machine, tmp_path: Path) -> None:
    roots = machine({"proc/77/fd/x": ""})
    (tmp_path / "proc/77/fd/3").symlink_to("/dev/sdz")
    assert "process 77 has it open" in refusal(roots)
    assert "process 77 has /dev/sdz open" in refusal(roots, SDZ1)


def test_a_disk_with_a_partition_open_in_a_process_is_refused(machine, tmp_path: Path) -> None:
    roots = machine({"proc/77/fd/x": ""})
    (tmp_path / "proc/77/fd/3").symlink_to("/dev/sdz1")
    assert "process 77 has /dev/sdz1 open" in refusal(roots)


def test_a_partition_of_a_held_disk_is_refused(machine) -> None:
    assert "/dev/sdz is held by md0" in refusal(machine({f"{DISK}/holders/md0/x": ""}), SDZ1)


@pytest.mark.parametrize("name", ["/dev/sdz1", "sda", "/dev/sd", "", "/dev/../dev/sdz", "yes"])
def test_a_different_device_name_is_refused(machine, name: str) -> None:
    device = block_device(SDZ, machine({}))
    assert device is not None
    with pytest.raises(UsageError) as caught:
        check_destroy_option(device, name)
    assert "--destroy /dev/sdz" in caught.value.remedy
    with pytest.raises(UsageError, match="destroys its content"):
        check_destroy_option(device, None)
    check_destroy_option(device, "/dev/sdz")
    check_destroy_option(device, "sdz")
