"""Whether two runs of `stallscope cstates compare --load` agree, setting by setting.

Ours is the first run, the peer the second: the differences of medians from "as it is", one value a
setting, the control among them. The settings are this machine's own; where it has none, two of the
loader's process, of which nothing is to be expected. The notes tell what others had of the CPUs.
"""

import json
import shlex
import statistics
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
    usual = Case(
        name="",
        metric="",
        ours_command=f"stallscope {shlex.join(command)}",
        peer_command="the same again",
        bar="",
    )
    cases = [
        replace(
            usual,
            name=f"{metric} under {len(one)} settings",
            metric="against as it is, percent",
            ours=tuple(one),
            peer=tuple(_told(second, metric, "delta_share")),
        )
        for metric in first["settings"][0]["metrics"]
        if (one := _told(first, metric, "delta_share"))
    ]
    counts = replace(
        usual,
        name="differences that count",
        metric="of those tried, percent",
        ours=(_counted(first),),
        peer=(_counted(second),),
        notes=f"others had {_share(first)} of the CPUs' time, and {_share(second)} in the second",
    )
    return [*cases, counts]


def _told(document: Document, metric: str, key: str) -> list[float]:
    """Return what is told of a metric under each setting but "as it is", in percent."""
    found = (each["metrics"][metric][key] for each in document["settings"][1:])
    return [100 * value for value in found if value is not None]


def _counted(document: Document) -> float:
    metrics = document["settings"][0]["metrics"]
    return statistics.mean(value for name in metrics for value in _told(document, name, "shown"))


def _share(document: Document) -> str:
    share = document["others_share"]
    return "an unknown share" if share is None else f"{share:.1%}"
