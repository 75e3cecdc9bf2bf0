"""The parts of a test run (--part), which ./dev test runs at different times.

- "plain" measures nothing: thousands of short tests, for which a single process needs less CPU than workers do.
- "beside" runs while C++ is compiled. Most tests of the real kernel belong here: they compare samples with CPU
  time, or count, and other load does not change their result.
- "built" needs programs of the sanitizer build, the arm64 build or other interpreters.
- "guest" boots arm64 guests.
- "alone" measures latencies, rates, idle states or shares of elapsed time. It runs when nothing else does.
"""

import re
from pathlib import Path

PARTS = ("plain", "beside", "built", "guest", "alone")
ALONE = (
    "live/disk/test_known_answers.py",
    "live/disk/test_queue_stalls.py",
    "live/disk/test_storm_queue.py",
    "live/load/test_load_rates.py",
    "live/load/test_load_stalled_server.py",
    "live/test_cstates",
    "live/test_demo.py",
    "live/test_diagnose.py",
    "live/test_lab_memory.py",
    "live/test_lab_waits.py",
    "live/test_pin_live.py",
    "live/test_requests.py",
    "live/test_switch_storms.py",
    "live/test_wait_causes.py",
    "live/test_waiting_look_alikes.py",
    "live/test_python_frames.py",
    "live/test_python_py_spy.py",
)
BUILT = ("unwind/", "live/test_kernels_arm64.py", "live/test_python_versions.py")
BESIDE = ("tools/packages/test_installation.py",)  # waits for the package index
GUEST = ("pmu_guest/", "house/test_arm64.py")
MEASURING_FOLDERS = ("live/", "browser/")
MARK = re.compile(r"\bmark\.(?:live|pmu)\b")


def part_of(path: Path, *, measures: bool) -> str:
    """The part of a test: by its path below tests/, and by whether it carries a measuring mark."""
    name = path.as_posix()
    for part, prefixes in (("guest", GUEST), ("built", BUILT), ("alone", ALONE)):
        if name.startswith(prefixes):
            return part
    if name.startswith((*MEASURING_FOLDERS, *BESIDE)):
        return "beside"
    return "alone" if measures else "plain"


def parts_of_file(path: Path, text: str) -> set[str]:
    """The parts to which tests of a file may belong, without importing it."""
    parts = {part_of(path, measures=False)}
    return parts | {part_of(path, measures=True)} if MARK.search(text) else parts
