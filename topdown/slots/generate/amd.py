"""Drafts from AMD's tables (the kernel's pmu-events)."""

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
    result = Draft(
        source=table["source"], licence=LICENCE, unit="fraction", ipc=(INSTRUCTIONS, CYCLES)
    )
    for metric in table["nodes"]:
        name, text = metric["MetricName"], _plain(metric["MetricExpr"])
        formula = renamed_text(text, {event: event for event in names(parse(text))})
        groups = metric.get("MetricGroup", "").split(";")
        if not groups[0].startswith("PipelineL"):
            result.terms[name] = formula
            continue
        parents = [match["parent"] for group in groups if (match := _PARENT.fullmatch(group))]
        result.nodes[name] = {
            "level": int(groups[0].removeprefix("PipelineL")),
            "parent": parents[0] if parents else None,
            "domain": "Slots",
            "formula": formula,
            "threshold": None,
        }
    return result


def _plain(text: str) -> str:
    """Return a formula with ``event:cN`` for perf's ``cpu@event,cmask=N@``."""
    return _WITH_MASK.sub(lambda match: f"{match['event']}:c{int(match['mask'], 0)}", text)


def encode(draft: Draft, fields: Mapping[str, Mapping[str, str]]) -> None:
    """Add the encodings of all events in the draft. Raises KeyError for a missing one."""
    for name in sorted(draft.events_named() | {CYCLES}):
        draft.events[name] = amd(name, fields)
    draft.events[INSTRUCTIONS] = amd(INSTRUCTIONS, {INSTRUCTIONS: {"EventCode": "0xc0"}})
