"""`report --weight`: wall time and off-CPU time in the summary, the JSON and the page."""

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from harness.commands.report import command
from harness.profile.options import AnalysisOptions
from stallscope.errors import StallscopeError, UsageError
from tests.captures.wait_capture import WaitCapture
from tests.topdown.waits.test_sample_weights import two_phases
from topdown.waits.weight import Weight


def report(folder: Path, *words: str) -> str:
    capture = two_phases().write(folder / "waits.perf")
    arguments = [str(capture), "-o", str(folder / "page.html"), *words]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_json_names_the_weight_and_adds_up(tmp_path: Path) -> None:
    document = json.loads(report(tmp_path, "--weight", "wall", "--json"))
    assert document["source"]["event"] == "wall time"
    assert (document["source"]["unit"], document["source"]["kind"]) == ("ns", "measured")
    total = sum(thread["value"] for thread in document["threads"])
    assert total == pytest.approx(document["duration_s"] * 1e9, rel=0.005)


def test_the_summary_and_the_page_name_the_weight(tmp_path: Path) -> None:
    assert "off-CPU time at every context switch" in report(tmp_path, "--weight", "off-cpu")
    page = (tmp_path / "page.html").read_text()
    assert "Time off the CPU" in page
    report(tmp_path, "--weight", "wall")
    assert "Wall time" in (tmp_path / "page.html").read_text()


def test_an_event_cannot_have_another_weight() -> None:
    with pytest.raises(UsageError, match="--weight wall"):
        AnalysisOptions(event="cycles", weight=Weight.WALL)


EXTREMES = [0, 1, 10**9, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
IDS = [0, 7, 8, 2**31 - 1]


def hostile_capture(seed: int) -> WaitCapture:
    """Records in any order with extreme times, counts, periods and CPUs."""
    random = Random(seed)
    made = WaitCapture()
    made.process(7)
    for _ in range(40):
        add_hostile_record(made, random)
    return made


def add_hostile_record(made: WaitCapture, random: Random) -> None:
    pick = random.choice
    pid, tid, address = pick([7, 9]), pick(IDS), random.randrange(2**20)
    at = pick(EXTREMES) if random.random() < 0.5 else random.randrange(10**10)
    records = [
        lambda: made.switch_in(pid, tid, at, pick([0, 1, 2**32 - 1])),
        lambda: made.switch_out(pid, tid, at, preempted=random.random() < 0.5),
        lambda: made.switch_cpu((pid, tid), (pick(IDS), pick(IDS)), at),
        lambda: made.cpu_sample(pid, tid, at, [address], period=pick(EXTREMES)),
        lambda: made.switch_sample(pid, tid, at, [address], registers=pick([None, {}])),
        lambda: made.waking((pid, tid), pick(IDS), at, flags=random.randrange(256)),
        lambda: made.lost(pick(EXTREMES), at, pick([0, 2**32 - 1])),
        lambda: made.start(pid, tid, at),
        lambda: made.exit(pid, tid, at),
    ]
    pick(records)()


@pytest.mark.parametrize(
    "words", [["--weight", "wall"], ["--weight", "off-cpu"], ["--period", "0-1"]]
)
def test_damaged_captures_give_a_page_or_an_error(tmp_path: Path, words: list[str]) -> None:
    for seed in range(12):
        capture = hostile_capture(seed).write(tmp_path / "hostile.perf")
        arguments = [str(capture), "-o", str(tmp_path / "page.html"), *words]
        error = CliRunner().invoke(command, arguments).exception
        if error is not None and not isinstance(error, StallscopeError):
            raise error
