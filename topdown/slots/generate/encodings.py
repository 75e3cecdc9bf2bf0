"""Raw encodings of events for ``config`` and ``config1`` of perf_event_open(2).

Layouts: /sys/bus/event_source/devices/cpu/format of Linux 6.12 (arch/x86/events/intel/core.c,
arch/x86/events/amd/core.c).
"""

import re
from collections.abc import Mapping

Fields = Mapping[str, str]

# Fixed counters have no event code in Intel's tables. The kernel uses the architectural events for
# the first two, and pseudo encodings with only a umask for events of fixed counters only.
FIXED = {
    "INST_RETIRED.ANY": 0x00C0,
    "CPU_CLK_UNHALTED.THREAD": 0x003C,
    "CPU_CLK_UNHALTED.THREAD_ANY": 0x20003C,
}
# The fields of PERF_METRICS, whose group TOPDOWN.SLOTS leads.
PERF_METRICS = {
    "PERF_METRICS.RETIRING": 0x8000,
    "PERF_METRICS.BAD_SPECULATION": 0x8100,
    "PERF_METRICS.FRONTEND_BOUND": 0x8200,
    "PERF_METRICS.BACKEND_BOUND": 0x8300,
    "PERF_METRICS.HEAVY_OPERATIONS": 0x8400,
    "PERF_METRICS.BRANCH_MISPREDICTS": 0x8500,
    "PERF_METRICS.FETCH_LATENCY": 0x8600,
    "PERF_METRICS.MEMORY_BOUND": 0x8700,
}
EDGE, ANY_THREAD, INVERT, COUNTER_MASK_SHIFT = 1 << 18, 1 << 21, 1 << 23, 24
_MODIFIER = re.compile(r"(?P<key>c|u|ocr_msr_val)=?(?P<value>0x[0-9a-fA-F]+|\d+)")


def intel(name: str, table: Mapping[str, Fields]) -> str:
    """Return the encoding of an event with its suffixes, as ``0xCONFIG`` or ``0xCONFIG/0xCONFIG1``.

    ``table`` holds the vendor's fields by name without suffixes. Raises KeyError for a missing one.
    """
    event, *modifiers = name.split(":")
    if event in PERF_METRICS:
        return hex(PERF_METRICS[event])
    fields = table[event]
    config, extra = _intel_config(event, fields), int(fields.get("MSRValue", "0"), 0)
    for modifier in modifiers:
        if modifier == "e1":
            config |= EDGE
        elif modifier == "i1":
            config |= INVERT
        elif match := _MODIFIER.fullmatch(modifier):
            value = int(match["value"], 0)
            if match["key"] == "c":
                config |= value << COUNTER_MASK_SHIFT
            elif match["key"] == "u":
                config = config & ~0xFF00 | value << 8
            else:
                extra = value
        elif modifier not in ("perf_metrics", "percore", "retire_latency"):
            raise KeyError(name)
    return f"{config:#x}/{extra:#x}" if extra else hex(config)


def _intel_config(event: str, fields: Fields) -> int:
    if event in FIXED:
        return FIXED[event]
    code = int(fields.get("EventCode", "0").split(",")[0], 0)
    return (
        code
        | int(fields.get("UMask", "0"), 0) << 8
        | (EDGE if fields.get("EdgeDetect") == "1" else 0)
        | (ANY_THREAD if fields.get("AnyThread") == "1" else 0)
        | (INVERT if fields.get("Invert") == "1" else 0)
        | int(fields.get("CounterMask", "0"), 0) << COUNTER_MASK_SHIFT
    )


def amd(name: str, table: Mapping[str, Fields]) -> str:
    """Return the encoding of an event, whose code has 12 bits, with its ``:cN`` suffix."""
    event, *modifiers = name.split(":")
    fields = table[event]
    code = int(fields["EventCode"], 0)
    config = code & 0xFF | int(fields.get("UMask", "0"), 0) << 8 | (code >> 8) << 32
    for modifier in modifiers:
        match = _MODIFIER.fullmatch(modifier)
        if match is None or match["key"] != "c":
            raise KeyError(name)
        config |= int(match["value"], 0) << COUNTER_MASK_SHIFT
    return hex(config)
