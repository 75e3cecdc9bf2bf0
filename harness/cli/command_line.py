"""The command line: lists commands without loading them, reports errors, returns exit codes."""

import os
import signal
import sys
from typing import Any, cast

import click

from harness.cli.errors import report_error, report_usage
from harness.cli.lazy_group import LazyGroup
from harness.cli.standard_streams import abandon_stdout, open_standard_streams
from harness.cli.termination import terminable
from stallscope import __version__
from stallscope.errors import FULL, ExitCode, OutputError, StallscopeError, UnableError

# Every command with its short help, so that `stallscope --help` loads none of them. A test compares
# this table with the commands.
COMMANDS = {
    "diagnose": "Show what limits a process or command, in order of the wall time it costs.",
    "profile": "Record a process or command, and write its flame page.",
    "top": "Show live what limits a process or the machine.",
    "record": "Record a process, command, CPUs or cgroup.",
    "report": "Write the page of a recording and print its summary.",
    "flame": "Write a recording's stacks as a flame graph, or in the format of another tool.",
    "import": "Read a file of another tool, or write it in another format.",
    "export": "Write metrics or samples of recordings for other systems.",
    "diff": "Show what differs between two recordings, beyond their noise.",
    "callers": "Show the callers of a function in a recording, its callees and source lines.",
    "fleet": "Record many hosts, and analyze their recordings together.",
    "pack": "Write a recording with its symbols to one archive.",
    "unpack": "Unpack an archive of `stallscope pack`.",
    "data": "Show which data the loads of a recording read, and which lines threads share.",
    "topdown": "Show where pipeline slots are lost.",
    "waits": "Show what the threads of a process, a command or a recording wait for.",
    "requests": "Show what slow requests of a process or command do beside others.",
    "cstates": "Show what sleep states and frequency changes cost.",
    "io": "Measure what the disk can do, and show what waits for it.",
    "pin": "Pin sleep states, frequency and more around a command.",
    "serve": "Run the reference server until Ctrl-C.",
    "load": "Put a RESP server under load, and report its latency.",
    "bench": "Run benchmarks, compare them, and model their scalability.",
    "lab": "Run an experiment: memory, known bottlenecks, execution stages, scaling, I/O queue.",
    "kernels": "Run a program whose bottleneck is known, to check a profiler against it.",
    "program": "Run a native program with its own arguments, or list the programs.",
    "cache": "Show or clear what is kept of binaries for later profiles.",
    "schema": "Print the JSON Schema of a document, or list the documents.",
    "mcp": "Serve recordings and analyses to an agent over stdio (Model Context Protocol).",
    "completion": "Print the script that completes commands and options in a shell.",
    "man": "Print a manual page, or write all of them to a directory.",
    "doctor": "Show what this machine can measure, and how to allow more.",
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    module="harness.commands.{}",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with `stallscope diagnose -p PID`. If it is refused, run `stallscope doctor`.",
)
@click.version_option(__version__, prog_name="stallscope", message="%(prog)s %(version)s")
def group() -> None:
    """Find out why a program is slow: where CPU time goes, and what a process waits for."""


def main(arguments: list[str] | None = None) -> int:
    """Return the exit code of a command line; every failure is reported as one message."""
    open_standard_streams()
    try:
        with terminable():
            result: Any = group.main(arguments, prog_name="stallscope", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return report_usage(error, _command_path(sys.argv[1:] if arguments is None else arguments))
    except (click.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        click.echo("stallscope: interrupted", err=True)
        return int(ExitCode.INTERRUPTED)
    except StallscopeError as error:
        if isinstance(error, OutputError):
            abandon_stdout()
        return report_error(error)
    except (BrokenPipeError, SystemExit):  # click makes the latter of the former
        # The reader of our output went away, which is not an error for a filter.
        abandon_stdout()
        return int(ExitCode.DONE)
    except (OSError, MemoryError, ImportError) as error:
        abandon_stdout()
        return report_error(_unforeseen(error))
    return result if isinstance(result, int) else int(ExitCode.DONE)


def _command_path(arguments: list[str]) -> str:
    """Return the names of the groups and of the command that a command line begins with."""
    path, command = ["stallscope"], cast("click.Command | None", group)
    for word in arguments:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
        path += [word] if command is not None else []
    return " ".join(path)


def _unforeseen(error: OSError | MemoryError | ImportError) -> StallscopeError:
    """Return an error that no command has reported, with a general remedy."""
    if isinstance(error, MemoryError):
        return UnableError("memory ran out", "record for a shorter time, or allow more memory")
    if isinstance(error, ImportError):
        return UnableError(
            f"a part of stallscope cannot be loaded: {error}",
            "install stallscope again, or in a checkout run ./dev build",
        )
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    message = f"{where}{error.strerror or error}"
    if error.errno in FULL:
        return OutputError(message, "free some space, or set TMPDIR to a directory with space")
    return UnableError(message, "run stallscope doctor")
