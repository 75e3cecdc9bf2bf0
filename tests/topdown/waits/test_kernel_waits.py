from topdown.waits.kernel_waits import (
    DISK,
    KERNEL_LOCK,
    PAGE_FAULT,
    kernel_groups,
    program_groups,
    throttled_stacks,
)
from topdown.waits.stack_names import StackNames
from topdown.waits.waiting_calls import CallGroup


def test_the_frame_nearest_to_the_leaf_decides() -> None:
    names = StackNames.build(
        [
            (("schedule", "filemap_fault", "vfs_read"), ()),
            (("schedule", "mutex_lock", "__mutex_lock.constprop.0", "vfs_read"), ()),
            (("schedule",), ("vfs_read",)),
        ]
    )
    assert kernel_groups(names).tolist() == [PAGE_FAULT, KERNEL_LOCK, -1]


def test_callers_of_a_wait_for_a_disk_show_its_purpose() -> None:
    names = StackNames.build(
        [
            (("schedule", "io_schedule", "folio_wait_bit_common", "filemap_fault"), ()),
            (("schedule", "io_schedule", "__iomap_dio_rw", "ext4_file_write_iter"), ()),
            (("schedule", "io_schedule"), ()),
        ]
    )
    assert kernel_groups(names).tolist() == [PAGE_FAULT, CallGroup.DISK_WRITE, DISK]


def test_functions_of_libc_show_the_system_call() -> None:
    stacks = [((), ("__libc_recv", "main")), ((), ("epoll_wait",)), ((), ("main",))]
    groups = program_groups(StackNames.build(stacks)).tolist()
    assert groups == [CallGroup.NETWORK, CallGroup.POLL, -1]


def test_throttling_is_recognised_in_the_kernel_chain_only() -> None:
    names = StackNames.build(
        [
            (("__cond_resched", "task_work_run", "exit_to_user_mode_loop"), ()),
            (("schedule", "throttle_cfs_rq_work", "task_work_run"), ()),
            (("__cond_resched", "__fput", "task_work_run"), ()),
            ((), ("task_work_run",)),
        ]
    )
    assert throttled_stacks(names).tolist() == [True, True, False, False]


def test_no_stacks_have_no_groups() -> None:
    assert kernel_groups(StackNames.build([])).tolist() == []
