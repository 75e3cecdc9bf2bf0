"""The options of commands that summarise a CPU profile: rows, source lines, inlined functions."""

import click

from harness.cli.option_group import option_group
from harness.cli.symbol_options import symbol_options

analysis_options = option_group(
    click.option(
        "--top",
        type=click.IntRange(1),
        default=15,
        show_default=True,
        metavar="N",
        help="Number of rows to print.",
    ),
    click.option(
        "--lines",
        type=click.IntRange(0),
        default=0,
        is_flag=False,
        flag_value=100,
        metavar="[N]",
        help="Show source lines and inlined functions of the N hottest addresses. Default: 0; "
        "100 if N is left out.",
    ),
    symbol_options,
    click.option(
        "--inlined",
        is_flag=True,
        help="Show inlined functions as separate frames (needs debug information).",
    ),
    click.option(
        "--group",
        type=click.Choice(["module"]),
        help="Show shares by module too: package of a language, script, native object.",
    ),
)
