"""A tree of slots from a real PMU: planned on the host, counted in the guest, analysed on the host.

Of Neoverse N1's events only cycles and instructions count in the guest, and an instruction takes a
cycle: IPC is 1 with any multiplexing, and no cycle is stalled.
"""

from pathlib import Path

import pytest

from tests.pmu_guest.guest import Result, boot
from tests.pmu_guest.packages import Packages
from tests.pmu_guest.scenarios import COLLECT
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import Encoding, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.counting.requested_events import RequestedEvent
from topdown.slots.counting.session import measurement_of_recording
from topdown.slots.measurement import MeasuredNode, Measurement
from topdown.slots.model import load
from topdown.slots.self_test.session import read_program_counts, whole_plan
from topdown.slots.self_test.verdicts import EventVerdict, verdicts

pytestmark = pytest.mark.pmu
MODEL = load("neoverse-n1")
ITERATIONS = 9_000_000
INSTRUCTIONS = 32 * ITERATIONS
INST_RETIRED = 0x08
KERNELS = ("independent-adds", "dependent-chain", "random-branches", "pointer-chase-l1")
COPIES = 12  # copies of an event, more than the number of counters, so that they are multiplexed
STALLED = ("frontend_stalled_cycles", "backend_stalled_cycles")
MISSES = "l1d_cache_mpki"  # uses an event without hardware support


def plan_text(folder: Path, subject: Subject) -> str:
    options = {item.event: item.encoding for item in subject.requested}
    path = folder / "plan.json"
    write_plan(path, plan_of(MODEL, subject.mode, subject.nodes, requested=options), subject)
    return path.read_text()


@pytest.fixture(scope="module")
def counted(
    guest_packages: Packages, arm64_build: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Result]:
    """Level 1 alone, and with many copies of an event, which are multiplexed."""
    kernels = arm64_build / "kernels" / "stallscope-kernels"
    programs = {COLLECT: arm64_build / "collect" / "stallscope-collect", "/kernels": kernels}
    many = tuple(
        RequestedEvent(f"copy{number}", f"copy{number}", Encoding(4, INST_RETIRED))
        for number in range(COPIES)
    )
    folder = tmp_path_factory.mktemp("slots")
    command = f"-- /kernels independent-adds --iterations {ITERATIONS}"
    scripts = {
        name: f"cat >plan.json <<'END'\n{plan_text(folder, subject)}END\n"
        f"{COLLECT} count --plan plan.json -o run --user --window 50 {command}\n"
        for name, subject in {
            "alone": Subject(MODEL, CountingMode(), (*STALLED, MISSES)),
            "turns": Subject(MODEL, CountingMode(), STALLED, many),
        }.items()
    }
    tested = Subject(MODEL, CountingMode(), STALLED)
    path = folder / "plan.json"
    write_plan(path, whole_plan(tested), tested)
    for kernel in KERNELS:
        words = f"-- /kernels {kernel} --json --duration 0.15"
        scripts[kernel] = (
            f"cat >plan.json <<'END'\n{path.read_text()}END\n"
            f"{COLLECT} count --plan plan.json -o run --user --window 50 {words}\n"
        )
    return boot(guest_packages, programs, scripts, folder)


def measured(result: Result) -> Measurement:
    assert result.status == 0, result.stderr
    return measurement_of_recording(result.run)


def named(measurement: Measurement, name: str) -> MeasuredNode:
    return next(node for node in measurement.nodes if node.name == name)


def test_counts_without_multiplexing_are_exact(counted: dict[str, Result]) -> None:
    result = measured(counted["alone"])
    assert result.cpu == "neoverse-n1"
    assert result.ipc is not None
    assert result.ipc.instructions == pytest.approx(INSTRUCTIONS, rel=0.01)
    assert result.ipc.value == pytest.approx(1, rel=0.02)
    assert result.ipc.interval is not None
    assert result.ipc.interval.low == result.ipc.interval.high == result.ipc.value
    assert dict(result.facts)["counted"].startswith("all the time")


def test_unsupported_events_have_no_value(counted: dict[str, Result]) -> None:
    result = measured(counted["alone"])
    node = named(result, MISSES)
    assert node.value is None, node
    assert "L1D_CACHE_REFILL" in node.warnings[0]
    # The guest's PMU lists these events and counts 0.
    assert [named(result, name).value for name in STALLED] == [0, 0]
    assert result.bottleneck is None
    assert "instead of slots" in result.bottleneck_why


def test_intervals_of_multiplexed_events_contain_the_known_count(
    counted: dict[str, Result],
) -> None:
    result = measured(counted["turns"])
    assert "multiplexed" in dict(result.facts)["counted"]
    copies = [node for node in result.nodes if node.name.startswith("copy")]
    assert len(copies) == COPIES
    exact = measured(counted["alone"]).ipc
    assert exact is not None
    assert exact.instructions is not None
    for node in copies:
        assert node.value == pytest.approx(exact.instructions, rel=0.02)
        assert node.interval is not None
        assert node.interval.low < node.value < node.interval.high
        # A group that was not scheduled at the program's start misses up to half a percent.
        assert node.interval.low < exact.instructions * 1.005
        assert node.interval.high > exact.instructions * 0.995
    assert result.ipc is not None
    assert result.ipc.value == pytest.approx(1, rel=0.02)


def test_the_self_test_reports_events_that_the_guest_does_not_count(
    counted: dict[str, Result],
) -> None:
    programs = [
        read_program_counts(counted[name].run, counted[name].path / "stdout") for name in KERNELS
    ]
    result = verdicts(MODEL, programs)
    working = {name for name, event in result.items() if event.verdict is EventVerdict.WORKS}
    assert working == {"INST_RETIRED", "CPU_CYCLES"}, {n: result[n].reason for n in working}
    assert result["BR_RETIRED"].verdict in (EventVerdict.BROKEN, EventVerdict.UNCOUNTED)
    assert any("of iterations in" in text for text in result["INST_RETIRED"].passed)
