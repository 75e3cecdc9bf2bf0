from pathlib import Path

from harness.waits.build import waits_result
from harness.waits.verdict import verdict
from tests.harness.waits.analyses import analysis
from tests.harness.waits.waits_results import waits_result as document


def sentence(text: str, **options: object) -> str:
    return verdict(waits_result(analysis(text, **options), recording=Path("run"), report=None))


def test_the_verdict_names_what_working_threads_do_most_and_the_first_cause() -> None:
    text = """
        hog R(code)0-500
        w-1@1 R0-10 W(hog,lock)10-490 R490-500
        w-2@2 R0-10 W(hog,lock)10-490 R490-500
        """
    words = sentence(text, cpu_sample_every=10)
    assert words == (
        "3 working threads wait for locks 64.0 % of their wall time and run 36.0 %. "
        "First cause of waits: hog (thread, while it runs), 100.0 % of them."
    )


def test_a_single_thread_is_in_the_singular() -> None:
    assert sentence("main R(code)0-500", cpu_sample_every=10) == (
        "1 working thread runs 100.0 % of its wall time."
    )


def test_idle_threads_alone_are_no_work() -> None:
    text = "pool R0-0.1 W(timer,sleep)0.1-500"
    assert "idle" in sentence(text) or "sleep" in sentence(text)


def test_a_recording_without_threads_says_so() -> None:
    assert verdict(document()) == "No thread of server lived while it was recorded."
