"""`stallscope program`: runs one of the native programs that the installation contains."""

import os
from collections.abc import Sequence
from typing import NoReturn

import click

# Names with their purpose. A test compares them with the installed programs.
PROGRAMS = {
    "collect": "sample processes, a command, CPUs or a cgroup into a recording",
    "ioqueue": "measure disks, and the I/O queue under load",
    "kernels": "run programs with a known bottleneck",
    "known-disk": "serve a file whose response curve is known, over FUSE",
    "launch": "run commands for bench, measure them and end what they started",
    "load": "load a RESP server and measure latency",
    "memory": "measure the latency of each level of the memory",
    "server": "run the reference RESP server",
    "wake": "measure the latency of wake-ups",
}
EXAMPLES = """\b
Examples:
  stallscope program
  stallscope program collect --help
  stallscope program wake --help
"""


@click.command(
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("name", required=False, type=click.Choice(list(PROGRAMS)), metavar="[NAME]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(name: str | None, arguments: tuple[str, ...]) -> None:
    """Run a native program with its own arguments, or list the programs.

    Without NAME, the programs are listed. The program replaces this process, so its output and exit
    status are its own.
    """
    if name is None:
        for program_name, purpose in PROGRAMS.items():
            click.echo(f"{program_name:12}{purpose}")
    else:
        replace_process(name, arguments)


def replace_process(name: str, arguments: Sequence[str]) -> NoReturn:
    """Replace this process by a native program."""
    from stallscope.programs import program  # noqa: PLC0415 - start-up stays light

    path = str(program(f"stallscope-{name}"))
    os.execv(path, [path, *arguments])  # noqa: S606 - a program of the installation
