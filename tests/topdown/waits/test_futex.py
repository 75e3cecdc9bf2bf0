import pytest

from topdown.waits.futex import (
    RULES,
    FutexCall,
    LockKind,
    classify_futex,
    lock_functions,
    plain_name,
)

ADDRESS = 0x5555_0000
STACK = 0x7FFF_0000_0000
LEAF = "__lll_lock_wait_private"  # the nearest exported name of a stripped libc

# operation, value, offset of the futex in the object, caller, kind, thread id in the arguments
WAITS = [
    (0x80, 2, 0, "pthread_mutex_lock", LockKind.MUTEX, None),
    (0x80, 2, 0, "___pthread_mutex_lock@@GLIBC_2.2.5", LockKind.MUTEX, None),
    (0x189, 2, 0, "pthread_mutex_timedlock", LockKind.MUTEX, None),
    (0x86, 0, 0, "__pthread_mutex_lock_full", LockKind.PI_MUTEX, None),
    (0, 0x8000_0000 | 77, 0, "pthread_mutex_lock", LockKind.ROBUST_MUTEX, 77),
    (0x189, 0, 0x28, "pthread_cond_wait", LockKind.CONDITION, None),
    (0x89, 0, 0x2C, "pthread_cond_timedwait", LockKind.CONDITION, None),
    (0x80, 2, 0, "pthread_cond_wait", LockKind.MUTEX, None),
    (0x189, 3, 8, "pthread_rwlock_rdlock", LockKind.RWLOCK_READ, None),
    (0x189, 3, 12, "pthread_rwlock_wrlock", LockKind.RWLOCK_WRITE, None),
    (0x189, 0, 0, "sem_wait", LockKind.SEMAPHORE, None),
    (0x189, 0, 0, "__new_sem_wait_slow64", LockKind.SEMAPHORE, None),
    (0x80, 0, 4, "pthread_barrier_wait", LockKind.BARRIER, None),
    (0x80, 1, 0, "pthread_once", LockKind.ONCE, None),
    (0x109, 4242, 0, "pthread_join", LockKind.JOIN, 4242),
    (0x80, 2, 0, "malloc", LockKind.LIBC_LOCK, None),
    (0x80, 2, 0, "_IO_puts", LockKind.LIBC_LOCK, None),
    (0x80, 2, 0, "fwrite", LockKind.LIBC_LOCK, None),
    (0x80, 0x8000_0010, 4, "pthread_mutex_lock", LockKind.MUSL_MUTEX, None),
    (0x80, 0x8000_0000 | 77, 4, "__pthread_mutex_timedlock", LockKind.MUSL_MUTEX, None),
    (
        0x89,
        2,
        0,
        "std::sys::sync::mutex::futex::Mutex::lock_contended",
        LockKind.RUST_MUTEX,
        None,
    ),
    (
        0x89,
        7,
        0,
        "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout",
        LockKind.RUST_CONDITION,
        None,
    ),
    (
        0x80,
        1,
        0,
        "parking_lot_core::parking_lot::ThreadParker::park",
        LockKind.PARKING_LOT,
        None,
    ),
    (0x80, 0, 0, "runtime.futexsleep", LockKind.GO, None),
    (0x80, 2, 0, "some_function", LockKind.FUTEX, None),
]


@pytest.mark.parametrize(("operation", "value", "offset", "caller", "kind", "tid"), WAITS)
def test_caller_and_arguments_decide_the_kind(
    operation: int, value: int, offset: int, caller: str, kind: LockKind, tid: int | None
) -> None:
    call = FutexCall(operation, value, ADDRESS + offset, STACK)
    wait = classify_futex(call, (LEAF, caller, "work", "main"))
    assert (wait.kind, wait.owner_tid) == (kind, tid)
    assert wait.address == ADDRESS


def test_a_condition_wait_of_musl_is_not_a_mutex() -> None:
    call = FutexCall(0x80, 2, STACK + 0x40, STACK)
    assert classify_futex(call, ("__timedwait", "pthread_cond_wait")).kind == LockKind.CONDITION


def test_a_lock_on_the_waiters_stack_is_never_a_mutex_with_an_owner() -> None:
    call = FutexCall(0x80, 2, STACK + 0x40, STACK)
    assert classify_futex(call, ("pthread_mutex_lock",)).kind == LockKind.FUTEX


@pytest.mark.parametrize(
    ("runtime", "library", "kind"),
    [
        ("take_gil", "pthread_cond_timedwait", LockKind.PYTHON_GIL),
        ("PyThread_acquire_lock_timed", "sem_clockwait", LockKind.PYTHON_LOCK),
        ("ObjectMonitor::enter", "pthread_cond_wait", LockKind.JAVA_MONITOR),
        ("Unsafe_Park", "pthread_cond_wait", LockKind.JAVA_MONITOR),
    ],
)
def test_a_runtime_that_waits_through_libc_gives_the_kind(
    runtime: str, library: str, kind: LockKind
) -> None:
    call = FutexCall(0x189, 0, ADDRESS + 0x28, STACK)
    assert classify_futex(call, (LEAF, library, runtime, "main")).kind == kind


def test_a_name_far_from_the_leaf_does_not_decide() -> None:
    callers = (*(f"f{n}" for n in range(12)), "pthread_mutex_lock")
    assert classify_futex(FutexCall(0x80, 2, ADDRESS, STACK), callers).kind == LockKind.FUTEX


def test_only_locks_of_glibc_can_have_a_known_owner() -> None:
    known = {kind for kind in LockKind if not kind.no_owner}
    assert known == {
        LockKind.MUTEX,
        LockKind.PI_MUTEX,
        LockKind.ROBUST_MUTEX,
        LockKind.RWLOCK_READ,
        LockKind.RWLOCK_WRITE,
        LockKind.JOIN,
    }


def test_every_rule_has_names() -> None:
    assert all(names for names, _ in RULES)


def test_names_lose_version_and_underscores() -> None:
    assert plain_name("__GI___pthread_mutex_lock@@GLIBC_2.2.5") == "pthread_mutex_lock"


def test_functions_of_lock_implementations_are_recognised() -> None:
    assert lock_functions("__lll_lock_wait")
    assert lock_functions("std::mutex::lock")
    assert not lock_functions("handle_request")
