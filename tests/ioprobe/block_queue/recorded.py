"""Queues of recorded machines."""

from collections.abc import Callable
from pathlib import Path

from ioprobe.block_queue.queue import (
    BlockQueue,
    DeviceKind,
)
from ioprobe.block_queue.snapshot import read_block_queue
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def queue_of(roots: Roots, path: str) -> BlockQueue:
    return read_block_queue(Path(path), roots)


def names(queue: BlockQueue) -> list[tuple[str, DeviceKind, int]]:
    return [(device.name, device.kind, device.level) for device in queue.devices]
