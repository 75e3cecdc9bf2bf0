"""A run of `stallscope-ioqueue`: a plan goes in as JSON, lines of JSON come out until it ends."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import IO

from ioprobe.engine_lines import PROGRAM
from stallscope.errors import UnableError
from stallscope.interrupts import ctrl_c_counted
from stallscope.json_fields import Fields
from stallscope.programs import program


def told_lines(
    command: str, plan: Mapping[str, object], descriptor: int | None
) -> Iterator[Fields]:
    """Yield what a command of the program tells as it comes; ``descriptor`` is handed down to it.

    The first Ctrl-C goes to the program, which ends in good order; a second one raises
    KeyboardInterrupt. Closing the iterator ends the program. Raises UnableError where it ended
    otherwise than it should.
    """
    process = subprocess.Popen(
        [str(program(PROGRAM)), "--die-with-parent", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=() if descriptor is None else (descriptor,),
        process_group=0,  # the terminal's Ctrl-C comes by us, once
    )
    with ExitStack() as stack:
        stack.callback(_end, process)
        if threading.current_thread() is threading.main_thread():
            stack.enter_context(ctrl_c_counted(lambda: _interrupt(process)))
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(json.dumps(plan).encode())
        yield from _lines(process.stdout)
        _check_end(process.wait())


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)


def _end(process: subprocess.Popen[bytes]) -> None:
    """See that the process is gone: at once where it was not done."""
    if process.poll() is None:
        process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _check_end(exit_code: int) -> None:
    if exit_code < 0:
        raise UnableError(
            f"{PROGRAM} was ended by {signal.Signals(-exit_code).name}",
            "points that were told before are whole; measure the others again",
        )
    if exit_code != 0:
        raise UnableError(f"{PROGRAM} ended with status {exit_code}", "run stallscope doctor")


def _lines(told: IO[bytes]) -> Iterator[Fields]:
    for raw in told:
        try:
            document = json.loads(raw)
        except ValueError:
            continue  # a line cut off by the process's death; the exit code tells
        yield Fields(document if isinstance(document, dict) else {}, PROGRAM)
