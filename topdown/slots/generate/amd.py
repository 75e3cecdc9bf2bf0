"""AMD's tables (the kernel's pmu-events) made into a draft."""

import re
from collections.abc import Mapping
from typing import Any

from topdown.slots.expressions import names, parse
from topdown.slots.generate.draft import Draft, renamed_text
from topdown.slots.generate.encodings import amd

_WITH_MASK = re.compile(r"cpu@(?P<event>[\w.]+)\\,cmask\\=(?P<mask>0x[0-9a-f]+|\d+)@")
_PARENT = re.compile(r"(?P<parent>\w+)_group")
LICENCE = "GPL-2.0-only"  # of Linux, whose pmu-events are the published form
INSTRUCTIONS, CYCLES = "ex_ret_instr", "ls_not_halted_cyc"


def draft(table: Mapping[str, Any]) -> Draft:
    """Return the draft of one CPU's table."""
    made = Draft(
        source=table["source"], licence=LICENCE, unit="fraction", ipc=(INSTRUCTIONS, CYCLES)
    )
    for metric in table["nodes"]:
        name, text = metric["MetricName"], _plain(metric["MetricExpr"])
        formula = renamed_text(text, {each: each for each in names(parse(text))})
        groups = metric.get("MetricGroup", "").split(";")
        if not groups[0].startswith("PipelineL"):
            made.terms[name] = formula
            continue
        parents = [found["parent"] for each in groups if (found := _PARENT.fullmatch(each))]
        made.nodes[name] = {
            "level": int(groups[0].removeprefix("PipelineL")),
            "parent": parents[0] if parents else None,
            "domain": "Slots",
            "formula": formula,
            "threshold": None,
        }
    return made


def _plain(text: str) -> str:
    """Return a formula with perf's ``cpu@event,cmask=N@`` written as ``event:cN``."""
    return _WITH_MASK.sub(lambda found: f"{found['event']}:c{int(found['mask'], 0)}", text)


def encode(made: Draft, fields: Mapping[str, Mapping[str, str]]) -> None:
    """Fill in the encodings of all events that the draft names; KeyError names one without."""
    for name in sorted(made.events_named() | {CYCLES}):
        made.events[name] = amd(name, fields)
    made.events[INSTRUCTIONS] = amd(INSTRUCTIONS, {INSTRUCTIONS: {"EventCode": "0xc0"}})
