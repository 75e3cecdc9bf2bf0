"""`stallscope profile`: record, analyze, write the page, print the summary."""

from pathlib import Path
from typing import Any

import click

from harness.cli.analysis_options import analysis_options
from harness.cli.json_option import json_option
from harness.cli.recording_options import collector_options, target_options
from harness.cli.symbol_options import symbol_places
from harness.cli.weight_option import weight_option

EXAMPLES = """\b
Examples:
  stallscope profile -p $(pidof redis-server)
  stallscope profile -p 4711 --duration 30 -F 99 -o slow-query
  stallscope profile -- gcc -O2 -c big.c
  stallscope profile --slots --locate -p 4711
  stallscope profile -e task-clock --with page-faults,context-switches -- make
  stallscope profile --weight wall -p 4711
  stallscope profile --group module -p $(pidof java)
  stallscope profile -p 4711 --json | jq .functions[0]
"""


@click.command(epilog=EXAMPLES)
@target_options
@analysis_options
@click.option(
    "--locate",
    is_flag=True,
    help="With --slots: then sample the events that locate nodes above their thresholds.",
)
@weight_option
@json_option
def command(
    top: int,
    lines: int,
    inlined: bool,
    source_map: tuple[str, ...],
    debug_directories: tuple[Path, ...],
    debuginfod: str,
    group: str | None,
    locate: bool,
    weight: str | None,
    as_json: bool,
    **values: Any,
) -> int:
    """Record a process or command, and write its flame page.

    Prints the functions with most CPU time and writes DIR/report.html, a self-contained page.
    Lost samples, unknown functions and truncated stacks are reported.
    """
    from harness.profile.options import (  # noqa: PLC0415 - start-up stays light
        AnalysisOptions,
        ProfileOptions,
    )
    from harness.profile.session import run_profile  # noqa: PLC0415
    from topdown.waits.weight import Weight  # noqa: PLC0415

    options = ProfileOptions(
        collector=collector_options(values),
        analysis=AnalysisOptions(
            lines=lines,
            inlined=inlined,
            weight=Weight(weight or Weight.CPU),
            places=symbol_places(source_map, debug_directories, debuginfod),
            by_module=group == "module",
        ),
        slots=values["slots"],
        locate=locate,
        top=top,
        as_json=as_json,
    )
    return run_profile(options)
