"""From Arm's metrics to a model."""

from typing import Any

from tests.topdown.slots.generate.drafts import model_from
from topdown.slots.generate import arm


def test_arm() -> None:
    def metric(formula: str, units: str) -> dict[str, Any]:
        return {"formula": formula, "units": units, "sample_events": ["STALL"]}

    table = {
        "source": "a table",
        "events": {"CPU_CYCLES": "0x0011", "INST_RETIRED": "0x0008", "STALL": "0x0023"},
        "metrics": {
            "z_mpki": metric("STALL / INST_RETIRED * 1000", "MPKI"),
            "front": metric("100 * (STALL / CPU_CYCLES)", "percent of cycles"),
            "front_core": metric("STALL / CPU_CYCLES * 50", "percent of cycles"),
            "front_busy": metric("STALL / CPU_CYCLES * 50", "percent of cycles"),
        },
        "groups": {"MPKI": ["z_mpki"], "L1": ["front"], "L2": ["front_core", "front_busy"]},
        "methodology": {
            "root_nodes": ["front"],
            "metrics": [
                {"name": "front", "next_items": ["front_core", "MPKI"]},
                {"name": "front_core", "next_items": []},
                {"name": "front_busy", "next_items": []},
            ],
        },
    }
    draft = arm.draft(table)
    arm.encode(draft, table["events"])  # type: ignore[arg-type]
    places = {name: (node["level"], node["parent"]) for name, node in draft.nodes.items()}
    assert places == {
        "front": (1, None),
        "front_core": (2, "front"),
        "front_busy": (2, "front"),
        "z_mpki": (None, None),
    }
    assert draft.events["STALL"] == "0x23"
    assert model_from(draft).whole == 100
