from typing import Any

from tests.topdown.waits.wait_records_builder import MILLISECOND, build_records
from topdown.waits.run_queue import run_queue_users
from topdown.waits.timeline import build_intervals


def users(text: str, **options: Any) -> dict[str, float]:
    records = build_records(text, **{"whole_cpus": True, **options}).records
    users = run_queue_users(records, build_intervals(records))
    return {f"{user.kind}: {user.name}": user.time_ns / MILLISECOND for user in users}


def test_a_neighbour_has_the_time_for_which_it_ran_while_the_target_could_run() -> None:
    text = """
        A R0-10 Q10-50 R50-60 Q60-70 R70-80
        loop/!busy Q0-10 R10-40 Q40-50 Q50-60 R60-70 Q70-80
        rcu_preempt/!rcu_preempt W(?)0-40 R40-50 W(?)50-80
        """
    assert users(text) == {"process: busy": 40, "kernel thread: rcu_preempt": 10}


def test_time_of_two_queued_threads_counts_twice() -> None:
    text = """
        A R0-1 Q1-21 R21-22
        B Q0-22 R22-23
        loop/!busy Q0-1 R1-21 Q21-23
        """
    assert users(text) == {"process: busy": 40, "target: threads of the target": 2}


def test_what_runs_on_another_cpu_has_no_part() -> None:
    text = """
        A R0-1 Q1-21 R21-22
        loop/!busy Q0-1 R1-21 Q21-22
        far@1/!far W(?)0-1 R1-22
        """
    assert users(text) == {"process: busy": 20}


def test_other_threads_of_the_target_are_one_user() -> None:
    text = "A R0-10 Q10-20 R20-30\nB Q0-10 R10-20 Q20-30"
    assert users(text) == {"target: threads of the target": 30}


def test_time_without_records_of_the_cpu_is_unknown() -> None:
    assert users("A Q0-10 R10-20") == {"unknown: no record": 10}


def test_without_records_of_whole_cpus_nothing_is_known() -> None:
    assert users("A R0-10 Q10-20 R20-30", whole_cpus=False) == {}


def test_the_processes_of_the_recorder_are_one_user() -> None:
    text = """
        A R0-10 Q10-50 R50-60
        x/!stallscope-coll Q0-10 R10-40 Q40-60
        y/!stallscope-lock W(?)0-40 R40-50 W(?)50-60
        """
    assert users(text) == {"recorder: stallscope itself, recording": 40}


def beside_idle(text: str) -> dict[str, float]:
    records = build_records(text, whole_cpus=True).records
    users = run_queue_users(records, build_intervals(records))
    return {user.name: user.beside_idle_ns / MILLISECOND for user in users}


IDLE_FROM_20_TO_60 = """
    busy@1/!busy R0-20 W(?)20-60 R60-80
    idle@1/!swapper W(?)0-20 R20-60 Q60-80
    """


def test_time_in_the_queue_while_another_cpu_is_idle_is_known() -> None:
    text = "A R0-10 Q10-50 R50-60\nB Q0-10 R10-50 Q50-80" + IDLE_FROM_20_TO_60
    # A waits for B from 10 to 50, B for A from 0 to 10 and from 50 on.
    assert beside_idle(text) == {"threads of the target": 30 + 10}


def test_a_cpu_on_its_way_out_of_idle_is_not_another_cpu() -> None:
    text = "A R0-10 W(timer)10-30 Q30-50 R50-60\nidle/!swapper Q0-10 R10-50 Q50-60"
    assert beside_idle(text) == {"idle": 0.0}
