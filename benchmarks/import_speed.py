"""Folding text of perf script: `stallscope import` against inferno-collapse-perf, one thread.

The text is that of a real capture (JSON and regular expressions in Python, stacks by DWARF),
repeated up to 100 MB. Both sides write a file, whose content must be equal. inferno is installed
from crates.io. Bar: no more CPU than inferno.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cases import Bar, Case, ratio
from benchmarks.effort import pairs
from benchmarks.interleaving import interleave
from benchmarks.processes import Cost, checked

PAIRS = 9
TEXT_BYTES = 100_000_000
INFERNO = "0.12.3"
WORK = """
import json, re
for _ in range(60):
    json.loads(json.dumps(list(range(20000))))
    re.findall("a+b", "aab" * 2000)
"""


def run() -> list[Case]:
    """Measure CPU time and peak memory of both; nothing without cargo or perf."""
    if shutil.which("cargo") is None or shutil.which("perf") is None:
        print("cargo or perf is not installed")
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            ["cargo", "install", "-q", "--version", INFERNO, "inferno", "--root", str(folder)],
            check=True,
        )
        text = _text(folder)
        ours_file, peer_file = folder / "ours.folded", folder / "peer.folded"
        stallscope = str(Path(sys.executable).with_name("stallscope"))
        ours = [stallscope, "import", str(text), "--folded", str(ours_file)]
        shell = f"{folder}/bin/inferno-collapse-perf -n 1 {text} > {peer_file}"
        ours_costs, peer_costs = interleave(
            pairs(PAIRS), lambda: checked(ours), lambda: checked(["sh", "-c", shell])
        )
        if ours_file.read_bytes() != peer_file.read_bytes():
            raise AssertionError("the folded stacks differ")
    name = f"perf script, {TEXT_BYTES // 1_000_000} MB"
    return [
        _case(name, "CPU s", "cpu_s", ours_costs, peer_costs, bar=(ratio(at_most=1.0),)),
        _case(name, "peak MiB", "peak_mib", ours_costs, peer_costs),
    ]


def _case(
    name: str,
    metric: str,
    field: str,
    ours: Sequence[Cost],
    peer: Sequence[Cost],
    *,
    bar: Bar = (),
) -> Case:
    return Case(
        name=name,
        metric=metric,
        ours_command="stallscope import perf.txt --folded out.folded",
        peer_command="inferno-collapse-perf -n 1 perf.txt > out.folded",
        bar=bar,
        ours=tuple(getattr(cost, field) for cost in ours),
        peer=tuple(getattr(cost, field) for cost in peer),
    )


def _text(folder: Path) -> Path:
    capture = folder / "perf.data"
    record = ["perf", "record", "-q", "-F", "9999", "--call-graph", "dwarf,4096"]
    command = [*record, "-o", str(capture), "--", sys.executable, "-c", WORK]
    subprocess.run(command, check=True, capture_output=True)
    script = ["perf", "script", "-i", str(capture)]
    part = subprocess.run(script, check=True, capture_output=True).stdout
    text = folder / "perf.txt"
    with text.open("wb") as file:
        for _ in range(TEXT_BYTES // len(part) + 1):
            file.write(part)
    return text
