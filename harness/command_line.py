"""The command group: names its commands without loading them, renders errors, sets exit codes."""

import importlib
import io
import os
import signal
import sys
from typing import Any

import click

from stallscope import __version__
from stallscope.errors import ExitCode, StallscopeError, UnableError

# Every command with its short help, so that `stallscope --help` loads none of them. A test holds
# this table to the commands' own help.
COMMANDS = {
    "profile": "Record a process or command, and make its flame page.",
    "record": "Record a process, command, CPUs or cgroup.",
    "report": "Make the page of a recording.",
    "flame": "Write a recording's flame graph as SVG, HTML or folded text.",
    "topdown": "Say where the pipeline's slots went.",
    "doctor": "Say what this machine can measure, and how to allow more.",
}


class LazyGroup(click.Group):
    """A group that imports a command's module when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the command names in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of that name, imported now; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"harness.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands from the table, importing nothing."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command and its arguments; an unknown name is answered with near ones."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # noqa: PLC0415 - only for a mistyped name

            near = difflib.get_close_matches(args[0], COMMANDS, n=2)
            if not near:
                raise
            raise click.UsageError(
                f"{error.message} Did you mean: {', '.join(near)}?", ctx
            ) from error


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with `stallscope profile -p PID`; if something is refused, `stallscope doctor`.",
)
@click.version_option(__version__, prog_name="stallscope", message="%(prog)s %(version)s")
def group() -> None:
    """Say why it is slow: where CPU time goes, and what a process waits for."""


def report_error(error: StallscopeError) -> int:
    """Return the error's exit code after writing its message and remedy to stderr."""
    from harness.terminal import colours, printable  # noqa: PLC0415 - start-up stays light

    text = click.style("stallscope: error:", fg="red", bold=True)
    click.echo(f"{text} {printable(error.message)}", err=True, color=colours())
    if error.remedy:
        click.echo(f"  remedy: {printable(error.remedy)}", err=True)
    return int(error.exit_code)


def main(arguments: list[str] | None = None) -> int:
    """Return the exit code of one command line; every failure becomes one message."""
    _open_standard_streams()
    try:
        result: Any = group.main(arguments, prog_name="stallscope", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return int(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        click.echo("stallscope: interrupted", err=True)
        return int(ExitCode.INTERRUPTED)
    except StallscopeError as error:
        return report_error(error)
    except (BrokenPipeError, SystemExit):  # click makes the latter of the former
        # The reader of our output went away; as for every filter, that is not an error.
        _abandon_stdout()
        return int(ExitCode.DONE)
    except (OSError, MemoryError, ImportError) as error:
        _abandon_stdout()
        return report_error(_unforeseen(error))
    return result if isinstance(result, int) else int(ExitCode.DONE)


def _open_standard_streams() -> None:
    """Give standard streams that the caller closed to /dev/null; let none fail on a name.

    Else the next file opened would take the descriptor, and be written to as if it were stdout.
    """
    while (descriptor := os.open("/dev/null", os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _abandon_stdout() -> None:
    """Let Python's own flush at exit not complain once more of what cannot be written."""
    with open("/dev/null", "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _unforeseen(error: OSError | MemoryError | ImportError) -> StallscopeError:
    """Return what no command turned into its own message, as one with a remedy all the same."""
    if isinstance(error, MemoryError):
        return UnableError("memory ran out", "record for a shorter time, or allow more memory")
    if isinstance(error, ImportError):
        return UnableError(
            f"a part of stallscope cannot be loaded: {error}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    return UnableError(
        f"{where}{error.strerror or error}", "free some space, or run stallscope doctor"
    )
