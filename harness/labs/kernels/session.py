"""A run of `stallscope lab kernels`: rows are printed as they are known."""

import click

from harness.cli.result_output import print_result
from harness.cli.terminal import LiveLine, colours
from harness.labs.kernels import sources
from harness.labs.kernels.diagnosis import diagnose_kernels
from harness.labs.kernels.known_kernels import known_kernels
from harness.labs.kernels.result import KernelRow, KernelsResult
from harness.labs.kernels.text import closing_lines, heading, row_line
from harness.recordings.settings_text import settings_now, settings_since
from stallscope.errors import ExitCode


def run_kernels(names: tuple[str, ...], *, gate: bool, as_json: bool) -> int:
    """Return the exit code after the programs were diagnosed and printed.

    After Ctrl-C the finished rows are printed as well.
    """
    kernels = known_kernels(names)
    before = settings_now()
    live = LiveLine()
    rows: list[KernelRow] = []
    if not as_json:
        click.echo(heading())
    try:
        for row in diagnose_kernels(
            kernels,
            sources.available_sources(),
            lambda kernel: live.show(
                f"{len(rows) + 1} of {len(kernels)}: {kernel.name}",
                done=len(rows),
                whole=len(kernels),
            ),
        ):
            live.clear()
            rows.append(row)
            if not as_json:
                click.echo(row_line(row), color=colours())
    finally:
        live.clear()
        result = KernelsResult(settings=settings_since(before), rows=tuple(rows))
        print_result(result, closing_lines, as_json=as_json)
    return int(ExitCode.FINDING if gate and not result.passed else ExitCode.DONE)
