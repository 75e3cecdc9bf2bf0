"""Rates of programs, and which findings are about the machine."""

import pytest

from harness.diagnose.result import Finding, FindingPlace
from harness.labs.diagnose.measurement import ProgramReport, lab_finding
from stallscope.documents import decode


def queue(*users: str) -> Finding:
    return Finding(
        cause="run-queue",
        sentence="Threads wait.",
        cost_share=0.5,
        largest_gain=2.0,
        confidence=0.9,
        evidence=(),
        where=tuple(FindingPlace(kind="process", name=user) for user in users),
        try_=(),
        check="",
    )


def test_a_rate_is_that_of_a_thread_and_of_the_named_threads_if_any() -> None:
    text = (
        b'{"iterations":300,"elapsed_ns":2000000000,"parameters":{"threads":3,"path":"/x"},'
        b'"threads":[{"name":"hog","iterations":100},{"name":"victim","iterations":80},'
        b'{"name":"victim","iterations":120}]}'
    )
    report = decode(text, ProgramReport, "report")
    assert report.rate_per_s("") == pytest.approx(50)
    assert report.rate_per_s("victim") == pytest.approx(50)
    assert report.rate_per_s("hog") == pytest.approx(50)


def test_other_processes_on_the_cpus_are_of_the_machine_but_not_those_of_the_entry() -> None:
    true = frozenset({"run-queue"})
    assert lab_finding(queue("make"), true, "").of_machine
    assert not lab_finding(queue("threads of the target", "make"), true, "").of_machine
    assert not lab_finding(queue("scan"), frozenset(), "scan").of_machine
    assert not lab_finding(queue("make"), true, "", judge_machine=True).of_machine
