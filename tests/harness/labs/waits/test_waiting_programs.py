"""The list of waiting programs."""

import pytest

from harness.labs.waits.waiting_programs import ExpectedCause, waiting_programs
from stallscope.errors import UsageError


def test_programs_have_a_cause_or_measure_their_states() -> None:
    programs = {waiting.name: waiting for waiting in waiting_programs()}
    assert programs["lock-hog"].first_cause == ExpectedCause("thread", "hog")
    assert programs["lock-hog"].measures_states
    assert programs["contended-mutex"].first_cause is not None
    assert "streaming" not in programs


@pytest.mark.parametrize(
    "name",
    [
        "condition-herd",
        "hash-under-lock",
        "o-n-critical-section",
        "spin-convoy",
        "lock-convoy",
        "mapped-file-faults",
        "deep-queue",
        "slow-peer",
        "cgroup-throttled",
        "oversubscribed",
        "preempted-holder",
    ],
)
def test_a_fault_that_programs_often_have_is_in_the_lab_with_its_look_alike(name: str) -> None:
    (waiting,) = waiting_programs((name,))
    assert waiting.look_alike
    assert waiting.first_cause or waiting.sign


def test_an_unknown_program_is_named() -> None:
    with pytest.raises(UsageError, match="'lock-hig'"):
        waiting_programs(("lock-hig",))


def test_the_command_line_has_the_duration_and_the_look_alike() -> None:
    (waiting,) = waiting_programs(("lock-hog",))
    words = waiting.command(1.5, look_alike=True)
    assert words[1:] == ("lock-hog", "--json", "--duration", "1.5", "--look-alike")
