"""A whole tree of slots from a real PMU: from perf_event_open in the guest to the printed tree.

Only cycles and instructions count in the guest. A test model combines them with filters for user
and kernel code, so that all four categories of the first level have known values that are not 0:
with two slots per cycle and two cycles per instruction, a quarter of the slots of user cycles
retires, the rest is frontend_bound; kernel cycles are divided in the same way. What is tested is the
path: planning, opening with filters, counting, reading, evaluating, printing. The formulas are
none of a CPU's. Nothing is played back.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from harness.topdown.result import topdown_result
from harness.topdown.text import TreeView, lines
from tests.pmu_guest.conftest import compiled
from tests.pmu_guest.guest import Machine, Result, boot
from tests.pmu_guest.packages import Packages
from tests.pmu_guest.scenarios import COLLECT
from topdown.slots import model as models
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import Encoding, Plan, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan
from topdown.slots.counting.session import measurement_of_recording
from topdown.slots.measurement import Measurement

pytestmark = pytest.mark.pmu
HERE = Path(__file__).parent
KEY = "filtered_model"
CATEGORIES = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
# The model marks filters in the second word of an event's code, because a model has no filters.
FILTERS = {0: "", 1: ":u", 2: ":k"}
NAMES = {0x11: "arm_n1::CPU_CYCLES", 0x8: "arm_n1::INST_RETIRED"}
PROGRAM = "/known_split"
# Rounds, iterations of the loop per round, system calls per round: mostly user code, mostly kernel.
LOADS = {"user": "1600 20000 20", "kernel": "2000 4000 100"}


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
def test_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[models.Model]:
    """The test model among the models, for this module only."""
    folder = tmp_path_factory.mktemp("models")
    (folder / f"{KEY}.json").write_bytes((HERE / f"{KEY}.json").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "FOLDER", folder)
        models.keys.cache_clear()
        yield models.load(KEY)
    models.keys.cache_clear()
    models.load.cache_clear()


def filtered(plan: Plan) -> Plan:
    """The plan with names of libpfm4 instead of marked codes: these have filters."""
    events = {
        name: Encoding(name=NAMES[event.config] + FILTERS[event.config1])
        for name, event in plan.events.items()
    }
    return replace(plan, events=events)


@pytest.fixture(scope="module")
def runs(
    test_model: models.Model,
    guest_packages: Packages,
    guest_folder: Path,
    arm64_build: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, SplitRun]:
    folder = tmp_path_factory.mktemp("filtered")
    subject = Subject(test_model, CountingMode(), CATEGORIES)
    path = folder / "plan.json"
    write_plan(path, filtered(plan_of(test_model, subject.mode, CATEGORIES)), subject)
    programs = {
        COLLECT: arm64_build / "collect" / "stallscope-collect",
        PROGRAM: compiled("known_split.c", guest_folder / "known_split", "sha1"),
    }
    scripts = {
        name: f"cat >plan.json <<'END'\n{path.read_text()}END\n"
        f"{COLLECT} count --plan plan.json -o run --window 50 -- {PROGRAM} {words}\n"
        for name, words in LOADS.items()
    }
    results = boot(guest_packages, programs, scripts, folder, Machine(shift=1))
    return {name: split_run(result) for name, result in results.items()}


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
