"""Functions that show what a thread waits for: the kernel's, and those of libc for system calls.

The rule of the frame nearest to the leaf decides: a reader of a file that faults waits for the
fault. Only functions of every wait for a disk, such as io_schedule, yield to their callers.
Functions that serve several purposes, such as folio_wait_bit_common, are left out.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from topdown.waits.stack_names import StackNames
from topdown.waits.waiting_calls import CallGroup

# Groups beyond those of system calls.
KERNEL_LOCK, PAGE_FAULT, STOPPED, PIPE, TERMINAL, EXIT, DISK = range(64, 71)

_KERNEL_NAMES: Mapping[int, str] = {
    CallGroup.FUTEX: """futex_wait futex_wait_queue __futex_wait futex_wait_multiple do_futex
        futex_lock_pi futex_wait_requeue_pi futex_do_wait""",
    KERNEL_LOCK: """rwsem_down_read_slowpath rwsem_down_write_slowpath __mutex_lock
        __mutex_lock_slowpath __mutex_lock_killable_slowpath __mutex_lock_interruptible_slowpath
        percpu_rwsem_wait __percpu_down_read percpu_down_write rt_mutex_slowlock __down
        __down_common __down_interruptible flock_lock_inode_wait posix_lock_inode_wait
        locks_lock_inode_wait do_lock_file_wait fcntl_setlk vma_start_write __vma_start_write""",
    CallGroup.NETWORK: """sk_wait_data tcp_recvmsg tcp_recvmsg_locked tcp_sendmsg
        sk_stream_wait_memory sk_stream_wait_connect inet_csk_accept inet_csk_wait_for_connect
        inet_stream_connect __inet_stream_connect inet_wait_for_connect unix_stream_read_generic
        unix_stream_data_wait unix_stream_recvmsg unix_stream_sendmsg unix_wait_for_peer
        __skb_wait_for_more_packets __skb_recv_udp udp_recvmsg sock_recvmsg sock_sendmsg
        sock_read_iter sock_write_iter sock_alloc_send_pskb __sys_recvfrom __sys_sendto
        __sys_accept4 __sys_connect unix_accept rpc_wait_bit_killable vsock_connectible_recvmsg""",
    CallGroup.POLL: """do_epoll_wait ep_poll do_poll do_sys_poll poll_schedule_timeout do_select
        core_sys_select""",
    CallGroup.SLEEP: "do_nanosleep hrtimer_nanosleep common_nsleep __do_sys_pause timerfd_read",
    PIPE: """pipe_read anon_pipe_read pipe_write anon_pipe_write pipe_wait_readable
        pipe_wait_writable fifo_open wait_for_partner eventfd_read eventfd_write signalfd_read
        inotify_read""",
    TERMINAL: "n_tty_read n_tty_write tty_read",
    CallGroup.EVENT: """do_wait kernel_wait4 kernel_waitid do_sigtimedwait sigsuspend
        __do_sys_rt_sigsuspend wait_for_vfork_done do_semtimedop do_msgrcv do_msgsnd wq_sleep""",
    PAGE_FAULT: """handle_mm_fault __handle_mm_fault do_user_addr_fault exc_page_fault
        asm_exc_page_fault filemap_fault __do_fault do_anonymous_page do_swap_page do_page_fault
        do_mem_abort do_translation_fault handle_userfault el0_da el0_ia""",
    CallGroup.DISK_READ: """filemap_read filemap_get_pages filemap_update_page
        generic_file_read_iter ext4_file_read_iter xfs_file_read_iter btrfs_file_read_iter
        blkdev_read_iter __bread_gfp ext4_bread page_cache_ra_unbounded force_page_cache_ra
        page_cache_sync_ra iterate_dir do_sys_openat2 vfs_statx load_elf_binary""",
    CallGroup.DISK_WRITE: """balance_dirty_pages balance_dirty_pages_ratelimited
        balance_dirty_pages_ratelimited_flags folio_wait_writeback wait_on_page_writeback
        file_write_and_wait_range __filemap_fdatawait_range ext4_sync_file jbd2_log_wait_commit
        do_fsync vfs_fsync_range sync_filesystem ksys_sync xfs_file_fsync xfs_log_force
        xfs_log_force_seq blkdev_fsync blkdev_issue_flush wait_transaction_locked
        add_transaction_credits start_this_handle do_get_write_access generic_perform_write
        blkdev_write_iter ext4_file_write_iter vfs_fallocate do_unlinkat do_mkdirat
        do_renameat2 rq_qos_wait""",
    CallGroup.READ: "vfs_read ksys_read ksys_pread64 vfs_readv do_readv do_preadv",
    CallGroup.WRITE: "vfs_write ksys_write ksys_pwrite64 vfs_writev do_writev do_pwritev",
    CallGroup.COMPLETION: "io_cqring_wait read_events do_io_getevents",
    STOPPED: "do_signal_stop ptrace_stop do_jobctl_trap do_freezer_trap __refrigerator",
    EXIT: "do_exit do_group_exit coredump_wait de_thread",
    DISK: "io_schedule io_schedule_timeout submit_bio_wait blk_mq_get_tag",
}
KERNEL_GROUPS = {name: group for group, names in _KERNEL_NAMES.items() for name in names.split()}
THROTTLE_WORK = ("throttle_cfs_rq_work",)
_SWITCH = ("schedule", "__schedule", "__cond_resched")

# Compilers add these to the names of functions.
_SUFFIX = re.compile(r"\.(constprop|isra|part|cold|llvm)\b.*")

SYSCALL_FUNCTIONS = {
    "epoll_wait": CallGroup.POLL,
    "epoll_pwait": CallGroup.POLL,
    "poll": CallGroup.POLL,
    "ppoll": CallGroup.POLL,
    "select": CallGroup.POLL,
    "pselect": CallGroup.POLL,
    "nanosleep": CallGroup.SLEEP,
    "clock_nanosleep": CallGroup.SLEEP,
    "usleep": CallGroup.SLEEP,
    "sleep": CallGroup.SLEEP,
    "pause": CallGroup.SLEEP,
    "fsync": CallGroup.DISK_WRITE,
    "fdatasync": CallGroup.DISK_WRITE,
    "recv": CallGroup.NETWORK,
    "recvfrom": CallGroup.NETWORK,
    "recvmsg": CallGroup.NETWORK,
    "accept": CallGroup.NETWORK,
    "accept4": CallGroup.NETWORK,
    "connect": CallGroup.NETWORK,
    "wait4": CallGroup.EVENT,
    "waitpid": CallGroup.EVENT,
    "waitid": CallGroup.EVENT,
    "sigwait": CallGroup.EVENT,
    "sigtimedwait": CallGroup.EVENT,
}
Groups = npt.NDArray[np.int16]  # CallGroup or a group of this module; -1: none


def kernel_groups(names: StackNames) -> Groups:
    """Return the group of each stack by its kernel functions, (n_stacks,)."""
    rules = [KERNEL_GROUPS.get(_SUFFIX.sub("", name), -1) for name in names.names]
    # io_schedule is nearest to the leaf of each wait for a disk; its callers show the purpose.
    purposes = _nearest(names, [-1 if rule == DISK else rule for rule in rules], kernel=True)
    return np.where(purposes < 0, _nearest(names, rules, kernel=True), purposes)


def program_groups(names: StackNames) -> Groups:
    """Return the group of each stack by the names of libc's functions for system calls."""
    rules = [_call_of_function(name) for name in names.names]
    return _nearest(names, rules, kernel=False)


def throttled_stacks(names: StackNames) -> npt.NDArray[np.bool_]:
    """Return whether the kernel chain of each stack is that of a throttled thread.

    The scheduler is called by the task work that throttles, directly. Other task work, such as
    closing a file, can be preempted too and has further functions in between.
    """
    work = names.containing(THROTTLE_WORK, kernel=True)
    marked = names.containing(("task_work_run",), kernel=True) & ~work
    for stack in np.flatnonzero(marked).tolist():
        called = [name for name in names.kernel_part(stack) if _SUFFIX.sub("", name) not in _SWITCH]
        work[stack] = called[:1] == ["task_work_run"]
    return work


def _call_of_function(name: str) -> int:
    return int(SYSCALL_FUNCTIONS.get(name.lstrip("_").removeprefix("libc_"), -1))


def _nearest(names: StackNames, rules: Sequence[int], *, kernel: bool) -> Groups:
    """Return the rule of the frame nearest to the leaf that has one, (n_stacks,)."""
    result = np.full(len(names), -1, np.int16)
    if not len(names.frame):
        return result
    rule_of = np.array(rules, np.int16)[names.frame]
    hits = np.flatnonzero((rule_of >= 0) & (names.kernel == kernel))
    stacks, first = np.unique(names.stack_of_frame[hits], return_index=True)
    result[stacks] = rule_of[hits[first]]
    return result
