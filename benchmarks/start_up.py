"""Start-up: `stallscope --help` against `python -c "import click"`. Bar: 1.5 times."""

import sys
from pathlib import Path

from benchmarks.cases import Case, ratio
from benchmarks.processes import alternate

PAIRS = 25


def run() -> list[Case]:
    """Measure wall and CPU time of both."""
    ours, peer = alternate(
        [str(Path(sys.executable).with_name("stallscope")), "--help"],
        [sys.executable, "-c", "import click"],
        PAIRS,
    )
    return [
        Case(
            name="help",
            metric=metric,
            ours_command="stallscope --help",
            peer_command='python -c "import click"',
            bar=(ratio(at_most=1.5),),
            ours=tuple(getattr(cost, field) for cost in ours),
            peer=tuple(getattr(cost, field) for cost in peer),
        )
        for metric, field in (("CPU s", "cpu_s"), ("wall s", "wall_s"))
    ]
