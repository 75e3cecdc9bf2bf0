"""`stallscope cstates simulate`: replays idle intervals through the kernel's governors."""

from pathlib import Path

import click

from harness.cli.experiment_options import seed_option
from harness.cli.json_option import json_option
from harness.cli.machine_options import roots_options
from harness.cli.page_option import page_option

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
    help="Table of the CPU's states: a name of --list, `this` for this machine, or a .csv file.",
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
    help="Generate intervals: poisson, periodic or request-reply, for example poisson:250us.",
)
@click.option(
    "--intervals",
    type=int,
    default=100_000,
    metavar="N",
    help="Number of intervals to generate. Default: 100000.",
)
@seed_option("Random seed for generated intervals.", default=0)
@click.option(
    "--governor",
    "--governors",
    "governors",
    multiple=True,
    metavar="NAME[,NAME...]",
    help="Governors to replay, as menu-6.18, teo, ladder, pin:C1, pin:10us. Default: all.",
)
@click.option("--disable", metavar="STATES", help="States to close, for example C3,C6.")
@click.option(
    "--max-exit-latency",
    type=click.IntRange(0, 10**9),
    metavar="US",
    help="Close states with a longer exit latency than US microseconds.",
)
@click.option(
    "--hz",
    type=click.Choice(["100", "250", "300", "1000"]),
    default="250",
    help="Frequency of the kernel's tick in Hz. Default: 250.",
)
@click.option("--list", "listing", is_flag=True, help="List known tables and governors.")
@json_option
@page_option
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

    Prints for each governor how often its choices would have been too deep or too shallow, the
    delay of wake-ups, and the time in each state. All numbers are modelled: the intervals stay the
    same, and latencies are the declared ones.
    """
    from cstates.sysfs import machine_roots  # noqa: PLC0415 - start-up stays light
    from harness.cli.result_output import print_result  # noqa: PLC0415
    from harness.cstates.simulate.options import SimulationOptions  # noqa: PLC0415
    from harness.cstates.simulate.panel import write_simulated_page  # noqa: PLC0415
    from harness.cstates.simulate.session import list_lines, run_simulation  # noqa: PLC0415
    from harness.cstates.simulate.text import lines  # noqa: PLC0415

    if listing:
        click.echo("\n".join(list_lines()))
        return
    options = SimulationOptions(
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
    result = run_simulation(options)
    if output:
        write_simulated_page(output, result)
    print_result(result, lines, as_json=as_json)
