"""The options of `stallscope pin`, and the request they form."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.json_option import json_option
from harness.cli.machine_options import roots_options
from harness.cli.option_group import option_group
from stallscope.errors import UsageError

if TYPE_CHECKING:
    from cstates.pinning.request import PinRequest

_OFF = click.Choice(["off"])

request_options = option_group(  # of the settings to pin
    click.option(
        "--profile",
        type=click.Choice(["bench"]),
        help="Pin the settings for benchmarks that exist here; explicit options take precedence.",
    ),
    click.option(
        "--cpus",
        metavar="LIST",
        help="CPUs for the command, for example 0-3,8; --states limits these only.",
    ),
    click.option(
        "--states",
        metavar="NAMES",
        help="Leave only these sleep states (and POLL) open, for example C1,C1E.",
    ),
    click.option(
        "--max-exit-latency",
        type=click.IntRange(0, 1_000_000_000),
        metavar="US",
        help="Leave only sleep states open with an exit latency of at most US microseconds.",
    ),
    click.option("--idle-governor", metavar="G", help="cpuidle governor, for example menu."),
    click.option("--governor", metavar="G", help="cpufreq governor, for example performance."),
    click.option("--frequency", metavar="base|max|KHZ", help="Hold the CPUs at one frequency."),
    click.option("--no-turbo", is_flag=True, help="Disable turbo on all CPUs."),
    click.option(
        "--epp", metavar="NAME", help="Energy performance preference, such as performance."
    ),
    click.option("--epb", metavar="0-15", help="Energy bias; 0 is performance."),
    click.option(
        "--smt-siblings",
        type=click.Choice(["idle"]),
        help="Run the command on one CPU per core.",
    ),
    click.option("--aslr", type=_OFF, help="Load the command at the same addresses in each run."),
    click.option("--thp", type=_OFF, help="Disable transparent huge pages for the command."),
    click.option(
        "--nice", type=click.IntRange(-20, 19), metavar="N", help="Niceness of the command."
    ),
    click.option("--irq-away", is_flag=True, help="Move interrupts to other CPUs."),
    click.option(
        "--numa-balancing", type=_OFF, help="Disable the kernel's automatic NUMA balancing."
    ),
    click.option(
        "--nmi-watchdog", type=_OFF, help="Disable the NMI watchdog, which uses a counter."
    ),
    click.option(
        "--force-effective",
        is_flag=True,
        help="If the governor ignores disabled states, use another mechanism.",
    ),
)
machine_options = option_group(
    json_option,
    roots_options,
    click.option(
        "--run-root",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Directory of the journal. Default: /run/stallscope.",
    ),
)


def pin_request(values: dict[str, Any]) -> "PinRequest":
    """Return the request of the options; UsageError if they name no setting."""
    from cstates.pinning.request import PinRequest, bench_profile  # noqa: PLC0415 - start-up

    names = tuple(name.strip() for name in (values["states"] or "").split(",") if name.strip())
    if values["states"] is not None and not names:
        raise UsageError("--states names no state", "list the states with: stallscope cstates show")
    request = PinRequest(
        cpus=values["cpus"],
        states=names,
        max_exit_latency_us=values["max_exit_latency"],
        idle_governor=values["idle_governor"],
        governor=values["governor"],
        frequency=values["frequency"],
        no_turbo=values["no_turbo"],
        energy_preference=values["epp"],
        energy_bias=values["epb"],
        smt_siblings_idle=values["smt_siblings"] == "idle",
        aslr_off=values["aslr"] == "off",
        thp_off=values["thp"] == "off",
        nice=values["nice"],
        irq_away=values["irq_away"],
        numa_balancing_off=values["numa_balancing"] == "off",
        nmi_watchdog_off=values["nmi_watchdog"] == "off",
    )
    if values["profile"] is None and request == PinRequest():
        raise UsageError("no setting to pin", "name one, for example --profile bench")
    if values["force_effective"]:
        from dataclasses import replace  # noqa: PLC0415 - start-up

        request = replace(request, force_effective=True)
    return bench_profile(request) if values["profile"] else request
