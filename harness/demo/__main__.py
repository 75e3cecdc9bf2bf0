"""The demo: the reference server with stages off and on, its sleep states, and a disk.

`./dev demo` runs it as ``python -m harness.demo``. Both servers are profiled by pid; the page of
this part has flame graphs, both slot trees (measured or modelled), latency and tables. Then the
server is loaded at a low rate, and the cost of its CPUs' sleep states is measured. Finally the disk
of the current directory is measured: one request at a time, at growing depths, and beside writes.
The index page links all pages.
"""

import sys
import time
from pathlib import Path

import click

from harness.cli.errors import report_error
from harness.cli.outputs import default_directory
from harness.cli.terminal import colours, note, width
from harness.cli.termination import terminable
from harness.demo.cstates import EXPECTED_S as SLEEP_EXPECTED_S
from harness.demo.cstates import sleep_part
from harness.demo.disk import EXPECTED_S as DISK_EXPECTED_S
from harness.demo.disk import disk_part
from harness.demo.index import DemoPage, write_index
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.plan import FIXED_RATE
from harness.labs.stages.session import expected_s, run_stages
from stallscope.errors import ExitCode, StallscopeError

PAIRS = 5
DURATION_S = 1.0
PROFILE_S = 4.0


def demo_options(output: Path) -> StagesOptions:
    """Return options of the stages lab that take about two minutes."""
    return StagesOptions(
        path="codec",
        output=output,
        pairs=PAIRS,
        duration_s=DURATION_S,
        warmup_s=0.3,
        loads=(FIXED_RATE,),
        profile_s=PROFILE_S,
    )


def run_demo(output: Path) -> None:
    """Run all parts of the demo and write the index page."""
    options = demo_options(output)
    total_s = expected_s(options) + SLEEP_EXPECTED_S + DISK_EXPECTED_S
    click.echo(
        "The reference server answers requests through 32 stages of 13 KB of synthetic code,\n"
        "more than an instruction cache holds: first each request through all stages at once,\n"
        f"then each stage over a batch of requests, in {options.pairs} pairs of rounds. Both\n"
        "servers are profiled by pid. Then the server runs at a low rate, to measure the cost of\n"
        "sleeping CPUs; finally the disk of this directory is measured.\n"
        f"This takes about {total_s:.0f} s.\n"
    )
    began_s = time.monotonic()
    result, page = run_stages(options, None, as_json=False, on_phase=note)
    verdict = f"{result.verdict}: {result.verdict_reason}"
    pages = [DemoPage(f"Execution stages off and on, path {result.path}", page, verdict)]
    click.echo()
    sleep = sleep_part(output / "idle", width())
    click.echo("\n".join(sleep.lines), color=colours())
    click.echo()
    pages += [sleep.page, *disk_part(output, width())]
    index = write_index(output, pages)
    click.echo(
        f"\nDone in {time.monotonic() - began_s:.0f} s. Open {index.resolve()} in a browser:\n"
        "it links all pages.\n"
        "\n"
        "To measure your own programs:\n"
        "  .venv/bin/stallscope profile -p PID\n"
        "  .venv/bin/stallscope io curve DIR\n"
        "  .venv/bin/stallscope lab storm DIR\n"
        "  .venv/bin/stallscope doctor      (what this machine can measure)"
    )


def main() -> int:
    """Return the exit code of the demo."""
    output = default_directory("demo")
    try:
        with terminable():
            run_demo(output)
    except StallscopeError as error:
        return report_error(error)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        return int(ExitCode.INTERRUPTED)
    return int(ExitCode.DONE)


if __name__ == "__main__":
    sys.exit(main())
