"""Off-CPU time of a capture: wakers, and idle pools that are set apart."""

import json
from pathlib import Path

from click.testing import CliRunner

from harness.commands.report import command
from harness.profile.analysis import analyze
from harness.profile.options import AnalysisOptions
from stallscope.recordings import open_recording
from tests.captures.wait_capture import WaitCapture
from topdown.waits.weight import Weight

MILLISECOND = 1_000_000
WORK, LOCK, POOL = 0x100, 0x200, 0x300


def with_idle_pool() -> WaitCapture:
    """A thread that waits for another one, and two threads without work for 1 s."""
    made = WaitCapture()
    made.process(7, b"server")
    for tid in (20, 21):
        made.name(7, tid, b"worker-%d" % (tid - 20))
        made.switch_in(7, tid, 1)
        made.switch_sample(7, tid, 100_000, [POOL], registers={})
        made.switch_out(7, tid, 100_000)
    made.switch_in(7, 7, 1)
    made.switch_in(7, 8, 1, cpu=1)
    made.cpu_sample(7, 7, 50 * MILLISECOND, [WORK])
    made.switch_sample(7, 7, 100 * MILLISECOND, [LOCK], registers={})
    made.switch_out(7, 7, 100 * MILLISECOND)
    made.cpu_sample(7, 8, 300 * MILLISECOND, [WORK], cpu=1)
    made.waking((7, 8), 7, 400 * MILLISECOND, cpu=1)
    made.switch_in(7, 7, 400 * MILLISECOND)
    made.switch_out(7, 8, 1000 * MILLISECOND, cpu=1, preempted=True)
    made.switch_out(7, 7, 1000 * MILLISECOND, preempted=True)
    return made


def test_idle_pools_are_set_apart_and_wakers_are_named(tmp_path: Path) -> None:
    capture = with_idle_pool().write(tmp_path / "pool.perf")
    analysis = analyze(open_recording(capture), AnalysisOptions(weight=Weight.OFF_CPU))
    assert analysis.off_cpu is not None
    (pool,) = analysis.off_cpu.pools
    assert (pool.name, pool.process, pool.threads) == ("worker", "server", 2)
    assert pool.place == "waits+0x300"
    assert "90 %" in pool.rule
    (share,) = analysis.off_cpu.wakers
    assert (share.chain, share.wait_ns) == (("waits+0x200",), 300 * MILLISECOND)
    assert analysis.profile.weight_value.sum() == 300 * MILLISECOND


def test_the_wall_profile_has_no_such_facts(tmp_path: Path) -> None:
    capture = with_idle_pool().write(tmp_path / "pool.perf")
    assert analyze(open_recording(capture), AnalysisOptions(weight=Weight.WALL)).off_cpu is None


def test_only_waits_are_functions_of_the_document(tmp_path: Path) -> None:
    capture = with_idle_pool().write(tmp_path / "pool.perf")
    words = [str(capture), "--no-page", "--json", "--weight", "off-cpu"]
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    names = {row["name"] for row in json.loads(result.output)["functions"] if row["self_share"]}
    assert names == {"waits+0x200"}
