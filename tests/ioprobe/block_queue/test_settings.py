"""Settings that limit the queue depth on recorded machines."""

import shutil

import pytest

from ioprobe.block_queue.settings import (
    depth_limit_text,
    device_settings,
    mount_settings,
)
from tests.ioprobe.block_queue.recorded import Machines, queue_of


def test_a_disk_may_accept_fewer_requests_than_its_controller(machine: Machines) -> None:
    roots = machine("sata-rotational")
    folder = (roots.sys / "class/block/sda").resolve()
    (folder / "device/queue_depth").write_text("1\n")
    disk = queue_of(roots, "/dev/sda").devices[0]
    assert disk.queue is not None
    assert disk.queue.on_device == 1
    meanings = {setting.key: setting.meaning for setting in device_settings(disk)}
    assert "one request at a time" in meanings["lun_depth"]


@pytest.mark.parametrize(
    ("option", "text"),
    [("sync", "one writer keeps one"), ("dax=always", "there is no queue"), ("noatime", None)],
)
def test_mount_options_that_affect_depth_are_explained(
    machine: Machines, option: str, text: str | None
) -> None:
    roots = machine("sata-rotational")
    path = roots.proc / "self/mountinfo"
    path.write_text(path.read_text().replace("rw,attr2", f"rw,{option}"))
    mount = queue_of(roots, "/x").location.mount
    assert mount is not None
    meanings = {setting.value: setting.meaning for setting in mount_settings(mount)}
    assert meanings.get(option) is None if text is None else text in meanings[option]


@pytest.mark.parametrize(
    ("name", "text"),
    [("nvme0n1", "passes requests to devices"), ("zram0", "more depth than CPUs gains nothing")],
)
def test_a_device_without_tags_has_no_limit(machine: Machines, name: str, text: str) -> None:
    """The head device of a multipath NVMe namespace has no tags, nor has memory."""
    roots = machine("nvme")
    folder = (roots.sys / "class/block/nvme0n1").resolve()
    shutil.rmtree(folder / "mq")
    other = folder.with_name(name)
    folder.rename(other)
    for link in (roots.sys / "class/block" / name, roots.sys / "dev/block/259:0"):
        link.unlink(missing_ok=True)
        link.symlink_to(other)
    queue = queue_of(roots, f"/dev/{name}")
    assert text in depth_limit_text(queue)
    (device,) = queue.devices
    assert {setting.key: setting.value for setting in device_settings(device)}[
        "nr_requests"
    ] == "no limit"
