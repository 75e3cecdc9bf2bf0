"""Encodings of models against libpfm4's table, where that has the event and is right.

libpfm4 4.13 has no Emerald Rapids, Granite Rapids or Zen 5, names Zen 4's events otherwise, and an
x86 build has no Arm tables: those models' encodings are held by their vendors' codes below.
"""

import ctypes
import ctypes.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from topdown.slots.model import load

PMUS = {
    "hsx": "hsw_ep",
    "bdx": "bdw_ep",
    "skl": "skl",
    "skx": "skx",
    "clx": "clx",
    "icl": "icl",
    "icx": "icx",
    "spr": "spr",
}
FEWEST = {
    "hsx": 70,
    "bdx": 70,
    "skl": 95,
    "skx": 100,
    "clx": 100,
    "icl": 115,
    "icx": 120,
    "spr": 130,
}
# Where libpfm4 4.13 says otherwise: (its code, ours). Of the first it has the fixed counter's own
# pseudo code, and on Sapphire Rapids a code of no event; of TOPDOWN the umask stands where the event
# should; of FRONTEND-qualified events the qualifier stands in the umask; of L2_RQSTS:RFO_HIT one
# bit of the umask less than Intel's table.
DIFFERENT = {
    ("icl", "INST_RETIRED.ANY"): (0x100, 0xC0),
    ("icx", "INST_RETIRED.ANY"): (0x100, 0xC0),
    ("spr", "INST_RETIRED.ANY"): (0x1C0, 0xC0),
    ("spr", "CPU_CLK_UNHALTED.THREAD"): (0x200, 0x3C),
    ("icl", "TOPDOWN.BACKEND_BOUND_SLOTS"): (0x200, 0x2A4),
    ("icx", "TOPDOWN.BACKEND_BOUND_SLOTS"): (0x200, 0x2A4),
    ("spr", "TOPDOWN.BACKEND_BOUND_SLOTS"): (0x200, 0x2A4),
    ("spr", "TOPDOWN.BR_MISPREDICT_SLOTS"): (0x800, 0x8A4),
    ("spr", "TOPDOWN.MEMORY_BOUND_SLOTS"): (0x1000, 0x10A4),
    ("spr", "INT_MISC.UNKNOWN_BRANCH_CYCLES"): (0x7AD, 0x40AD),
    ("spr", "UOPS_RETIRED.MS"): (0x8C2, 0x4C2),
    ("spr", "UOPS_RETIRED.MS:c1"): (0x10008C2, 0x10004C2),
    ("spr", "UOPS_RETIRED.MS:c1:e1"): (0x10408C2, 0x10404C2),
    ("hsx", "L2_RQSTS.RFO_HIT"): (0x4224, 0xC224),
    ("bdx", "L2_RQSTS.RFO_HIT"): (0x4224, 0xC224),
}
# Event, umask, edge, any thread, invert, counter mask: not the bits that say whom to count.
KEPT = 0xFFFF | 1 << 18 | 1 << 21 | 1 << 23 | 0xFF << 24


class _Encoded(ctypes.Structure):
    """pfm_pmu_encode_arg_t of perfmon/pfmlib.h."""

    _fields_ = [
        ("codes", ctypes.POINTER(ctypes.c_uint64)),
        ("fstr", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("count", ctypes.c_int),
        ("idx", ctypes.c_int),
    ]


def spellings(name: str) -> Iterator[str]:
    """A vendor's name as libpfm4 may spell it; none for what it cannot say."""
    event, *suffixes = name.split(":")
    if not all(suffix[0] in "cei" and suffix[1:].isdigit() for suffix in suffixes):
        return
    tail = "".join(f":{suffix[0]}={suffix[1:]}" for suffix in suffixes)
    parts = event.split(".")
    for place in range(1, len(parts) + 1):
        head = "_".join(parts[:place])
        for rest in dict.fromkeys(("_".join(parts[place:]), ":".join(parts[place:]))):
            yield f"{head}:{rest}{tail}" if rest else f"{head}{tail}"


def ask_library(questions: dict[str, list[str]]) -> dict[str, int]:
    """The code of the first spelling that libpfm4 knows, of each question."""
    library = ctypes.CDLL("libpfm.so.4")
    assert library.pfm_initialize() == 0
    result = {}
    for question, options in questions.items():
        for item in options:
            argument = _Encoded(size=ctypes.sizeof(_Encoded))
            arguments = (ctypes.c_int(8), ctypes.c_int(0), ctypes.byref(argument))
            if library.pfm_get_os_event_encoding(item.encode(), *arguments) == 0:
                result[question] = argument.codes[0] & KEPT
                break
    return result


@pytest.fixture(scope="module")
def library_codes() -> dict[str, int]:
    """libpfm4's codes by model and event; asked in a process whose environment it reads."""
    if ctypes.util.find_library("pfm") is None:
        pytest.skip("needs the program library libpfm4")
    questions = {
        f"{key} {event}": [f"{pmu}::{spelling}" for spelling in spellings(event)]
        for key, pmu in PMUS.items()
        for event in load(key).events
    }
    run = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(questions),
        env={**os.environ, "LIBPFM_ENCODE_INACTIVE": "1", "LIBPFM_DISABLED_PMUS": "perf"},
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, int] = json.loads(run.stdout)
    return result


@pytest.mark.parametrize("key", PMUS)
def test_encodings_are_those_of_libpfm4(key: str, library_codes: dict[str, int]) -> None:
    agreeing = 0
    for event, encoding in load(key).events.items():
        code = library_codes.get(f"{key} {event}")
        ours = int(encoding.partition("/")[0], 16)
        if code is None:
            continue
        if (key, event) in DIFFERENT:
            theirs, right = DIFFERENT[key, event]
            assert ours == right, event
            assert code in (theirs, right), event  # a later libpfm4 may have it right
        else:
            assert code == ours, event
            agreeing += 1
    assert agreeing >= FEWEST[key]


@pytest.mark.parametrize(
    ("key", "event", "encoding"),
    [
        # Intel SDM volume 3B, 20.3.9.3: PERF_METRICS; Linux 6.12 arch/x86/events/intel/core.c
        ("spr", "TOPDOWN.SLOTS", "0x400"),
        ("spr", "PERF_METRICS.RETIRING", "0x8000"),
        ("icl", "PERF_METRICS.BACKEND_BOUND", "0x8300"),
        ("gnr", "PERF_METRICS.MEMORY_BOUND", "0x8700"),
        ("emr", "TOPDOWN.MEMORY_BOUND_SLOTS", "0x10a4"),
        ("gnr", "UOPS_RETIRED.HEAVY", "0x1c2"),
        ("skl", "CPU_CLK_UNHALTED.REF_XCLK", "0x13c"),
        ("skl", "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", "0x23c"),
        ("skl", "CPU_CLK_UNHALTED.THREAD_ANY", "0x20003c"),
        ("skl", "FRONTEND_RETIRED.LATENCY_GE_8", "0x1c6/0x400806"),
        ("spr", "OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002", "0x12a/0x103b800002"),
        # AMD PPR of family 19h model 11h, and 1Ah: event bits 8 to 11 are bits 32 to 35
        ("zen4", "de_no_dispatch_per_slot.no_ops_from_frontend:c6", "0x1060001a0"),
        ("zen5", "de_no_dispatch_per_slot.smt_contention", "0x1000060a0"),
        # Arm ARM D13.12: architectural events
        ("neoverse-v3", "STALL_SLOT", "0x3f"),
        ("neoverse-n1", "CPU_CYCLES", "0x11"),
        ("neoverse-n2", "SVE_INST_SPEC", "0x8006"),
    ],
)
def test_encodings_of_the_vendors_manuals(key: str, event: str, encoding: str) -> None:
    assert load(key).events[event] == encoding


if __name__ == "__main__":
    json.dump(ask_library(json.load(sys.stdin)), sys.stdout)
