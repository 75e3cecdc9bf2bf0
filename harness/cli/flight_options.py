"""The options of a flight recorder: how much to keep, and when to write it."""

import click

from harness.cli.option_group import option_group

flight_choices = option_group(
    click.option(
        "--flight",
        metavar="TIME",
        help="Keep the last TIME (30s, 2m) in memory, and write it when a trigger fires. Samples "
        "at 99 Hz unless -F or -c is given.",
    ),
    click.option(
        "--on",
        "conditions",
        multiple=True,
        metavar="CONDITION",
        help="Trigger of --flight, may be repeated: psi.io>20%, psi.memory.full>5%/4s, "
        "p99>5ms (of requests that the target marks), p99>5ms:FILE.hlog, command:CMD, "
        "command>100:CMD, signal (SIGUSR1 to this program), exit (of the target), duration (the "
        "time of --duration is over), end (any end, including Ctrl-C).",
    ),
    click.option(
        "--flight-after",
        metavar="TIME",
        help="Time to record after the trigger. Default: 2s.",
    ),
    click.option(
        "--flight-memory",
        "flight_memory_mib",
        type=click.IntRange(4, 1 << 20),
        metavar="MIB",
        help="Memory for the samples of --flight; if it is full, fewer seconds are kept. Default: "
        "64.",
    ),
    click.option(
        "--repeat",
        type=click.IntRange(1, 10_000),
        metavar="N",
        help="Wait again after a recording, for N numbered recordings at most. --max-size limits "
        "the size of all. Default: 1.",
    ),
    click.option(
        "--cool-down",
        metavar="TIME",
        help="With --repeat: time after a recording before triggers are checked again. Default: "
        "60s.",
    ),
)
