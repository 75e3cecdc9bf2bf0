"""Comparison of a diagnosis of waits with the account of the program."""

import msgspec
import pytest

from harness.labs.waits.comparison import (
    TOLERANCE,
    cause_verdict,
    diagnosis_causes,
    is_cause,
    largest_difference,
    share_verdict,
    sign_verdict,
    signs_of,
    state_shares,
)
from harness.labs.waits.result import DiagnosisCause, ProgramVerdict
from harness.labs.waits.waiting_programs import ExpectedCause
from harness.waits.result import LockWaits, SpinningFunction
from tests.harness.labs.waits.diagnoses import account, diagnosis, thread

HOG = ExpectedCause("thread", "hog")


def cause(kind: str, name: str) -> DiagnosisCause:
    return DiagnosisCause(kind=kind, name=name, wait_ns=1)


def test_user_and_system_time_are_compared_with_running_time() -> None:
    rows = state_shares(
        account(running=40, lock=60), diagnosis(thread(2, "victim", user=30, system=10, lock=60))
    )
    assert {(row.state, row.expected, row.share) for row in rows} == {
        ("running", 0.4, 0.4),
        ("lock", 0.6, 0.6),
    }
    assert largest_difference(rows) == 0
    assert share_verdict(rows, TOLERANCE) is ProgramVerdict.RIGHT


def test_a_state_that_the_account_does_not_have_is_a_difference() -> None:
    rows = state_shares(account(running=100), diagnosis(thread(2, "victim", user=90, condition=10)))
    assert largest_difference(rows) == pytest.approx(0.1)
    assert share_verdict(rows, TOLERANCE) is ProgramVerdict.WRONG


def test_time_that_the_account_cannot_explain_is_not_compared() -> None:
    rows = state_shares(account(lock=98, rest=2), diagnosis(thread(2, "victim", lock=100)))
    assert [row.state for row in rows] == ["lock"]
    assert share_verdict(rows, TOLERANCE) is ProgramVerdict.RIGHT


def test_time_that_the_hypervisor_took_may_be_in_any_state_of_the_account() -> None:
    reading = thread(2, "victim", user=60, page_fault=28, stolen=12)
    assert largest_difference(
        state_shares(account(running=60, page_fault=40), diagnosis(reading))
    ) == pytest.approx(0)
    assert largest_difference(
        state_shares(account(running=40, page_fault=60), diagnosis(reading))
    ) == pytest.approx(0.2)


def test_threads_that_the_diagnosis_does_not_have_are_wrong() -> None:
    rows = state_shares(account(lock=100), diagnosis(thread(9, "victim", lock=100)))
    assert largest_difference(rows) is None
    assert share_verdict(rows, TOLERANCE) is ProgramVerdict.WRONG


def test_a_program_without_an_account_has_no_wrong_shares() -> None:
    assert share_verdict((), TOLERANCE) is ProgramVerdict.RIGHT


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("thread", "hog", True),
        ("thread", "stallscope-kern/hog", True),
        ("run_queue", "hog", True),
        ("thread", "victim", False),
        ("disk", "hog", False),
    ],
)
def test_a_cause_matches_by_kind_and_name(kind: str, name: str, expected: bool) -> None:
    assert is_cause(HOG, cause(kind, name)) is expected


def test_a_sign_must_be_found_and_must_not_for_a_look_alike() -> None:
    lock = LockWaits(
        address="0x1",
        kind="pi-mutex",
        wait_ns=10,
        waits=60,
        owner=None,
        callers=(),
        signs=("convoy: 3.0 threads wait at a time, though the lock is released every 200 us",),
    )
    spin = SpinningFunction(function="spin_until_taken", threads=4, cpu_ns=9, share=0.5)
    whole = diagnosis(thread(2, "worker", lock=100))
    assert signs_of(whole) == ()
    signs = signs_of(msgspec.structs.replace(whole, locks=(lock,), spinning=(spin,)))
    assert signs == ("convoy", "spinning")
    right, wrong = ProgramVerdict.RIGHT, ProgramVerdict.WRONG
    assert sign_verdict("convoy", signs, look_alike=False) is right
    assert sign_verdict("convoy", signs, look_alike=True) is wrong
    assert sign_verdict("convoy", (), look_alike=False) is wrong
    assert sign_verdict(None, signs, look_alike=True) is right


def test_a_cause_without_a_name_matches_by_kind() -> None:
    assert is_cause(ExpectedCause("disk"), cause("disk", "vda"))


def test_the_cause_must_come_first_and_must_not_for_a_look_alike() -> None:
    first = (cause("thread", "hog"), cause("sleep", "timer"))
    second = first[::-1]
    right, wrong = ProgramVerdict.RIGHT, ProgramVerdict.WRONG
    assert cause_verdict(HOG, first, look_alike=False) is right
    assert cause_verdict(HOG, second, look_alike=False) is wrong
    assert cause_verdict(HOG, (), look_alike=False) is wrong
    assert cause_verdict(HOG, first, look_alike=True) is wrong
    assert cause_verdict(HOG, second, look_alike=True) is right
    assert cause_verdict(None, (), look_alike=False) is right
    without_cpu = (cause("run_queue", "hog"),)
    assert cause_verdict(HOG, without_cpu, look_alike=False) is right
    assert cause_verdict(HOG, without_cpu, look_alike=True) is wrong


def test_causes_of_queue_time_count_if_one_is_expected() -> None:
    result = diagnosis(
        thread(2, "worker", user=50, run_queue=30, sleep=20),
        causes=(("cpu", "neighbour in /x"), ("disk", "vda")),
    )
    neighbour = ExpectedCause("cpu", "neighbour")
    by_cpu = diagnosis_causes(result, neighbour)
    assert [cause.name for cause in by_cpu] == ["neighbour in /x", "vda"]
    assert is_cause(neighbour, by_cpu[0])
    assert [cause.name for cause in diagnosis_causes(result, HOG)] == ["vda"]
