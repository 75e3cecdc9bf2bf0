"""`stallscope kernels`: runs stallscope-kernels, the programs with a known bottleneck."""

import click

EXAMPLES = """\b
Examples:
  stallscope kernels --list
  stallscope kernels divide-chain --duration 5
  stallscope topdown stallscope kernels random-branches --duration 5
"""


@click.command(
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Run a program whose bottleneck is known, to check a profiler against it.

    ARGUMENTS are those of stallscope-kernels; without arguments its own help is printed.
    """
    from harness.commands.program import replace_process  # noqa: PLC0415 - start-up stays light

    replace_process("kernels", arguments or ("--help",))
