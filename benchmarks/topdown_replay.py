"""Replay of 1,000 readings by `stallscope topdown`. Bar: 1 s of CPU beyond start-up.

A run with 1,000 readings and a run with one reading alternate; the difference of a pair is the
cost of the other 999, without start-up. The readings are the test vectors, repeated.
"""

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import Case, ours
from benchmarks.processes import alternate
from stallscope.statistics.pairs import paired_differences

PAIRS = 9
READINGS = 1000
CPUS = ("skl", "spr", "zen4", "neoverse-v1")
VECTORS = Path(__file__).parents[1] / "tests" / "topdown" / "slots" / "vectors"


def run() -> list[Case]:
    """Measure CPU time beyond start-up for one model of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        return [_case(cpu, Path(folder)) for cpu in CPUS]


def _case(cpu: str, folder: Path) -> Case:
    vectors = json.loads((VECTORS / f"{cpu}.json").read_text())
    many, single = folder / f"{cpu}-many.json", folder / f"{cpu}-single.json"
    many.write_text(json.dumps((vectors * READINGS)[:READINGS]))
    single.write_text(json.dumps(vectors[:1]))
    whole, start = alternate(_command(many), _command(single), PAIRS)
    cpu_s = paired_differences([cost.cpu_s for cost in whole], [cost.cpu_s for cost in start])
    return Case(
        name=f"{READINGS} readings of {cpu}",
        metric="CPU s beyond start-up",
        ours_command="stallscope topdown --source replay:FILE --json",
        bar=(ours(at_most=1),),
        ours=tuple(cpu_s),
    )


def _command(path: Path) -> list[str]:
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    return [stallscope, "topdown", "--source", f"replay:{path}", "--json"]
