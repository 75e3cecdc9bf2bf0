"""From Intel's metrics to a model."""

from typing import Any

from tests.topdown.slots.generate.drafts import model_from
from topdown.slots.generate import intel


def intel_node(
    name: str, level: int, formula: str, threshold: str, **others: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "level": level,
        "base_formula": formula,
        "threshold": threshold,
        "domain": "Slots",
        "events": {},
        **others,
    }


def test_intel() -> None:
    table: dict[str, Any] = {
        "source": "a table",
        "license_of_source": "BSD",
        "nodes": [
            intel_node("Front", 1, " ( evt.a ) / tma_info_slots", "metric_TMA_Front(%) > 15"),
            intel_node(
                "4K_Deep", 2, " max( tma_front - evt.b:c1:e1 , 0 ) if smt_on else ( 2 ) * evt.a",
                "metric_TMA_..4K_Deep(%) > 5 & metric_TMA_Front(%) > 15",
                parent="Elsewhere", locate_with=" EVT.B ; #NA",
            ),
            intel_node("Info_Slots", 1, " 4 * cpu_clk_unhalted.thread", ""),
            intel_node("Info_Unused", 1, " 5 * cpu_clk_unhalted.thread", ""),
            intel_node("Info_Uncore", 1, " 64 * unc_m_cas_count.rd", ""),
            intel_node("Bottleneck_Sum", 1, " tma_front * hbm_bound", ""),
        ],
        "events": {
            "EVT.A": {"EventCode": "0x9C", "UMask": "0x01", "CounterMask": "4", "Invert": "1"},
            "EVT.B": {"EventCode": "0xB7, 0xBB", "UMask": "0x01", "MSRValue": "0x1F"},
            "CPU_CLK_UNHALTED.THREAD": {"UMask": "0x02"},
            "INST_RETIRED.ANY": {"UMask": "0x01"},
        },
    }  # fmt: skip
    draft = intel.draft(table)
    draft.drop_unused_terms()
    intel.encode(draft, table["events"])
    assert draft.terms == {"info_slots": "4 * CPU_CLK_UNHALTED.THREAD"}
    assert draft.nodes["Front"]["formula"] == "EVT.A / info_slots"
    deep = draft.nodes["4K_Deep"]
    assert deep["formula"] == "max(Front - EVT.B:c1:e1, 0) if smt_on else 2 * EVT.A"
    assert deep["threshold"] == "4K_Deep > 0.05 & Front > 0.15"
    assert (deep["parent"], deep["locate_with"]) == ("Front", ["EVT.B"])
    assert draft.events["EVT.A"] == hex(0x9C | 1 << 8 | 4 << 24 | 1 << 23)
    assert draft.events["EVT.B:c1:e1"] == f"{0xB7 | 1 << 8 | 1 << 24 | 1 << 18:#x}/0x1f"
    assert model_from(draft).deepest == 2
