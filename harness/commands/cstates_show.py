"""`stallscope cstates show`: sleep states, limits and frequency as they are."""

import json
from pathlib import Path

import click

from harness.cli.machine_options import roots_options
from harness.cli.number_options import Number

EXAMPLES = """\b
Examples:
  stallscope cstates show
  stallscope cstates show --interval 5 --cpus 0-3
  stallscope cstates show -o states.html
  stallscope cstates show --json | jq '.cpus[0].states[] | [.name, .closed_by]'
"""


@click.command(epilog=EXAMPLES)
@click.option("--cpus", metavar="LIST", help="Show these CPUs only, as 0-3,8. Default: all.")
@click.option(
    "--interval",
    type=Number(min=0.001, max=86_400),
    metavar="S",
    help="Count over so many seconds from now instead of since boot.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page of it as well.",
)
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

    States are shown with the latencies their driver declares, whether they are open or what closes
    them, how often they were entered, and how often that was too deep or too shallow. CPUs that are
    equal stand together.
    """
    from cstates.observation import observe  # noqa: PLC0415 - start-up stays light
    from cstates.sysfs import chosen_cpus, machine_roots  # noqa: PLC0415
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.show.document import document  # noqa: PLC0415
    from harness.cstates.show.text import lines  # noqa: PLC0415
    from stallscope.errors import UsageError  # noqa: PLC0415

    roots = machine_roots(sysfs_root, proc_root)
    wanted = chosen_cpus(roots, cpus)
    if interval and not roots.is_live:
        raise UsageError(
            "a recorded machine's counters do not move, so --interval would count nothing",
            "leave out --interval: rates are then since its boot",
        )
    seen = observe(roots, wanted, interval_s=interval)
    if output:
        from harness.cstates.page_files import write_states_page  # noqa: PLC0415 - with numpy

        write_states_page(output, seen, roots)
    if as_json:
        click.echo(json.dumps(document(seen)))
    else:
        click.echo("\n".join(lines(seen, width())))
