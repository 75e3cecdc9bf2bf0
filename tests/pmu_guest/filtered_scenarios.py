"""Scenarios for a tree of a test model whose events have filters, in the boot with slower instructions."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.pmu_guest.scenarios import COLLECT
from topdown.slots import model as models
from topdown.slots.counting.counting_mode import CountingMode
from topdown.slots.counting.plan import CountingPlan, Encoding, plan_of
from topdown.slots.counting.plan_file import Subject, write_plan

HERE = Path(__file__).parent
KEY = "filtered_model"
CATEGORIES = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
# The model marks filters in the second word of an event's code, because a model has no filters.
FILTERS = {0: "", 1: ":u", 2: ":k"}
NAMES = {0x11: "arm_n1::CPU_CYCLES", 0x8: "arm_n1::INST_RETIRED"}
PROGRAM = "/known_split"
# Rounds, iterations of the loop per round, system calls per round: mostly user code, mostly kernel.
LOADS = {"user": "1600 20000 20", "kernel": "2000 4000 100"}


@contextmanager
def known_test_model(folder: Path) -> Iterator[models.Model]:
    """Makes the test model the only model."""
    (folder / f"{KEY}.json").write_bytes((HERE / f"{KEY}.json").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "FOLDER", folder)
        models.keys.cache_clear()
        yield models.load(KEY)
    models.keys.cache_clear()
    models.load.cache_clear()


def filtered_scenarios(folder: Path) -> dict[str, str]:
    """Return the scripts by load."""
    with known_test_model(folder) as model:
        subject = Subject(model, CountingMode(), CATEGORIES)
        path = folder / "plan"
        write_plan(path, _filtered(plan_of(model, subject.mode, CATEGORIES)), subject)
    return {
        load: f"cat >plan.json <<'END'\n{path.read_text()}END\n"
        f"{COLLECT} count --plan plan.json -o run --window 50 -- {PROGRAM} {words}\n"
        for load, words in LOADS.items()
    }


def _filtered(plan: CountingPlan) -> CountingPlan:
    """The plan with names of libpfm4 instead of marked codes: these have filters."""
    events = {
        name: Encoding(name=NAMES[event.config] + FILTERS[event.config1])
        for name, event in plan.events.items()
    }
    return replace(plan, events=events)
