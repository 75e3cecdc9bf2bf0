from msgspec.structs import replace

from harness.continuous.result import (
    ContinuousResult,
    DroppedSegments,
    RecorderCost,
    SentProfiles,
)
from harness.continuous.text import lines

COST = RecorderCost(
    elapsed_s=600, budget_share=0.01, used_share=0.0081, recorder_cpu_s=3.2, sampling_cpu_s=1.66,
    start_cpu_s=0.5, memory_bytes=48_000_000, ring_bytes=4_194_304, disk_bytes=7_100_000,
    disk_limit_bytes=250_000_000,
)  # fmt: skip
RESULT = ContinuousResult(
    directory="al\x1bways", begin_ns=1, written_ns=2, end="signal", segments=10, first_segment="segment-000001",
    last_segment="segment-000010", removed=0, empty=0, failed=0, ended_early=0, samples=83_000,
    lost=0, covered_s=597, paused_s=0, frequency_hz=99, max_frequency_hz=99, cost=COST, sent=None,
    warnings=(),
)  # fmt: skip


def test_cost_and_budget_are_shown_with_their_sources() -> None:
    text = "\n".join(lines(RESULT, 200))
    assert "10 segments in al\\x1bways (7.1 of 250 MB)" in text
    assert "99.5 % of 600 s recorded" in text
    assert "cost: 0.8 % of a CPU, budget 1.0 %: recorder 3.20 s (measured), sampling 1.66 s" in text
    assert "memory 48 MB and 4 MB of ring buffers" in text


def test_what_was_dropped_is_named() -> None:
    sent = SentProfiles(
        url="http://h:1/x", segments=7, bytes=1_200_000, retries=3, rejected=0,
        dropped=(DroppedSegments(reason="the queue was full", segments=2),),
        last_dropped="segment-000002", last_failure="timed out",
    )  # fmt: skip
    text = "\n".join(lines(replace(RESULT, sent=sent, warnings=("a warning",)), 200))
    assert "sent to http://h:1/x: 7 segments (1.2 MB), 3 retries, 2 dropped" in text
    assert "  dropped: 2: the queue was full" in text
    assert "warning: a warning" in text


def test_a_recording_of_no_time_has_no_share() -> None:
    cost = replace(COST, elapsed_s=0.0)
    assert "n/a of 0 s recorded" in "\n".join(lines(replace(RESULT, cost=cost), 200))
