"""Kinds of futex waits, from the arguments of the call and the functions that made it.

The same futex arguments mean different things in different libraries: a wait with value 2 is a
mutex of glibc, a lock inside glibc, or a condition variable of musl. So the functions of the call
chain decide, and the arguments only select among the kinds of a function. An unknown caller gives
FUTEX, never a lock with an owner.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

_COMMAND = 0x7F  # without the flags for private futexes and the clock
_WAIT, _WAIT_BITSET, _LOCK_PI, _LOCK_PI2 = 0, 9, 6, 13
_WAITERS, _TID = 0x8000_0000, 0x3FFF_FFFF
_MUSL_NO_OWNER = 0x10
# A waiter object of musl is on the stack of the thread that waits.
_LARGEST_FRAME_BYTES = 64 << 10
SEARCHED_FRAMES = 12


class LockKind(StrEnum):
    """What a thread waits for in futex()."""

    MUTEX = "mutex"
    PI_MUTEX = "pi-mutex"
    ROBUST_MUTEX = "robust-mutex"
    RWLOCK_READ = "rwlock-read"
    RWLOCK_WRITE = "rwlock-write"
    LIBC_LOCK = "libc-lock"  # inside libc: stdio, malloc
    MUSL_MUTEX = "musl-mutex"
    RUST_MUTEX = "rust-mutex"
    PARKING_LOT = "parking-lot"
    JAVA_MONITOR = "java-monitor"
    PYTHON_GIL = "python-gil"
    PYTHON_LOCK = "python-lock"
    GO = "go"
    CONDITION = "condition"
    RUST_CONDITION = "rust-condition"
    SEMAPHORE = "semaphore"
    BARRIER = "barrier"
    ONCE = "once"
    JOIN = "join"
    FUTEX = "futex"  # not known

    @property
    def is_lock(self) -> bool:
        """Return whether another thread holds it while this thread waits."""
        return self in LOCKS

    @property
    def no_owner(self) -> str:
        """Return why the owner of such a lock is not known; empty if it can be."""
        return _NO_OWNER.get(self, "")


LOCKS = frozenset(
    {
        LockKind.MUTEX,
        LockKind.PI_MUTEX,
        LockKind.ROBUST_MUTEX,
        LockKind.RWLOCK_READ,
        LockKind.RWLOCK_WRITE,
        LockKind.LIBC_LOCK,
        LockKind.MUSL_MUTEX,
        LockKind.RUST_MUTEX,
        LockKind.PARKING_LOT,
        LockKind.JAVA_MONITOR,
        LockKind.PYTHON_GIL,
        LockKind.PYTHON_LOCK,
    }
)
_NO_OWNER = {
    LockKind.LIBC_LOCK: "locks inside libc do not record their owner",
    LockKind.MUSL_MUTEX: "mutexes of musl do not record their owner reliably",
    LockKind.RUST_MUTEX: "mutexes of Rust do not record their owner",
    LockKind.PARKING_LOT: "parking_lot does not record the owner",
    LockKind.JAVA_MONITOR: "the owner of a Java monitor is not in the futex",
    LockKind.PYTHON_GIL: "the owner of the interpreter lock is not in the futex",
    LockKind.PYTHON_LOCK: "a lock of Python is a semaphore, which has no owner",
    LockKind.GO: "the Go runtime waits on a futex of its thread, not of the lock",
    LockKind.CONDITION: "a condition variable has no owner",
    LockKind.RUST_CONDITION: "a condition variable has no owner",
    LockKind.SEMAPHORE: "a semaphore has no owner",
    LockKind.BARRIER: "a barrier has no owner",
    LockKind.ONCE: "the thread that runs an initialization is not recorded",
    LockKind.FUTEX: "the library of the lock is not known",
}


@dataclass(frozen=True, slots=True)
class FutexCall:
    """Arguments of futex(), and the stack pointer of the caller (0: not known)."""

    operation: int
    value: int
    address: int
    stack_pointer: int = 0

    @property
    def command(self) -> int:
        """Return the operation without flags."""
        return self.operation & _COMMAND

    @property
    def on_stack(self) -> bool:
        """Return whether the futex is in a frame of the waiting thread."""
        return 0 <= self.address - self.stack_pointer < _LARGEST_FRAME_BYTES


@dataclass(frozen=True, slots=True)
class FutexWait:
    """Kind of a wait, the address of the object, and a thread id that the arguments contain."""

    kind: LockKind
    address: int
    owner_tid: int | None = None


_Rule = Callable[[FutexCall], FutexWait | None]


def _mutex(call: FutexCall) -> FutexWait | None:
    if call.command in (_LOCK_PI, _LOCK_PI2):
        return FutexWait(LockKind.PI_MUTEX, call.address)
    if call.value & _WAITERS:
        if call.operation & ~_COMMAND or call.value & _TID == _MUSL_NO_OWNER:
            return FutexWait(LockKind.MUSL_MUTEX, call.address - 4)
        return FutexWait(LockKind.ROBUST_MUTEX, call.address, call.value & _TID)
    if call.value == 2 and not call.on_stack:
        return FutexWait(LockKind.MUTEX, call.address)
    return None


def _condition(call: FutexCall) -> FutexWait | None:
    if call.command == _WAIT_BITSET:  # glibc: one of two futexes at 0x28 and 0x2c
        return FutexWait(LockKind.CONDITION, (call.address & ~7) - 0x28)
    if call.on_stack or call.value != 2:  # musl: a node on the stack
        return FutexWait(LockKind.CONDITION, call.address)
    return _mutex(call)  # glibc takes the mutex again


def _rwlock(call: FutexCall) -> FutexWait:
    # The two futexes of glibc's rwlock, which is aligned to 8, are at 8 and 12.
    if call.address % 8:
        return FutexWait(LockKind.RWLOCK_WRITE, call.address - 12)
    return FutexWait(LockKind.RWLOCK_READ, call.address - 8)


def _barrier(call: FutexCall) -> FutexWait:
    return FutexWait(LockKind.BARRIER, call.address & ~7)


def _join(call: FutexCall) -> FutexWait:
    return FutexWait(LockKind.JOIN, call.address, call.value & _TID or None)


def _always(kind: LockKind) -> _Rule:
    return lambda call: FutexWait(kind, call.address)


# Names of functions without version and leading underscores. A name that ends with "*" is a prefix;
# one that begins and ends with it is a part. Rows of runtimes come first: they call libc.
RULES: tuple[tuple[tuple[str, ...], _Rule], ...] = (
    (("take_gil", "drop_gil", "PyEval_RestoreThread*"), _always(LockKind.PYTHON_GIL)),
    (("PyThread_acquire_lock*", "PyMutex_Lock*"), _always(LockKind.PYTHON_LOCK)),
    (
        ("*ObjectMonitor*", "*ParkEvent*", "*PlatformEvent::park*", "*Unsafe_Park*", "Parker::*"),
        _always(LockKind.JAVA_MONITOR),
    ),
    (("runtime.*",), _always(LockKind.GO)),
    (("*parking_lot*",), _always(LockKind.PARKING_LOT)),
    (("*sys::*Condvar*", "*sys::*condvar*"), _always(LockKind.RUST_CONDITION)),
    (("*sys::*Mutex*", "*sys::*mutex*", "*sys::*RwLock*"), _always(LockKind.RUST_MUTEX)),
    (("pthread_cond_*", "cnd_*wait"), _condition),
    (("pthread_mutex_*", "mtx_*lock"), _mutex),
    (("pthread_rwlock_*",), _rwlock),
    (("sem_wait", "sem_*wait*", "new_sem_wait*"), _always(LockKind.SEMAPHORE)),
    (("pthread_barrier_wait",), _barrier),
    (("pthread_once*", "call_once", "cxa_guard_acquire"), _always(LockKind.ONCE)),
    (("pthread_join", "pthread_*join_*", "thrd_join"), _join),
    (
        (
            "malloc*",
            "calloc",
            "realloc",
            "free",
            "cfree",
            "int_malloc",
            "int_free",
            "memalign",
            "posix_memalign",
            "aligned_alloc",
            "arena_get*",
            "IO_*",
            "fopen*",
            "fclose",
            "fwrite*",
            "fread*",
            "fputs*",
            "fputc",
            "puts",
            "putc",
            "putchar",
            "printf",
            "fprintf",
            "vfprintf*",
            "printf_chk",
            "fprintf_chk",
            "fflush*",
            "fgets*",
            "getc",
            "getline",
            "getdelim",
            "flockfile",
            "exit",
            "dlopen*",
            "dl_*",
            "tz*",
            "localtime*",
        ),
        _always(LockKind.LIBC_LOCK),
    ),
)


def plain_name(name: str) -> str:
    """Return a function's name without symbol version and leading underscores."""
    return name.partition("@")[0].lstrip("_").removeprefix("GI_").lstrip("_")


def _matches(pattern: str, name: str) -> bool:
    parts = pattern.split("*")
    if len(parts) == 1:
        return name == pattern
    if not name.startswith(parts[0]) or not name.endswith(parts[-1]):
        return False
    place = len(parts[0])
    for part in parts[1:-1]:
        place = name.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return place <= len(name) - len(parts[-1])


@lru_cache(maxsize=65536)
def rule_number(name: str) -> int:
    """Return the first rule for a function, -1 if there is none."""
    plain = plain_name(name)
    for number, (patterns, _) in enumerate(RULES):
        if any(_matches(pattern, plain) for pattern in patterns):
            return number
    return -1


def classify_futex(call: FutexCall, callers: Sequence[str]) -> FutexWait:
    """Return the kind of a wait. ``callers``: the program's functions, leaf first.

    Only a caller that is exported or has symbols decides: in a stripped libc, the leaf has the
    name of another function. Among rules of the chain, that of a runtime precedes that of libc.
    """
    numbers = sorted({rule_number(name) for name in callers[:SEARCHED_FRAMES]} - {-1})
    for number in numbers:
        wait = RULES[number][1](call)
        if wait is not None:
            return wait
    return FutexWait(LockKind.FUTEX, call.address)


def lock_functions(name: str) -> bool:
    """Return whether a function belongs to the implementation of locks and waits."""
    plain = plain_name(name)
    return rule_number(name) >= 0 or plain.startswith(_IMPLEMENTATION)


_IMPLEMENTATION = (
    "lll_lock",
    "futex_",
    "syscall",
    "nptl_",
    "timedwait",
    "pthread_",
    "std::mutex",
    "std::unique_lock",
    "std::lock_guard",
    "std::scoped_lock",
    "std::condition_variable",
    "gthread_mutex",
)
