from harness.waits.locks_document import LockParts, lock_parts
from tests.topdown.waits.lock_records import ADDRESS, MS, PLACES, as_locks
from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.records import OwnerReading

TEXT = """
    hog@1 R(compute)0-60
    victim-1 R0-1 W(hog,mutex)1-11 R11-12 W(hog,mutex)12-22 R22-60
    pool R0-0.1 W(?,condition)0.1-60
"""


def parts(**changes: object) -> LockParts:
    """Return the parts of the document of a hog and its victim."""
    readings = tuple(OwnerReading(round(at * MS), 1, ADDRESS, "mutex", 100) for at in (1.1, 12.1))
    built = build_records(TEXT, places=PLACES, cpu_sample_every=1, owners=readings, **changes)  # type: ignore[arg-type]
    return lock_parts(built.records, as_locks(built.records), built.names, built.syscalls)


def test_a_lock_has_address_owner_stack_and_callers() -> None:
    (lock,) = parts().locks
    assert (lock.address, lock.kind, lock.waits, lock.wait_ns) == ("0x5000", "mutex", 2, 20 * MS)
    assert lock.owner is not None
    assert (lock.owner.tid, lock.owner.name, lock.owner.share) == (100, "hog", 1.0)
    assert lock.owner.stack == ("hash", "insert", "work")
    assert "nearest CPU sample" in lock.owner.stack_source
    callers = {caller.function: caller for caller in lock.callers}
    assert (callers["insert"].attributed_ns, callers["work"].inclusive_ns) == (20 * MS, 20 * MS)
    assert lock.owner_unknown == ""
    assert (lock.longest_ns, lock.waiters, lock.woken_per_wake_up) == (10 * MS, 1, 1.0)
    assert lock.holds == ()


def test_causes_graph_and_functions_are_parts_of_the_document() -> None:
    document = parts(whole_cpus=True)
    (cause,) = document.causes
    assert (cause.kind, cause.name, cause.wait_ns) == ("thread", "hog", 20 * MS)
    assert [(link.name, link.wait_ns) for link in cause.chain] == [
        ("victim", 20 * MS),
        ("hog", 20 * MS),
    ]
    (edge,) = document.graph.edges
    assert (edge.waiter, edge.cause, edge.wait_ns) == ("victim", "hog", 20 * MS)
    assert document.graph.knots == (("hog",),)
    assert document.graph.missing == ()
    assert document.functions[0].function == "pthread_mutex_lock"


def test_idle_threads_are_pools_with_the_rule_and_no_lock() -> None:
    (pool,) = parts().idle_pools
    assert (pool.name, pool.threads) == ("pool", 1)
    assert pool.place == "pthread_cond_wait < next_job"
    assert "no thread waits for it" in pool.rule
