from pathlib import Path

from harness.waits.build import TIMELINE_STEPS, waits_result
from harness.waits.result import WaitsResult
from stallscope.documents import encode
from tests.documents import assert_valid
from tests.harness.waits.analyses import analysis
from tests.topdown.waits.wait_records_builder import MILLISECOND
from topdown.waits.records import WaitSource
from topdown.waits.states import ThreadState

TEXT = """
    main R(code)0-100 W(?,read)100-400 R(kernel)400-500
    w-1@1 R0-100 W(main,lock)100-450 Q450-460 R460-500
    w-2@2 W(?,sleep)0-490 R490-500
    """


def result(text: str = TEXT, **options: object) -> WaitsResult:
    return waits_result(analysis(text, **options), recording=Path("run"), report=None)


def test_a_document_is_valid_and_its_states_add_up() -> None:
    document = result(cpu_sample_every=1)
    assert_valid("waits", encode(document))
    for row in (*document.threads, *document.groups):
        assert sum(row.states_ns.values()) == row.wall_ns
        assert set(row.states_ns) == {state.key for state in ThreadState}
    assert document.wall_ns == 500 * MILLISECOND


def test_threads_with_most_cpu_time_come_first() -> None:
    document = result()
    assert [thread.name for thread in document.threads] == ["main", "w-1", "w-2"]
    assert [(group.name, group.threads) for group in document.groups] == [("main", 1), ("w", 2)]


def test_states_have_the_time_of_the_program_and_a_source() -> None:
    main = result(cpu_sample_every=1).threads[0]
    assert main.states_ns["user"] == 100 * MILLISECOND
    assert main.states_ns["system"] == 100 * MILLISECOND
    assert main.states_ns["disk_read"] == 300 * MILLISECOND
    sources = {(row.state, row.source) for row in result().sources}
    assert ("disk_read", "call chain of the kernel at the switch") in sources


def test_time_without_a_known_cause_is_unattributed() -> None:
    document = result("A R0-25 W(?,nowhere)25-50 R50-100")
    assert document.unattributed_share == 0.25


def test_missing_sources_have_a_remedy() -> None:
    missing = WaitSource("sched_waking", False, "tracefs is not mounted", "mount it")
    document = result("A R0-10", sources=(missing, WaitSource("switches", True)))
    assert [(row.name, row.remedy) for row in document.missing] == [("sched_waking", "mount it")]


def test_missing_sources_with_one_reason_are_listed_together() -> None:
    sources = tuple(WaitSource(name, False, "not permitted", "as root") for name in ("a", "b"))
    assert [row.name for row in result("A R0-10", sources=sources).missing] == ["a, b"]


def test_the_timeline_shows_the_state_with_most_time_in_each_step() -> None:
    timeline = result("A R0-240 Q240-480").timeline
    assert timeline is not None
    half = TIMELINE_STEPS // 2
    assert timeline.threads[0].runs == (("user", half), ("run_queue", half))


def test_a_recording_without_threads_has_no_share() -> None:
    document = result("A/!other R0-10")
    assert document.unattributed_share is None
    assert document.threads == ()
