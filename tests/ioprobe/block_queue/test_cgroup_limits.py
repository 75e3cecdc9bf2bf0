"""Limits of the I/O of cgroups on recorded machines."""

from ioprobe.block_queue.cgroup_limits import CgroupLimit
from ioprobe.block_queue.settings import (
    depth_limit_text,
)
from tests.ioprobe.block_queue.recorded import Machines, queue_of


def test_limits_of_this_cgroup_and_its_ancestors(machine: Machines) -> None:
    queue = queue_of(machine("sata-rotational"), "/x")
    disk = queue.devices[-1]
    assert disk.limits == (
        CgroupLimit("/system.slice/db.service", "8:0", "wbps", 104_857_600),
        CgroupLimit("/system.slice/db.service", "8:0", "riops", 2000),
    )
    assert "this cgroup is limited to 2,000 reads per second" in depth_limit_text(queue)
    assert disk.queue is not None
    assert disk.queue.async_depth == 48
    guest = queue_of(machine("virtio-guest"), "/x").devices[0]
    assert guest.limits == (CgroupLimit("/machine", "254:0", "riops", 2000),)
