import numpy as np
import pytest

from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.kernel_locks import kernel_locks, lock_kind
from topdown.waits.records import NO_THREAD, KernelContention
from topdown.waits.stack_names import StackNames

NAMES = StackNames.build([(("rwsem_down_write_slowpath", "do_mmap", "ksys_mmap"), ("main",))])


def contention(*rows: tuple[int, int, int, int, int]) -> KernelContention:
    """Return records of (time, thread, address, flags, end)."""
    time, thread, address, flags, end = (list(column) for column in zip(*rows, strict=True))
    return KernelContention(
        np.array(time, np.uint64),
        np.array(thread, np.uint32),
        np.array(address, np.uint64),
        np.array(flags, np.uint32),
        np.array(end, np.uint8),
        np.zeros(len(time), np.uint32),
    )


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        (1, "spin"),
        (3, "rwlock-read"),
        (5, "rwlock-write"),
        (2, "rwsem-read"),
        (4, "rwsem-write"),
        (8, "rt-mutex"),
        (18, "percpu-rwsem"),
        (32, "mutex"),
        (33, "spin"),
        (0, "semaphore"),
    ],
)
def test_flags_give_the_kind(flags: int, kind: str) -> None:
    assert lock_kind(flags) == kind


def test_waits_of_the_target_are_added_up_by_lock() -> None:
    rows = contention(
        (10, 0, 0xA, 4, 0),
        (20, 1, 0xA, 4, 0),
        (40, 0, 0xA, 0, 1),
        (45, 1, 0xA, 0, 1),
        (50, 0, 0xB, 32, 0),
        (51, 0, 0xB, 0, 1),
        (60, 2, 0xA, 4, 0),  # another process
        (90, 2, 0xA, 0, 1),
        (95, NO_THREAD, 0xA, 0, 1),
    )
    text = "A R0-1\nB@1 R0-1\nC/!other R0-1"
    records = build_records(text, contention=rows).records
    first, second = kernel_locks(records, NAMES)
    assert (first.address, first.kind, first.wait_ns, first.waits) == (0xA, "rwsem-write", 55, 2)
    assert first.function == "do_mmap"
    assert (second.kind, second.wait_ns) == ("mutex", 1)


def test_a_begin_without_an_end_does_not_count() -> None:
    rows = contention((10, 0, 0xA, 4, 0), (20, 0, 0xB, 4, 0), (30, 0, 0xA, 0, 1))
    assert kernel_locks(build_records("A R0-1", contention=rows).records, NAMES) == []


def test_without_records_there_are_no_kernel_locks() -> None:
    assert kernel_locks(build_records("A R0-1").records, NAMES) == []
