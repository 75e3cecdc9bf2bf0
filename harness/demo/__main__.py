"""The demo: the reference server with stages off and on, its sleep states, and a disk.

`./dev demo` runs it as ``python -m harness.demo``. The stages lab compares both servers; then each
is recorded under load as by `stallscope diagnose`. The server is loaded at a low rate to measure
the sleep states of its CPUs. Finally the disk of the current directory is measured: one request at
a time, at growing depths, and beside writes. One page shows all of it, verdict first.
"""

import sys
import time
from pathlib import Path

import click

from harness.cli.errors import report_error
from harness.cli.outputs import default_directory
from harness.cli.result_output import print_result
from harness.cli.terminal import colours, note, printable, width
from harness.cli.termination import terminable
from harness.demo.cstates import EXPECTED_S as SLEEP_EXPECTED_S
from harness.demo.cstates import sleep_part
from harness.demo.diagnosis import EXPECTED_S as SERVER_EXPECTED_S
from harness.demo.diagnosis import ServerDiagnosis, diagnose_server
from harness.demo.disk import EXPECTED_S as DISK_EXPECTED_S
from harness.demo.disk import disk_part
from harness.demo.report import INDEX, DemoPart, write_demo_page
from harness.diagnose.page.latency import RequestLatency
from harness.diagnose.text import lines as diagnosis_lines
from harness.labs.stages.options import StagesOptions
from harness.labs.stages.page_files import page_data, write_results
from harness.labs.stages.panel import stages_panel
from harness.labs.stages.plan import FIXED_RATE
from harness.labs.stages.result import stages_result
from harness.labs.stages.session import expected_s, measure_stages
from harness.labs.stages.text import lines
from stallscope.errors import ExitCode, StallscopeError

PAIRS = 5
DURATION_S = 0.6


def demo_options(output: Path) -> StagesOptions:
    """Return options of the stages lab that take about 100 s; the diagnosis has its profiles."""
    return StagesOptions(
        path="codec",
        output=output,
        pairs=PAIRS,
        duration_s=DURATION_S,
        warmup_s=0.3,
        loads=(FIXED_RATE,),
        profile_s=0.0,
    )


def expected_total_s(options: StagesOptions) -> float:
    """Return the approximate time of all parts."""
    return expected_s(options) + SERVER_EXPECTED_S + SLEEP_EXPECTED_S + DISK_EXPECTED_S


def run_demo(output: Path) -> None:
    """Run all parts of the demo and write the page."""
    options = demo_options(output)
    click.echo(
        "The reference server answers requests through 32 stages of 13 KB of synthetic code,\n"
        "more than an instruction cache holds: first each request through all stages at once,\n"
        f"then each stage over a batch of requests, in {options.pairs} pairs of rounds. Both\n"
        "servers are recorded and diagnosed. Then the server runs at a low rate, to measure the\n"
        "cost of sleeping CPUs; finally the disk of this directory is measured.\n"
        f"This takes about {expected_total_s(options):.0f} s.\n"
    )
    began_s = time.monotonic()
    stages, latency = _stages_part(options)
    click.echo()
    server = diagnose_server(options, output / INDEX, latency)
    if server.content is not None:
        click.echo("The server with stages, as `stallscope diagnose` shows it:\n")
        click.echo("\n".join(diagnosis_lines(server.content.result, width())), color=colours())
    else:
        click.echo(f"The server was not diagnosed: {printable(server.missing)}.")
    click.echo()
    sleep = sleep_part(output / "idle", width())
    click.echo("\n".join(sleep.lines), color=colours())
    click.echo()
    parts = [stages, _server_part(server), sleep.part, *disk_part(output, width())]
    page = write_demo_page(output, parts, server.content)
    click.echo(
        f"\nDone in {time.monotonic() - began_s:.0f} s. Open {page.resolve()} in a browser:\n"
        "one page for all of it, verdict first.\n"
        "\n"
        "To measure your own programs:\n"
        "  .venv/bin/stallscope diagnose -p PID\n"
        "  .venv/bin/stallscope io curve DIR\n"
        "  .venv/bin/stallscope lab storm DIR\n"
        "  .venv/bin/stallscope doctor      (what this machine can measure)"
    )


def _stages_part(options: StagesOptions) -> tuple[DemoPart, RequestLatency]:
    """Return the part of the stages lab, and the latency of its requests."""
    lab = measure_stages(options, None, note)
    result = stages_result(lab)
    page = write_results(lab, result)
    print_result(result, lines, as_json=False)
    click.echo(f"\npage  {printable(str(page))}")
    part = DemoPart(
        "stages",
        f"Execution stages off and on, path {result.path}",
        page,
        f"{result.verdict}: {result.verdict_reason}",
        (stages_panel(result),),
        headline=f"Execution stages: {result.verdict}",
    )
    data = page_data(lab)
    return part, RequestLatency(tuple(data.latency), data.latency_hint)


def _server_part(server: ServerDiagnosis) -> DemoPart:
    """Return the row of the diagnosis, which has no section: its panels are the page."""
    title = "What limits the server with stages"
    if server.content is None:
        return DemoPart("server", title, None, f"not recorded: {server.missing}")
    return DemoPart("server", title, None, server.content.result.verdict)


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
