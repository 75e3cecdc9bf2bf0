"""Replay of 1,000 vectors by `stallscope topdown`, beyond what replay of one costs; bar 1 s of CPU.

A run with 1,000 readings and one with a single reading alternate; the difference of each pair is
what the 999 others cost, without start-up. The vectors are those of the tests, repeated.
"""

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.pairs import Case, interleave, save
from benchmarks.processes import run as run_process

PAIRS = 9
READINGS = 1000
CPUS = ("skl", "spr", "zen4", "neoverse-v1")
VECTORS = Path(__file__).parents[1] / "tests" / "topdown" / "slots" / "vectors"


def run() -> None:
    """Measure CPU beyond start-up for a model of each kind."""
    cases = []
    with tempfile.TemporaryDirectory() as place:
        for cpu in CPUS:
            given = json.loads((VECTORS / f"{cpu}.json").read_text())
            many, one = Path(place) / f"{cpu}-many.json", Path(place) / f"{cpu}-one.json"
            many.write_text(json.dumps((given * READINGS)[:READINGS]))
            one.write_text(json.dumps(given[:1]))
            left, right = interleave(
                PAIRS, lambda path=many: cost(path), lambda path=one: cost(path)
            )
            cases.append(
                Case(
                    name=f"{READINGS} readings of {cpu}",
                    metric="CPU s beyond start-up",
                    ours_command="stallscope topdown --source replay:FILE --json",
                    peer_command="",
                    bar="under 1",
                    ours=tuple(whole - start for whole, start in zip(left, right, strict=True)),
                )
            )
    save("topdown_replay", "./dev bench topdown_replay", cases)


def cost(path: Path) -> float:
    """CPU seconds of one replay."""
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    taken = run_process([stallscope, "topdown", "--source", f"replay:{path}", "--json"])
    if taken.status != 0:
        raise RuntimeError(f"stallscope ended with {taken.status}")
    return taken.cpu_s
