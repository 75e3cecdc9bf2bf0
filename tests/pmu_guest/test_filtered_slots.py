"""A whole tree of slots from a real PMU: from perf_event_open in the guest to the printed tree.

Only cycles and instructions count in the guest. A test model combines them with filters for user
and kernel code, so that all four categories of the first level have known values that are not 0:
with two slots per cycle and two cycles per instruction, a quarter of the slots of user cycles
retires, the rest is frontend_bound; kernel cycles are divided in the same way. What is tested is the
path: planning, opening with filters, counting, reading, evaluating, printing. The formulas are
none of a CPU's. Nothing is played back.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from harness.topdown.result import topdown_result
from harness.topdown.text import TreeView, lines
from tests.pmu_guest.conftest import FILTERED, Counted
from tests.pmu_guest.filtered_scenarios import CATEGORIES, LOADS, known_test_model
from tests.pmu_guest.guest import Result
from topdown.slots.counting.session import measurement_of_recording
from topdown.slots.measurement import Measurement

pytestmark = pytest.mark.pmu


@dataclass(frozen=True)
class SplitRun:
    """A counted run with the program's own counts of its instructions."""

    measurement: Measurement
    user: int
    kernel: int

    @property
    def user_share(self) -> float:
        return self.user / (self.user + self.kernel)

    def share(self, name: str) -> float:
        [node] = [node for node in self.measurement.nodes if node.name == name]
        assert node.value is not None, node
        return node.value


@pytest.fixture(scope="module")
def runs(
    guest_at: Callable[[int], Counted], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, SplitRun]]:
    """The runs by load; the test model is known while these tests run."""
    results = guest_at(1).results
    with known_test_model(tmp_path_factory.mktemp("models")):
        yield {load: split_run(results[FILTERED + load]) for load in LOADS}


def split_run(result: Result) -> SplitRun:
    assert result.status == 0, result.stderr
    user, kernel = map(int, result.stdout.split())
    return SplitRun(measurement_of_recording(result.run), user, kernel)


@pytest.mark.parametrize("load", LOADS)
def test_all_categories_have_their_known_shares(runs: dict[str, SplitRun], load: str) -> None:
    run = runs[load]
    user = run.user_share
    expected = {
        "retiring": user / 4,
        "frontend_bound": 3 * user / 4,
        "bad_speculation": (1 - user) / 4,
        "backend_bound": 3 * (1 - user) / 4,
    }
    shares = {name: run.share(name) for name in CATEGORIES}
    assert shares == pytest.approx(expected, abs=0.02)
    assert sum(shares.values()) == pytest.approx(1, abs=0.001)
    assert min(shares.values()) > 0.02
    assert run.measurement.ipc is not None
    assert run.measurement.ipc.value == pytest.approx(0.5, rel=0.01)


def test_the_programs_differ_in_their_bottleneck(runs: dict[str, SplitRun]) -> None:
    assert runs["user"].user_share > 0.8
    assert runs["kernel"].user_share < 0.5
    assert runs["user"].measurement.bottleneck == ("frontend_bound",)
    assert runs["kernel"].measurement.bottleneck == ("backend_bound",)


@pytest.mark.parametrize("load", LOADS)
def test_the_printed_tree_has_the_counted_shares(runs: dict[str, SplitRun], load: str) -> None:
    run = runs[load]
    text = "\n".join(lines(topdown_result(run.measurement), TreeView(1, 100)))
    for name in CATEGORIES:
        percent = f"{100 * run.share(name):.1f}"
        assert any(name in line and percent in line for line in text.splitlines()), text
