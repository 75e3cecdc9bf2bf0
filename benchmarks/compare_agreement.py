"""Whether two runs of `stallscope cstates compare --load` agree, setting by setting.

Ours is the first run, the peer the second: the differences of medians from "as it is", in percent.
The settings are this machine's own; where it has none, two of the loader's process, of which
nothing is to be expected. What others had of the CPUs meanwhile stands in the notes.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.effort import pairs, seconds
from benchmarks.pairs import Case, save
from stallscope.errors import ExitCode

Document = dict[str, Any]
ROUNDS = 8
OF_THE_PROCESS = ("--setting", "nice=--nice -10", "--setting", "same addresses=--aslr off")


def run() -> None:
    """Compare twice, one after the other, and keep what both say."""
    command = ["cstates", "compare", "--load", "--json", "--rounds", str(pairs(ROUNDS))]
    command += ["--seconds", f"{seconds(1.0):g}"]
    found = _compared(command)
    if found is None:
        command += OF_THE_PROCESS
        found = _compared(command)
    again = _compared(command)
    if found is None or again is None:
        raise RuntimeError("stallscope cstates compare found nothing to compare")
    save("compare_agreement", "./dev bench compare_agreement", _cases(command, found, again))


def _compared(words: list[str]) -> Document | None:
    """Return a comparison's document; None where this machine has nothing to compare."""
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    done = subprocess.run([stallscope, *words], capture_output=True, text=True, check=False)
    if done.returncode == ExitCode.UNABLE:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    document: Document = json.loads(done.stdout)
    return document


def _cases(command: list[str], first: Document, second: Document) -> list[Case]:
    notes = "; ".join(
        f"{name} run: others had {_share(each)} of the CPUs' time; {' '.join(each['conclusions'])}"
        for name, each in (("first", first), ("second", second))
    )
    cases = []
    for one, other in zip(first["settings"][1:], second["settings"][1:], strict=True):
        for metric, found in one["metrics"].items():
            deltas = (found["delta_share"], other["metrics"][metric]["delta_share"])
            if None not in deltas:
                cases.append(
                    Case(
                        name=f"{one['name']}: {metric}",
                        metric="delta, percent",
                        ours_command=f"stallscope {' '.join(command)}",
                        peer_command="the same again",
                        bar="",
                        ours=(deltas[0] * 100,),
                        peer=(deltas[1] * 100,),
                    )
                )
    return [replace(cases[0], notes=notes), *cases[1:]]


def _share(document: Document) -> str:
    share = document["others_share"]
    return "an unknown share" if share is None else f"{share:.1%}"
