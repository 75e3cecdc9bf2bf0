"""The plan of a run as a file."""

import json

from stallscope.documents import encode
from topdown.slots.counting.counting_mode import (
    CountingMode,
)
from topdown.slots.counting.plan import nodes_down_to, plan_of
from topdown.slots.counting.plan_file import Subject, plan_record
from topdown.slots.model import load


def test_level_one_of_skylake_is_one_set_of_events() -> None:
    plan = plan_of(load("skl"), CountingMode(), nodes_down_to(load("skl"), 1))
    assert set(plan.events) == {
        "INST_RETIRED.ANY",
        "CPU_CLK_UNHALTED.THREAD",
        "IDQ_UOPS_NOT_DELIVERED.CORE",
        "UOPS_ISSUED.ANY",
        "UOPS_RETIRED.RETIRE_SLOTS",
        "INT_MISC.RECOVERY_CYCLES",
    }
    document = json.loads(encode(plan_record(plan, Subject(load("skl")))))
    assert document["schema"] == "stallscope.count-plan/1"
    assert document["events"]["UOPS_ISSUED.ANY"] == {
        "type": 4,
        "config": "0x10e",
        "config1": "0x0",
        "config2": "0x0",
    }
