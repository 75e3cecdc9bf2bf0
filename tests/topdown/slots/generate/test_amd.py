"""From AMD's metrics to a model."""

from tests.topdown.slots.generate.drafts import model_from
from topdown.slots.generate import amd


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
