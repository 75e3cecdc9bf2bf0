"""System calls in which threads wait: their numbers and the group of their waits."""

from enum import IntEnum


class CallGroup(IntEnum):
    """Group of system calls whose waits have the same kind of cause."""

    FUTEX = 0
    READ = 1  # the descriptor decides: file, socket, pipe, ...
    WRITE = 2
    POLL = 3
    NETWORK = 4
    SLEEP = 5
    DISK_READ = 6
    DISK_WRITE = 7
    EVENT = 8  # of another process: exit, signal, message
    FILE_LOCK = 9
    MEMORY = 10  # a wait for the lock of the address space
    COMPLETION = 11  # of asynchronous requests
    DEVICE = 12
    MEMBARRIER = 13


# Name, number on x86-64 (arch/x86/entry/syscalls/syscall_64.tbl), on arm64 (-1: does not exist).
_CALLS: tuple[tuple[str, int, int, CallGroup], ...] = (
    ("futex", 202, 98, CallGroup.FUTEX),
    ("futex_waitv", 449, 449, CallGroup.FUTEX),
    ("read", 0, 63, CallGroup.READ),
    ("pread64", 17, 67, CallGroup.READ),
    ("readv", 19, 65, CallGroup.READ),
    ("preadv", 295, 69, CallGroup.READ),
    ("preadv2", 327, 286, CallGroup.READ),
    ("splice", 275, 76, CallGroup.READ),
    ("sendfile", 40, 71, CallGroup.READ),
    ("copy_file_range", 326, 285, CallGroup.READ),
    ("tee", 276, 77, CallGroup.READ),
    ("write", 1, 64, CallGroup.WRITE),
    ("pwrite64", 18, 68, CallGroup.WRITE),
    ("writev", 20, 66, CallGroup.WRITE),
    ("pwritev", 296, 70, CallGroup.WRITE),
    ("pwritev2", 328, 287, CallGroup.WRITE),
    ("vmsplice", 278, 75, CallGroup.WRITE),
    ("poll", 7, -1, CallGroup.POLL),
    ("ppoll", 271, 73, CallGroup.POLL),
    ("select", 23, -1, CallGroup.POLL),
    ("pselect6", 270, 72, CallGroup.POLL),
    ("epoll_wait", 232, -1, CallGroup.POLL),
    ("epoll_pwait", 281, 22, CallGroup.POLL),
    ("epoll_pwait2", 441, 441, CallGroup.POLL),
    ("connect", 42, 203, CallGroup.NETWORK),
    ("accept", 43, 202, CallGroup.NETWORK),
    ("accept4", 288, 242, CallGroup.NETWORK),
    ("sendto", 44, 206, CallGroup.NETWORK),
    ("recvfrom", 45, 207, CallGroup.NETWORK),
    ("sendmsg", 46, 211, CallGroup.NETWORK),
    ("recvmsg", 47, 212, CallGroup.NETWORK),
    ("sendmmsg", 307, 269, CallGroup.NETWORK),
    ("recvmmsg", 299, 243, CallGroup.NETWORK),
    ("nanosleep", 35, 101, CallGroup.SLEEP),
    ("clock_nanosleep", 230, 115, CallGroup.SLEEP),
    ("pause", 34, -1, CallGroup.SLEEP),
    ("open", 2, -1, CallGroup.DISK_READ),
    ("openat", 257, 56, CallGroup.DISK_READ),
    ("openat2", 437, 437, CallGroup.DISK_READ),
    ("stat", 4, -1, CallGroup.DISK_READ),
    ("lstat", 6, -1, CallGroup.DISK_READ),
    ("fstat", 5, 80, CallGroup.DISK_READ),
    ("newfstatat", 262, 79, CallGroup.DISK_READ),
    ("statx", 332, 291, CallGroup.DISK_READ),
    ("getdents", 78, -1, CallGroup.DISK_READ),
    ("getdents64", 217, 61, CallGroup.DISK_READ),
    ("readahead", 187, 213, CallGroup.DISK_READ),
    ("execve", 59, 221, CallGroup.DISK_READ),
    ("execveat", 322, 281, CallGroup.DISK_READ),
    ("access", 21, -1, CallGroup.DISK_READ),
    ("faccessat", 269, 48, CallGroup.DISK_READ),
    ("readlink", 89, -1, CallGroup.DISK_READ),
    ("readlinkat", 267, 78, CallGroup.DISK_READ),
    ("fsync", 74, 82, CallGroup.DISK_WRITE),
    ("fdatasync", 75, 83, CallGroup.DISK_WRITE),
    ("sync", 162, 81, CallGroup.DISK_WRITE),
    ("syncfs", 306, 267, CallGroup.DISK_WRITE),
    ("sync_file_range", 277, 84, CallGroup.DISK_WRITE),
    ("msync", 26, 227, CallGroup.DISK_WRITE),
    ("truncate", 76, 45, CallGroup.DISK_WRITE),
    ("ftruncate", 77, 46, CallGroup.DISK_WRITE),
    ("fallocate", 285, 47, CallGroup.DISK_WRITE),
    ("rename", 82, -1, CallGroup.DISK_WRITE),
    ("renameat", 264, 38, CallGroup.DISK_WRITE),
    ("renameat2", 316, 276, CallGroup.DISK_WRITE),
    ("unlink", 87, -1, CallGroup.DISK_WRITE),
    ("unlinkat", 263, 35, CallGroup.DISK_WRITE),
    ("mkdir", 83, -1, CallGroup.DISK_WRITE),
    ("mkdirat", 258, 34, CallGroup.DISK_WRITE),
    ("rmdir", 84, -1, CallGroup.DISK_WRITE),
    ("link", 86, -1, CallGroup.DISK_WRITE),
    ("linkat", 265, 37, CallGroup.DISK_WRITE),
    ("symlink", 88, -1, CallGroup.DISK_WRITE),
    ("symlinkat", 266, 36, CallGroup.DISK_WRITE),
    ("chmod", 90, -1, CallGroup.DISK_WRITE),
    ("fchmod", 91, 52, CallGroup.DISK_WRITE),
    ("chown", 92, -1, CallGroup.DISK_WRITE),
    ("fchown", 93, 55, CallGroup.DISK_WRITE),
    ("close", 3, 57, CallGroup.DISK_WRITE),
    ("wait4", 61, 260, CallGroup.EVENT),
    ("waitid", 247, 95, CallGroup.EVENT),
    ("rt_sigtimedwait", 128, 137, CallGroup.EVENT),
    ("rt_sigsuspend", 130, 133, CallGroup.EVENT),
    ("semop", 65, 193, CallGroup.EVENT),
    ("semtimedop", 220, 192, CallGroup.EVENT),
    ("msgsnd", 69, 189, CallGroup.EVENT),
    ("msgrcv", 70, 188, CallGroup.EVENT),
    ("mq_timedsend", 242, 182, CallGroup.EVENT),
    ("mq_timedreceive", 243, 183, CallGroup.EVENT),
    ("vfork", 58, -1, CallGroup.EVENT),
    ("flock", 73, 32, CallGroup.FILE_LOCK),
    ("fcntl", 72, 25, CallGroup.FILE_LOCK),
    ("mmap", 9, 222, CallGroup.MEMORY),
    ("munmap", 11, 215, CallGroup.MEMORY),
    ("mprotect", 10, 226, CallGroup.MEMORY),
    ("mremap", 25, 216, CallGroup.MEMORY),
    ("brk", 12, 214, CallGroup.MEMORY),
    ("madvise", 28, 233, CallGroup.MEMORY),
    ("io_getevents", 208, 4, CallGroup.COMPLETION),
    ("io_pgetevents", 333, 292, CallGroup.COMPLETION),
    ("io_uring_enter", 426, 426, CallGroup.COMPLETION),
    ("ioctl", 16, 29, CallGroup.DEVICE),
    ("membarrier", 324, 283, CallGroup.MEMBARRIER),
)

X86_64 = {x86: (name, group) for name, x86, _, group in _CALLS if x86 >= 0}
ARM64 = {arm64: (name, group) for name, _, arm64, group in _CALLS if arm64 >= 0}


def waiting_calls(architecture: str) -> dict[int, tuple[str, CallGroup]]:
    """Return name and group by number, for "x86_64" or "aarch64"."""
    return ARM64 if architecture in ("aarch64", "arm64") else X86_64
