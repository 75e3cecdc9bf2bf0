"""One event under many spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topdown.slots.event_names import MAX_CHARS, canonical, index
from topdown.slots.model import CLOCKS, keys, load


@pytest.mark.parametrize(
    "spelling",
    [
        "ICACHE_16B.IFDATA_STALL:c1:e1",
        "icache_16b.ifdata_stall:e1:c1",
        "ICACHE_16B:IFDATA_STALL:c=1:e=1",
        "skl::ICACHE_16B:IFDATA_STALL:e:c=0x1:u=1:k=0",
        "cpu/icache_16b.ifdata_stall,cmask=1,edge/",
        "cpu_core/icache_16b.ifdata_stall,edge=1,cmask=0x1/upp",
        "cpu@icache_16b.ifdata_stall\\,cmask\\=1\\,edge@",
        "r01040480",
        "0x1040480",
        "cpu/event=0x80,umask=0x4,cmask=1,edge=1/u",
        "cpu/config=0x1040480/",
    ],
)
def test_spellings_of_one_event(spelling: str) -> None:
    model = load("skl")
    names = index(model.events, CLOCKS)
    assert names[canonical(spelling)] == "ICACHE_16B.IFDATA_STALL:c1:e1"


@pytest.mark.parametrize(
    ("key", "spelling", "name"),
    [
        ("skl", "cycles:u", "CPU_CLK_UNHALTED.THREAD"),
        ("skl", "cpu/instructions/", "INST_RETIRED.ANY"),
        ("spr", "topdown-fe-bound", "PERF_METRICS.FRONTEND_BOUND"),
        ("spr", "cpu/topdown-mem-bound/", "PERF_METRICS.MEMORY_BOUND"),
        ("spr", "slots", "TOPDOWN.SLOTS"),
        ("spr", "TOPDOWN.SLOTS:perf_metrics", "TOPDOWN.SLOTS:perf_metrics"),
        ("icl", "exe_activity:3_ports_util:u0x80", "EXE_ACTIVITY.3_PORTS_UTIL:u0x80"),
        ("hsx", "UOPS_EXECUTED.CORE:c1:i1", "UOPS_EXECUTED.CORE:i1:c1"),
        ("zen4", "cpu@de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6@",
         "de_no_dispatch_per_slot.no_ops_from_frontend:c6"),
        ("zen4", "cpu/event=0x1a0,umask=0x1e/", "de_no_dispatch_per_slot.backend_stalls"),
        ("neoverse-v2", "r3e", "STALL_SLOT_FRONTEND"),
        ("neoverse-v2", "armv8_pmuv3_0/stall_slot/", "STALL_SLOT"),
        ("neoverse-v2", "armv8_pmuv3_0/event=0x8006/u", "SVE_INST_SPEC"),
        ("neoverse-v2", "armv8_pmuv3_0/config=0x8006/", "SVE_INST_SPEC"),
        ("skl", "idq.ms_uops:u0x30:c01", None),
        ("neoverse-v2", "instructions", "INST_RETIRED"),
        ("spr", "duration_time", "DURATION_TIME"),
        ("spr", "msr/tsc/", "TSC"),
        ("spr", "ocr.demand_rfo.l3_miss:offcore_rsp=0x103b800002",
         "OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002"),
    ],
)  # fmt: skip
def test_names_of_models(key: str, spelling: str, name: str | None) -> None:
    assert index(load(key).events, CLOCKS).get(canonical(spelling)) == name


@pytest.mark.parametrize("key", keys())
def test_every_event_is_matched_by_its_name(key: str) -> None:
    model = load(key)
    names = index(model.events, CLOCKS)
    for event in (*model.events, *CLOCKS):
        assert names[canonical(event)] == event
        assert names[canonical(event.lower())] == event


@given(st.text(max_size=600))
def test_any_text_has_a_canonical_spelling(text: str) -> None:
    assert len(canonical(text)) <= 4 * MAX_CHARS
