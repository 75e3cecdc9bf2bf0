from typing import Any

import numpy as np

from tests.topdown.waits.lock_records import MS, PLACES, as_locks
from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.causes import CauseAnalysis, find_causes
from topdown.waits.idle_pools import idle_threads

CONVOY_ON_DISK = """
    holder R0-2 W(disk)2-88 R88-90 W(timer)90-91 R91-92
    victim-1@1 W(holder)0-90 R90-91
    victim-2@1 W(victim-1)0-91 R91-92
    sleeper W(timer)0-92
"""


def causes_of(text: str, **changes: Any) -> CauseAnalysis:
    """Return the causes in a timeline; idle threads are set apart."""
    built = build_records(text, places=PLACES, **changes)
    intervals = as_locks(built.records)
    idle = idle_threads(built.records, intervals)
    return find_causes(built.records, intervals, built.names, background=idle)


def ranked(analysis: CauseAnalysis) -> list[tuple[str, str]]:
    """Return kind and name of each cause."""
    return [(cause.kind, cause.name) for cause in analysis.causes]


def test_the_disk_behind_a_lock_comes_before_the_lock_holder() -> None:
    analysis = causes_of(CONVOY_ON_DISK)
    first = analysis.causes[0]
    assert (first.kind, first.name) == ("disk", "disk")
    assert first.wait_ns == 3 * 86 * MS
    assert [step.name for step in first.chain][-2:] == ["holder", "disk"]
    assert ("thread", "holder") in ranked(analysis)


def test_a_thread_that_sleeps_by_itself_is_not_a_cause() -> None:
    assert "sleeper" not in {name for _, name in ranked(causes_of(CONVOY_ON_DISK))}
    assert ranked(causes_of("A R0-1 W(timer)1-90 R90-100")) == []


def test_a_sleep_that_another_thread_waits_for_is_a_cause() -> None:
    analysis = causes_of("H R0-2 W(timer)2-88 R88-90\nV@1 R0-1 W(H)1-89 R89-90")
    assert ranked(analysis)[0] == ("sleep", "H")
    assert analysis.causes[0].wait_ns == 86 * MS
    assert [step.name for step in analysis.causes[0].chain] == ["V", "H", "timer"]


def test_the_slow_middle_stage_of_a_pipeline_is_the_first_cause() -> None:
    text = """
        first R0-1 W(middle)1-10 R10-11 W(middle)11-20 R20-21
        middle@1 R0-21
        last@2 W(middle)0-10 R10-11 W(middle)11-20 R20-21
    """
    analysis = causes_of(text)
    assert ranked(analysis) == [("thread", "middle")]
    assert analysis.knots == (("middle",),)


def test_a_rare_wait_of_a_group_that_waits_for_itself_is_no_knot() -> None:
    text = """
        w-1@1 R0-1 W(w-2)1-90 R90-95 W(disk)95-97 R97-100
        w-2@1 R0-90 W(w-1)90-94 R94-100
    """
    analysis = causes_of(text)
    assert ranked(analysis)[0] == ("thread", "w")
    assert ("disk", "disk") in ranked(analysis)
    assert analysis.knots == ()


def test_a_server_in_another_process_is_named_with_its_process() -> None:
    analysis = causes_of("client R0-1 W(srv)1-90 R90-91\nsrv@1/!redis R0-91")
    assert ranked(analysis) == [("process", "redis/srv")]


def test_a_holder_without_a_cpu_is_a_run_queue_cause() -> None:
    analysis = causes_of("H R0-2 Q2-80 R80-90\nV@1 R0-1 W(H)1-89 R89-90")
    assert ranked(analysis)[0] == ("run_queue", "H")


def test_threads_of_a_group_are_one_node() -> None:
    analysis = causes_of("w-1 R0-1 W(S)1-9 R9-10\nw-2 R0-1 W(S)1-9 R9-10\nS@1 R0-10")
    assert list(analysis.graph.edges.values()) == [8 * MS]
    assert analysis.causes[0].chain[0].name == "w"


def test_threads_of_several_processes_have_the_name_of_their_process() -> None:
    analysis = causes_of("A/one R0-1 W(B)1-9 R9-10\nB@1/two R0-10")
    assert ranked(analysis) == [("thread", "two/B")]


def test_the_missing_edges_depend_on_the_rights() -> None:
    text = "A R0-1 W(B)1-9 R9-10\nB@1 R0-10"
    assert causes_of(text, whole_cpus=True).missing == ()
    (part,) = causes_of(text).missing
    assert "timers, interrupts and other processes" in part
    none = causes_of(text, wakers=False)
    assert "wake-ups are not recorded" in none.missing[0]
    assert none.causes == ()
    assert none.unexplained_ns == none.wait_ns == 8 * MS


def test_threads_that_are_set_apart_are_not_waiters() -> None:
    built = build_records("A R0-1 W(B)1-9 R9-10\nB@1 R0-10")
    analysis = find_causes(
        built.records, as_locks(built.records), background=np.array([True, False])
    )
    assert analysis.causes == ()
