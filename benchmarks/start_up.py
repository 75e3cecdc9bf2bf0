"""Start-up: `stallscope --help` against `python -c "import click"`; bar 1.5x."""

import sys
from pathlib import Path

from benchmarks.pairs import Case, interleave, save
from benchmarks.processes import run as run_process

PAIRS = 25


def run() -> None:
    """Measure wall and CPU time of both, in interleaved pairs."""
    ours = [str(Path(sys.executable).with_name("stallscope")), "--help"]
    peer = [sys.executable, "-c", "import click"]
    cases = []
    for metric, pick in (("CPU s", lambda cost: cost.cpu_s), ("wall s", lambda cost: cost.wall_s)):
        left, right = interleave(
            PAIRS,
            lambda pick=pick: pick(run_process(ours)),
            lambda pick=pick: pick(run_process(peer)),
        )
        cases.append(
            Case(
                name="help",
                metric=metric,
                ours_command="stallscope --help",
                peer_command='python -c "import click"',
                bar="ratio at most 1.5",
                ours=left,
                peer=right,
            )
        )
    save("start_up", "./dev bench start_up", cases)
