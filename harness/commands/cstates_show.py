"""`stallscope cstates show`: sleep states, limits and frequency of a machine."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.machine_options import roots_options
from harness.cli.number_options import SecondsRange
from harness.cli.page_option import page_option

EXAMPLES = """\b
Examples:
  stallscope cstates show
  stallscope cstates show --interval 5 --cpus 0-3
  stallscope cstates show -o states.html
  stallscope cstates show --json | jq '.cpus[0].states[] | [.name, .closed_by]'
"""


@click.command(epilog=EXAMPLES)
@click.option("--cpus", metavar="LIST", help="CPUs to show, for example 0-3,8. Default: all.")
@click.option(
    "--interval",
    type=SecondsRange(min=0.001, max=86_400),
    metavar="S",
    help="Count during S seconds from now instead of since boot.",
)
@json_option
@page_option
@roots_options
def command(
    cpus: str | None,
    interval: float | None,
    as_json: bool,
    output: Path | None,
    sysfs_root: Path,
    proc_root: Path,
) -> None:
    """Show each CPU's sleep states, what closes them, and its frequency.

    Prints for each state the declared latencies, whether it is open or what closes it, the rate of
    entries, and how many of them were too deep or too shallow. CPUs with equal settings share a
    table.
    """
    from cstates.observation import observe  # noqa: PLC0415 - start-up stays light
    from cstates.sysfs import chosen_cpus, machine_roots  # noqa: PLC0415
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.cstates.show.result import show_result  # noqa: PLC0415
    from harness.cstates.show.text import lines  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    roots = machine_roots(sysfs_root, proc_root)
    selected = chosen_cpus(roots, cpus)
    if interval and not roots.is_live:
        raise UsageError(
            "--interval needs a live machine: the counters of a recorded machine do not change",
            "omit --interval: rates are then since its boot",
        )
    result = show_result(observe(roots, selected, interval_s=interval))
    if output:
        from harness.cstates.show.panel import write_states_page  # noqa: PLC0415

        write_states_page(output, result, roots)
    print_result(result, lines, as_json=as_json)
