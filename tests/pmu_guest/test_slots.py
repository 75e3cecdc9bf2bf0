"""A tree of slots from a real PMU: planned on the host, counted in the guest, analysed on the host.

Of Neoverse N1's events only cycles and instructions count in the guest, and an instruction takes a
cycle: IPC is 1 with any multiplexing, and no cycle is stalled.
"""

import pytest

from tests.pmu_guest.conftest import SLOTS
from tests.pmu_guest.guest import Result
from tests.pmu_guest.slot_scenarios import COPIES, ITERATIONS, KERNELS, MISSES, MODEL, STALLED
from topdown.slots.counting.session import measurement_of_recording
from topdown.slots.measurement import MeasuredNode, Measurement
from topdown.slots.self_test.session import read_program_counts
from topdown.slots.self_test.verdicts import EventVerdict, verdicts

pytestmark = pytest.mark.pmu
INSTRUCTIONS = 32 * ITERATIONS


@pytest.fixture(scope="module")
def counted(guest: dict[str, Result]) -> dict[str, Result]:
    """The scenarios of slots, by name without prefix."""
    return {
        name.removeprefix(SLOTS): result for name, result in guest.items() if name.startswith(SLOTS)
    }


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
