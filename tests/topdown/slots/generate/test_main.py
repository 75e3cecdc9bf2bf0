"""The generator: from a vendor's table to a model file, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from topdown.slots.generate import amd, arm, intel
from topdown.slots.generate.__main__ import main, model_text
from topdown.slots.generate.draft import document
from topdown.slots.generate.encodings import intel as intel_encoding
from topdown.slots.model import FOLDER, Model, keys, load, parse_model

TABLES = Path(__file__).parents[5] / "shared" / "facts" / "topdown_formulas"
ENTRY = {"title": "Test", "aliases": [], "width": 4, "match": []}


def model_from(made: Any) -> Model:
    return parse_model(document("test", ENTRY, made), "test", "test.json")


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


def test_intel_without_an_encoding_is_refused() -> None:
    with pytest.raises(KeyError):
        intel_encoding("EVT.X", {})
    with pytest.raises(KeyError):
        intel_encoding("EVT.A:strange", {"EVT.A": {"EventCode": "0x1"}})


def test_amd() -> None:
    table = {
        "source": "a table",
        "nodes": [
            {"MetricName": "slots", "MetricExpr": "6 * cyc"},
            {
                "MetricName": "front",
                "MetricExpr": "d_ratio(a.b, slots)",
                "MetricGroup": "PipelineL1",
            },
            {
                "MetricName": "front_latency",
                "MetricExpr": "d_ratio((6 * cpu@a.b\\,cmask\\=0x6@), slots)",
                "MetricGroup": "PipelineL2;front_group",
            },
        ],
    }
    draft = amd.draft(table)
    assert draft.terms == {"slots": "6 * cyc"}
    assert draft.nodes["front_latency"]["formula"] == "d_ratio(6 * a.b:c6, slots)"
    assert (draft.nodes["front_latency"]["level"], draft.nodes["front_latency"]["parent"]) == (
        2,
        "front",
    )
    fields = {"EventCode": "0x1a0", "UMask": "0x02"}
    amd.encode(
        draft,
        {"cyc": {"EventCode": "0x76"}, "a.b": fields, "ls_not_halted_cyc": {"EventCode": "0x76"}},
    )
    assert draft.events["a.b:c6"] == hex(0xA0 | 2 << 8 | 6 << 24 | 1 << 32)
    assert model_from(draft).unit == "fraction"


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


@pytest.mark.parametrize("cpu", keys())
def test_the_models_equal_the_output_of_the_generator(cpu: str) -> None:
    if TABLES.is_dir():
        assert model_text(cpu, TABLES) == (FOLDER / f"{cpu}.json").read_text()
    else:  # without the tables: what a model is made of stands in it
        assert load(cpu).source
        assert load(cpu).licence


def test_help_without_tables() -> None:
    assert main([]) == 2
