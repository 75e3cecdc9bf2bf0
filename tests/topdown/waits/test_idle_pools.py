from dataclasses import replace

import numpy as np
import pytest

from tests.topdown.waits.lock_records import PLACES
from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.idle_pools import RULE_WITHOUT_WAKE_UPS, idle_pools, idle_threads
from topdown.waits.states import ThreadState
from topdown.waits.timeline import build_intervals

# Pool threads wait for work; the timer wakes main.
IDLE = """
    main R0-500 W(timer,disk)500-900 R900-1000
    pool-1 R0-1 W(?,condition)1-1000
    pool-2 R0-1 W(?,condition)1-1000
"""
# The same pool, but main waits for what pool-1 does.
USED = """
    main R0-500 W(pool-1,condition)500-900 R900-1000
    pool-1 R0-1 W(main,condition)1-895 R895-900 W(?,condition)900-1000
    pool-2 R0-1 W(?,condition)1-1000
"""


def idle_names(text: str, **changes: bool) -> list[str]:
    """Return the names of the idle threads."""
    built = build_records(text, places=PLACES, **changes)  # type: ignore[arg-type]
    idle = idle_threads(built.records, build_intervals(built.records))
    return [
        thread.name for thread, is_idle in zip(built.records.threads, idle, strict=True) if is_idle
    ]


def test_threads_that_wait_for_work_in_one_place_are_idle() -> None:
    assert idle_names(IDLE) == ["pool-1", "pool-2"]


def test_a_thread_that_ends_the_wait_of_a_working_thread_is_not_idle() -> None:
    assert idle_names(USED) == ["pool-2"]


def test_a_thread_that_wakes_only_idle_threads_is_idle() -> None:
    text = """
        main R0-1000
        boss R0-1 W(?,condition)1-900 R900-901 W(?,condition)901-1000
        pool R0-1 W(boss,condition)1-901 R901-902 W(?,condition)902-1000
    """
    assert idle_names(text) == ["boss", "pool"]


def test_a_thread_that_wakes_a_thread_that_serves_others_is_not_idle() -> None:
    text = """
        main R0-1 W(pool,condition)1-902 R902-1000
        boss R0-1 W(?,condition)1-900 R900-901 W(?,condition)901-1000
        pool R0-1 W(boss,condition)1-901 R901-902 W(?,condition)902-1000
    """
    assert "boss" not in idle_names(text)


@pytest.mark.parametrize(
    "waits",
    [
        "R0-1 W(?,condition)1-400 R400-401 W(?,disk)401-1000",
        "R0-20 W(?,condition)20-1000",
        "R0-1 Q1-1000",
    ],
)
def test_two_places_much_cpu_time_and_queues_are_not_idle(waits: str) -> None:
    assert idle_names(f"main R0-1000\nworker@1 {waits}") == []


def test_without_wake_ups_only_threads_that_did_not_run_are_idle() -> None:
    text = "main R0-1000\nnever W(?)0-1000\nrarely R0-1 W(?,condition)1-1000"
    assert idle_names(text, wakers=False) == ["never"]


def test_idle_threads_are_grouped_with_the_rule() -> None:
    built = build_records(IDLE, places=PLACES, wakers=False)
    intervals = build_intervals(built.records)
    idle = idle_threads(build_records(IDLE, places=PLACES).records, intervals)
    (pool,) = idle_pools(built.records, intervals, idle)
    assert (pool.process_name, pool.name, pool.threads) == ("target", "pool", (1, 2))
    assert pool.wall_ns == 2_000_000_000
    assert built.names.user(pool.stack) == ("pthread_cond_wait", "next_job")
    assert pool.rule == RULE_WITHOUT_WAKE_UPS


def test_the_main_thread_of_a_process_without_a_working_thread_is_not_idle() -> None:
    text = """
        client R0-1 W(server,condition)1-900 R900-901 W(server,condition)901-999 R999-1000
        pool R0-1 W(?,condition)1-1000
        server@1/!other R0-1000
    """
    built = build_records(text, places=PLACES)
    threads = list(built.records.threads)
    threads[0] = replace(threads[0], tid=threads[0].pid)
    records = replace(built.records, threads=tuple(threads))
    assert idle_threads(records, build_intervals(records)).tolist() == [False, True, False]


def test_a_wake_up_at_the_start_does_not_make_a_thread_awaited() -> None:
    text = """
        main R0-1 W(helper,condition)1-1.1 R1.1-1000
        helper R0-0.5 W(?,condition)0.5-1 R1-1.1 W(?,condition)1.1-1000
    """
    built = build_records(text, places=PLACES)
    assert idle_threads(built.records, build_intervals(built.records)).tolist() == [False, True]
    longer = build_records(text.replace("1.1", "5"), places=PLACES)
    idle = idle_threads(longer.records, build_intervals(longer.records))
    assert idle.tolist() == [False, False]


def test_time_in_an_unknown_state_does_not_make_a_thread_idle() -> None:
    built = build_records("main R0-1000\nherd R0-1 W(main)1-2 R2-3 W(main)3-1000", places=PLACES)
    intervals = build_intervals(built.records)
    between = (intervals.thread == 1) & (intervals.begin_ns >= 3_000_000)
    state = np.where(between, ThreadState.UNKNOWN, intervals.state).astype(np.uint8)
    unknown = replace(intervals, state=state)
    assert idle_threads(built.records, intervals).tolist() == [False, True]
    assert idle_threads(built.records, unknown).tolist() == [False, False]


def test_a_thread_that_waits_for_a_disk_is_not_idle() -> None:
    text = "main R0-1000\nreader R0-1 W(disk,disk)1-1000"
    built = build_records(text, places=PLACES)
    intervals = build_intervals(built.records)
    waits = intervals.thread == 1
    state = np.where(
        waits & (intervals.state == ThreadState.OTHER), ThreadState.DISK_READ, intervals.state
    )
    assert idle_threads(built.records, intervals).tolist() == [False, True]
    reading = replace(intervals, state=state.astype(np.uint8))
    assert idle_threads(built.records, reading).tolist() == [False, False]
