"""The options of a continuous recording: its budget, its segments and where they are sent."""

import click

from harness.cli.option_group import option_group

continuous_choices = option_group(
    click.option(
        "--continuous",
        is_flag=True,
        help="Record all the time, in numbered recordings. -F (99) is then the largest rate, "
        "--max-size (250 MB) the size of all; the oldest ones are removed.",
    ),
    click.option(
        "--budget",
        metavar="SHARE",
        help="CPU time that --continuous may cost, as a share of one CPU. Default: 1%.",
    ),
    click.option(
        "--segment",
        metavar="TIME",
        help="Shortest length of a recording of --continuous. Default: 60s.",
    ),
    click.option(
        "--otlp",
        metavar="URL",
        help="Send each finished recording of --continuous as an OTLP profile to this http or "
        "https URL.",
    ),
)
