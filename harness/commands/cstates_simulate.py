"""`stallscope cstates simulate`: idle intervals replayed through the kernel's governors."""

import json
from pathlib import Path

import click

from harness.cli.experiment_options import seed_option
from harness.cli.machine_options import roots_options

EXAMPLES = """\b
Examples:
  stallscope cstates simulate --list
  stallscope cstates simulate --table Z600 --workload request-reply:250us
  stallscope cstates simulate --table pepc:spr1 --trace idle.csv --governor menu-6.18,pin:C1
  stallscope cstates simulate --table sklep0 --trace idle.csv --max-exit-latency 10 --json
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--table",
    "table_name",
    metavar="NAME",
    help="The CPU's states: a name of --list, `this` machine's own, or a .csv file.",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Idle intervals: CSV with cpu, t_entry_ns, idle_ns, next_hrtimer_ns, wake.",
)
@click.option(
    "--workload",
    metavar="KIND:LENGTH",
    help="Make intervals up instead: poisson, periodic or request-reply, as poisson:250us.",
)
@click.option(
    "--intervals",
    type=int,
    default=100_000,
    metavar="N",
    help="How many to make up. Default: 100000.",
)
@seed_option("Random seed of what is made up.", default=0)
@click.option(
    "--governor",
    "--governors",
    "governors",
    multiple=True,
    metavar="NAME[,NAME...]",
    help="Replay these only: as menu-6.18, teo-6.12, ladder, haltpoll, pin:C1, pin:10us.",
)
@click.option("--disable", metavar="STATES", help="Close these states, as C3,C6.")
@click.option(
    "--max-exit-latency",
    type=click.IntRange(0, 10**9),
    metavar="US",
    help="Close states that take longer to leave.",
)
@click.option(
    "--hz",
    type=click.Choice(["100", "250", "300", "1000"]),
    default="250",
    help="The frequency of the kernel's tick. Default: 250.",
)
@click.option("--list", "listing", is_flag=True, help="List known tables and governors.")
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
    table_name: str | None,
    trace: Path | None,
    workload: str | None,
    intervals: int,
    seed: int,
    governors: tuple[str, ...],
    disable: str | None,
    max_exit_latency: int | None,
    hz: str,
    listing: bool,
    as_json: bool,
    output: Path | None,
    sysfs_root: Path,
    proc_root: Path,
) -> None:
    """Replay idle intervals through the kernel's governors.

    Says of each governor how often it would have slept too deep or too shallow, what wake-ups would
    have waited for, and the time in each state. All of it is modelled: the intervals stay as they
    were, and latencies are those declared.
    """
    from cstates.sysfs import machine_roots  # noqa: PLC0415 - start-up stays light
    from harness.cli.terminal import width  # noqa: PLC0415
    from harness.cstates.page_files import write_simulated_page  # noqa: PLC0415
    from harness.cstates.simulate.options import Request, listed, run  # noqa: PLC0415

    if listing:
        click.echo("\n".join(listed()))
        return
    request = Request(
        table=table_name,
        trace=trace,
        workload=workload,
        intervals=intervals,
        seed=seed,
        governors=tuple(name for text in governors for name in text.split(",")),
        disable=tuple(disable.split(",")) if disable is not None else (),
        max_exit_latency_us=max_exit_latency,
        tick_hz=int(hz),
        roots=machine_roots(sysfs_root, proc_root),
    )
    done = run(request)
    if output:
        write_simulated_page(output, done.trace, done.machine, done.rows)
    click.echo(json.dumps(done.document()) if as_json else "\n".join(done.lines(width())))
