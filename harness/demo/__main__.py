"""The first thing a newcomer runs: the reference server under load, stages off and then on.

Run as ``python -m harness.demo`` by ``./dev demo``. Both servers are profiled by their pids; flame
graphs, slots as far as this machine can, latency histograms and the table stand in one page. Then
the server is nearly left alone, and what its CPUs' sleep costs stands in another. At last the disk
of the current directory is measured: one request at a time and more, and beside writes.
"""

import sys
import time
from datetime import datetime
from pathlib import Path

import click

from harness.cli.errors import report_error
from harness.cli.terminal import colours, note, width
from harness.cli.termination import terminable
from harness.demo.cstates import EXPECTED_S, sleep_part
from harness.demo.disk import EXPECTED_S as DISK_EXPECTED_S
from harness.demo.disk import disk_part
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import FIXED_RATE
from harness.labs.stages.session import expected_s, run_stages
from stallscope.errors import ExitCode, StallscopeError

PAIRS = 5
DURATION_S = 1.0
PROFILE_S = 4.0


def demo_options(output: Path) -> StagesOptions:
    """Return the lab's options that show the most within two minutes."""
    return StagesOptions(
        path="codec",
        output=output,
        pairs=PAIRS,
        duration_s=DURATION_S,
        warmup_s=0.3,
        loads=(FIXED_RATE,),
        profile_s=PROFILE_S,
    )


def demonstrate(output: Path) -> None:
    """Run the lab of stages and say where its page is."""
    options = demo_options(output)
    click.echo(
        "The reference server answers requests through 32 stages of 13 KB of synthetic code,\n"
        "more than an instruction cache holds: first each request through all stages at once,\n"
        f"then each stage over a batch of requests. {options.pairs} rounds of both; both are\n"
        "profiled by pid. Then the server at a low rate, and what it costs that CPUs sleep; then\n"
        "this directory's disk. "
        f"About {expected_s(options) + EXPECTED_S + DISK_EXPECTED_S:.0f} s.\n"
    )
    began = time.monotonic()
    _, page = run_stages(options, None, as_json=False, on_phase=note)
    click.echo()
    for line in sleep_part(output / "idle", width()):
        click.echo(line, color=colours())
    click.echo()
    disk_part(output, width())
    click.echo(
        f"\nDone in {time.monotonic() - began:.0f} s. Open {page.resolve()} in a browser.\n"
        "Then, for a process of your own:\n"
        "  .venv/bin/stallscope profile -p PID\n"
        "  .venv/bin/stallscope io curve DIR\n"
        "  .venv/bin/stallscope lab storm DIR\n"
        "  .venv/bin/stallscope doctor      (what this machine can measure)"
    )


def main() -> int:
    """Return the exit code of the demonstration."""
    output = Path(f"stallscope-demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}")
    try:
        with terminable():
            demonstrate(output)
    except StallscopeError as error:
        return report_error(error)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return int(ExitCode.INTERRUPTED)
    return int(ExitCode.DONE)


if __name__ == "__main__":
    sys.exit(main())
