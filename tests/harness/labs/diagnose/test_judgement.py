"""Which findings are about the machine, and which runs are disturbed."""

from msgspec import structs

from harness.diagnose.result import CpuUser, DiagnoseResult, Finding, FindingPlace
from harness.labs.diagnose.judgement import KeptRun, judged_run, lab_finding
from tests.harness.diagnose.diagnoses import BUSY, diagnosis
from tests.harness.labs.diagnose.lab_runs import HOG


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


def busy_beside(name: str, share: float, kind: str = "process") -> DiagnoseResult:
    """Return a healthy diagnosis of a program that was queued behind a process."""
    users = (CpuUser(kind="target", name="threads of the target", share=0.4),)
    users += (CpuUser(kind=kind, name=name, share=share),)
    return structs.replace(diagnosis(BUSY), cpu_users=users)


def test_other_processes_on_the_cpus_are_of_the_machine_but_not_those_of_the_entry() -> None:
    true = frozenset({"run-queue"})
    assert lab_finding(queue("make"), true, "").of_machine
    assert not lab_finding(queue("threads of the target", "make"), true, "").of_machine
    assert lab_finding(queue("make", "threads of the target"), true, "").of_machine
    assert not lab_finding(queue("scan"), frozenset(), "scan").of_machine
    assert not lab_finding(queue("make"), true, "", judge_machine=True).of_machine


def test_a_queue_behind_processes_outside_of_the_entry_disturbs_a_run() -> None:
    kept = KeptRun(variant="program", beside_name="scan", rate_per_s=7.0, busy_before=0.5)
    run = judged_run(HOG, kept, busy_beside("make", 0.2))
    assert (run.disturbed, run.behind_others) == (True, 0.2)
    assert (run.rate_per_s, run.busy_before) == (7.0, 0.5)
    assert not judged_run(HOG, kept, busy_beside("make", 0.05)).disturbed
    assert not judged_run(HOG, kept, busy_beside("scan", 0.2)).disturbed
    assert not judged_run(HOG, kept, busy_beside("stallscope itself", 0.2, "recorder")).disturbed
    assert judged_run(HOG, kept, busy_beside("kcompactd0", 0.2, "kernel thread")).disturbed
    assert not judged_run(HOG, kept, busy_beside("kworker/1:1H", 0.2, "kernel thread")).disturbed
