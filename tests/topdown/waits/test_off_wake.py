"""The off-wake graph of a capture: blocked chains below, chains of wakers on top."""

from pathlib import Path

from harness.profile.analysis import analyze
from harness.profile.options import AnalysisOptions
from stallscope.recordings import open_recording
from tests.captures.wait_capture import WaitCapture
from topdown.stacks.flame.folded import render_folded
from topdown.waits.weight import Weight

MILLISECOND = 1_000_000
WORK, LOCK, RELEASE, LOOP = 0x100, 0x200, 0x300, 0x400


def capture(waker_stack: list[int]) -> WaitCapture:
    """A thread that waits for another one for 300 ms."""
    made = WaitCapture()
    made.process(7, b"server")
    made.switch_in(7, 7, 1)
    made.switch_in(7, 8, 1, cpu=1)
    made.cpu_sample(7, 7, 50 * MILLISECOND, [WORK])
    made.switch_sample(7, 7, 100 * MILLISECOND, [LOCK, WORK], registers={})
    made.switch_out(7, 7, 100 * MILLISECOND)
    made.waking((7, 8), 7, 400 * MILLISECOND, cpu=1, stack=waker_stack)
    made.switch_in(7, 7, 400 * MILLISECOND)
    made.switch_out(7, 8, 500 * MILLISECOND, cpu=1, preempted=True)
    made.switch_out(7, 7, 500 * MILLISECOND, preempted=True)
    return made


def folded(path: Path, made: WaitCapture) -> str:
    analysis = analyze(
        open_recording(made.write(path / "x.perf")), AnalysisOptions(weight=Weight.OFF_CPU)
    )
    assert analysis.with_wakers is not None
    (line,) = render_folded(analysis.with_wakers).splitlines()
    return line


def test_the_stack_of_the_waker_is_on_top_of_the_wait_leaf_first(tmp_path: Path) -> None:
    line = folded(tmp_path, capture([RELEASE, LOOP]))
    chain, _, weight = line.rpartition(" ")
    frames = chain.split(";")
    woken = next(place for place, frame in enumerate(frames) if "woken by" in frame)
    assert frames[woken - 2 :] == [
        "waits+0xff",  # callers are named by the calls before their return addresses
        "waits+0x200",
        frames[woken],
        "waits+0x300",
        "waits+0x3ff",
    ]
    assert int(weight) == 300_000  # microseconds


def test_a_waker_without_a_stack_is_named_alone(tmp_path: Path) -> None:
    chain, _, _ = folded(tmp_path, capture([])).rpartition(" ")
    assert "woken by" in chain.split(";")[-1]
