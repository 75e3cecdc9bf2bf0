"""Agreement of two runs of `stallscope cstates compare --load`, setting by setting.

"Ours" is the first run and "peer" the second: the differences of medians from the unchanged
machine, one value per setting including the control. The settings are those of this machine; if it
has none, two settings of the loader's process that should change nothing. The notes state the
share of CPU time that other programs used.
"""

import json
import shlex
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.effort import pairs, seconds
from stallscope.errors import ExitCode

Document = dict[str, Any]
ROUNDS = 8
PROCESS_SETTINGS = ("--setting", "nice=--nice -10", "--setting", "same addresses=--aslr off")


def run() -> list[Case]:
    """Compare twice, one run after the other."""
    command = ["cstates", "compare", "--load", "--json", "--rounds", str(pairs(ROUNDS))]
    command += ["--seconds", f"{seconds(1.0):g}"]
    first = _comparison(command)
    if first is None:
        command += PROCESS_SETTINGS
        first = _comparison(command)
    second = _comparison(command)
    if first is None or second is None:
        raise RuntimeError("stallscope cstates compare has nothing to compare")
    return _cases(f"stallscope {shlex.join(command)}", first, second)


def _comparison(words: list[str]) -> Document | None:
    """Return the document of a comparison; None if this machine has nothing to compare."""
    stallscope = str(Path(sys.executable).with_name("stallscope"))
    process = subprocess.run([stallscope, *words], capture_output=True, text=True, check=False)
    if process.returncode == ExitCode.UNABLE:
        return None
    if process.returncode:
        raise RuntimeError(process.stderr)
    document: Document = json.loads(process.stdout)
    return document


def _cases(command: str, first: Document, second: Document) -> list[Case]:
    cases = []
    for metric in first["settings"][0]["metrics"]:
        deltas = _percent(first, metric, "delta_share")
        if deltas:
            cases.append(
                Case(
                    name=f"{metric} under {len(deltas)} settings",
                    metric="difference from the unchanged machine, percent",
                    ours_command=command,
                    peer_command="the same again",
                    ours=tuple(deltas),
                    peer=tuple(_percent(second, metric, "delta_share")),
                    by_difference=True,
                )
            )
    significant = Case(
        name="significant differences",
        metric="share of those tested, percent",
        ours_command=command,
        peer_command="the same again",
        ours=(_significant_percent(first),),
        peer=(_significant_percent(second),),
        by_difference=True,
        notes=f"other programs used {_others_text(first)} of the CPU time, and "
        f"{_others_text(second)} in the second run",
    )
    return [*cases, significant]


def _percent(document: Document, metric: str, key: str) -> list[float]:
    """Return a share of every setting but the unchanged machine, in percent."""
    shares = (setting["metrics"][metric][key] for setting in document["settings"][1:])
    return [100 * share for share in shares if share is not None]


def _significant_percent(document: Document) -> float:
    metrics = document["settings"][0]["metrics"]
    return statistics.mean(value for name in metrics for value in _percent(document, name, "shown"))


def _others_text(document: Document) -> str:
    share = document["others_share"]
    return "an unknown share" if share is None else f"{share:.1%}"
