"""Spellings of events by perf, libpfm4 and vendors, matched to a model's event names.

A spelling is split into the event and its settings: ``ICACHE_16B.IFDATA_STALL:c1:e1``,
``icache_16b:ifdata_stall:c=1:e=1``, ``cpu/icache_16b.ifdata_stall,cmask=1,edge/u`` and
``skl::ICACHE_16B:IFDATA_STALL:c=1:e`` are the same event. Raw codes (``r10483``, ``cpu/event=0x83,
umask=0x4/``, ``0x483``) match by their encoding.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

# Generic event names of perf and the kernel, with vendors' names in order of preference.
GENERIC = {
    "unhalted_core_cycles": ("cpu_clk_unhalted.thread",),
    "unhalted_reference_cycles": ("cpu_clk_unhalted.ref_tsc",),
    "instruction_retired": ("inst_retired.any",),
    "instructions_retired": ("inst_retired.any",),
    "cycles": ("cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles"),
    "cpu-cycles": ("cpu_clk_unhalted.thread", "ls_not_halted_cyc", "cpu_cycles"),
    "instructions": ("inst_retired.any", "ex_ret_instr", "inst_retired"),
    "branch-misses": ("br_misp_retired.all_branches", "ex_ret_brn_misp", "br_mis_pred_retired"),
    "ref-cycles": ("cpu_clk_unhalted.ref_tsc",),
    "slots": ("topdown.slots",),
    "topdown-retiring": ("perf_metrics.retiring",),
    "topdown-bad-spec": ("perf_metrics.bad_speculation",),
    "topdown-fe-bound": ("perf_metrics.frontend_bound",),
    "topdown-be-bound": ("perf_metrics.backend_bound",),
    "topdown-heavy-ops": ("perf_metrics.heavy_operations",),
    "topdown-br-mispredict": ("perf_metrics.branch_mispredicts",),
    "topdown-fetch-lat": ("perf_metrics.fetch_latency",),
    "topdown-mem-bound": ("perf_metrics.memory_bound",),
    "duration_time": ("duration_time",),
    "tsc": ("tsc",),
    "msr/tsc/": ("tsc",),
}
MAX_CHARS = 400
_PMU = re.compile(r"(?P<pmu>[\w-]+)/(?P<terms>[^/]*)/(?P<modifiers>[a-zA-Z]*)")
_AT = re.compile(r"(?P<pmu>[\w-]+)@(?P<terms>[^@]*)@")
_RAW = re.compile(r"(?:r|0x)([0-9a-f]+)")
_SETTING = re.compile(
    r"(?:(?P<key>c|cmask|u|umask|event|config|config1|offcore_rsp|frontend|ldlat|ocr_msr_val)=?"
    r"(?P<value>0x[0-9a-f]+|\d+)|(?P<bit>e|edge|i|inv|t|any)(?:=?(?P<set>[01]))?)"
)
_SHORT = {
    "cmask": "c",
    "edge": "e",
    "inv": "i",
    "umask": "u",
    "any": "t",
    "offcore_rsp": "config1",
    "frontend": "config1",
    "ldlat": "config1",
    "ocr_msr_val": "config1",
}
# Suffixes that make the same encoding count something else.
UNLIKE = (":retire_latency", ":percore")
_READINGS = ("perf_metrics", "percore", "retire_latency")
# Privilege and precision modifiers do not change the event: perf's ``:u``, libpfm4's ``:u=1``.
_PRIVILEGE = re.compile(r"[ukhgp]{1,5}|[ukh]=[01]|precise=\d")
_FIELDS = (("event", 0), ("u", 8), ("e", 18), ("t", 21), ("i", 23), ("c", 24))


@lru_cache(maxsize=65536)
def canonical(spelling: str) -> str:
    """Return the canonical spelling of an event: lower case, sorted settings."""
    text = spelling.strip().lower()[:MAX_CHARS]
    match = _AT.fullmatch(text) or (None if text in GENERIC else _PMU.fullmatch(text))
    if match:
        return _of_terms(match["terms"], arm=match["pmu"].startswith("arm"))
    head, *rest = text.rpartition("::")[2].split(":")
    names, settings = [head], []
    for word in rest:
        if _PRIVILEGE.fullmatch(word):
            continue
        if word in _READINGS or _SETTING.fullmatch(word):
            settings.append(_setting(word))
        else:
            names.append(word)
    if not settings and len(names) == 1 and (match := _RAW.fullmatch(head)):
        return f"{int(match[1], 16):#x}"
    return _joined(".".join(names), settings)


def _setting(word: str) -> str:
    match = _SETTING.fullmatch(word)
    if match is None:
        return word
    if bit := match["bit"]:
        return f"{_SHORT.get(bit, bit)}{match['set'] or '1'}"
    key, text = _SHORT.get(match["key"], match["key"]), match["value"]
    value = int(text, 16 if text.startswith("0x") else 10)
    return f"{key}{value}" if key == "c" else f"{key}{value:#x}"


def _of_terms(terms: str, *, arm: bool) -> str:
    """Return the canonical spelling of the terms between perf's slashes."""
    names, settings = [], []
    for word in filter(None, (term.strip().replace("\\", "") for term in terms.split(","))):
        if word in _READINGS or _SETTING.fullmatch(word):
            settings.append(_setting(word))
        elif not word.startswith(("name=", "period=", "percore", "metric-id=")):
            names.append(word)
    if names:
        return _joined(".".join(names), settings)
    return _encoded(settings, arm=arm)


def _encoded(settings: Iterable[str], *, arm: bool) -> str:
    """Return the raw code of settings without a name, as ``0xCONFIG[/0xCONFIG1]``."""
    values: dict[str, int] = {}
    for word in settings:
        match = re.fullmatch(r"(config1|config|event|[a-z])(0x[0-9a-f]+|\d+)", word)
        if match:
            values[match[1]] = int(match[2], 0)
    config = values.get("config", 0)
    for key, shift in _FIELDS:
        value = values.get(key, 0)
        if key == "event" and not arm:  # AMD: 12 bits, the upper 4 at bit 32
            value = value & 0xFF | (value >> 8) << 32
        config |= value << shift
    extra = values.get("config1", 0)
    return f"{config:#x}/{extra:#x}" if extra else f"{config:#x}"


def _joined(name: str, settings: list[str]) -> str:
    return ":".join((name, *sorted(settings))) if settings else name


def index(events: Mapping[str, str], clocks: Iterable[str]) -> dict[str, str]:
    """Return a model's event names by canonical spelling: name, raw code, generic name."""
    names: dict[str, str] = {}
    for name, encoding in events.items():
        names[canonical(name)] = name
        if not name.endswith(UNLIKE):
            names.setdefault(encoding, name)
    for name in clocks:
        names[canonical(name)] = name
    for generic, candidates in GENERIC.items():
        for candidate in candidates:
            if candidate in names:
                names.setdefault(generic, names[candidate])
                break
    return names
