"""A run of `stallscope-ioqueue`: it reads a plan as JSON and prints JSON lines until it ends.

A disk that stops answering can keep the program from ending, even after its last line. The program
is then killed and abandoned, with its requests still in flight.
"""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from ioprobe.engine.abandoned_processes import abandon
from ioprobe.engine.lines import PROGRAM, ProgramLine
from stallscope.documents import Record, decode
from stallscope.errors import RecordingError, UnableError
from stallscope.interrupts import count_interrupts
from stallscope.programs import program

# After Ctrl-C the program waits one second for requests in flight, then prints its results.
INTERRUPT_TIMEOUT_S = 5.0
EXIT_TIMEOUT_S = 1.0  # from the last line to the end of the process
_POLL_S = 0.5
_LAST_KINDS = ("end", "error")


@dataclass(frozen=True, slots=True)
class PhaseObserver:
    """An observer of the program's measured times, which the program marks on a descriptor.

    ``start`` gets the program's pid before the program gets its plan.
    """

    marks: int
    start: Callable[[int], None]


def program_lines(
    command: str,
    plan: Mapping[str, object],
    descriptor: int | None,
    observer: PhaseObserver | None = None,
) -> Iterator[ProgramLine]:
    """Yield the lines of one of the program's commands; the program inherits ``descriptor``.

    The first Ctrl-C is forwarded to the program, which ends cleanly. If it prints nothing more
    within INTERRUPT_TIMEOUT_S, the last line is a synthesized interrupted end. A second Ctrl-C
    raises KeyboardInterrupt. Closing the iterator ends the program. Raises UnableError if the
    program fails.
    """
    arguments = [command] if observer is None else [command, f"--phases={observer.marks}"]
    descriptors = (descriptor, None if observer is None else observer.marks)
    process = subprocess.Popen(
        [str(program(PROGRAM)), "--die-with-parent", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        pass_fds=[number for number in descriptors if number is not None],
        process_group=0,  # so that the terminal's Ctrl-C reaches it through this process only
    )
    run = _ProgramRun(process)
    with ExitStack() as stack:
        stack.callback(run.close)
        stack.enter_context(count_interrupts(run.interrupt))
        if observer is not None:
            observer.start(process.pid)
        run.write_plan(plan)
        yield from run.lines()


class _KindRecord(Record, frozen=True):
    kind: str = ""


@dataclass(slots=True)
class _ProgramRun:
    """The running program; after ``deadline_s`` of the monotonic clock it is not waited for."""

    process: subprocess.Popen[bytes]
    deadline_s: float | None = None

    def interrupt(self) -> None:
        """Send SIGINT and set the deadline for a clean end."""
        self.deadline_s = time.monotonic() + INTERRUPT_TIMEOUT_S
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def write_plan(self, plan: Mapping[str, object]) -> None:
        """Write the whole plan to the program's standard input."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError), self.process.stdin as stdin:
            remaining = memoryview(json.dumps(plan).encode())
            while remaining:
                remaining = remaining[stdin.write(remaining) :]

    def lines(self) -> Iterator[ProgramLine]:
        """Yield the program's lines up to the last one, then check its exit status."""
        for line in self._complete_lines():
            yield line
            if line.kind in _LAST_KINDS:
                with suppress(subprocess.TimeoutExpired):
                    _check_exit(self.process.wait(EXIT_TIMEOUT_S))
                return
        if self._is_past_deadline() or self._ended_by_interrupt(self.process.wait()):
            yield ProgramLine("end", b'{"kind": "end", "interrupted": true}')
        else:
            _check_exit(self.process.wait())

    def close(self) -> None:
        """Kill the program if it runs; a silent disk may keep it alive beyond the wait here."""
        if self.process.poll() is None:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(EXIT_TIMEOUT_S)
        abandon(self.process)

    def _ended_by_interrupt(self, exit_code: int) -> bool:
        """Return whether Ctrl-C arrived before the program had installed its handler."""
        return self.deadline_s is not None and exit_code == -signal.SIGINT

    def _is_past_deadline(self) -> bool:
        return self.deadline_s is not None and time.monotonic() >= self.deadline_s

    def _complete_lines(self) -> Iterator[ProgramLine]:
        """Yield the lines with a kind until the output ends or the deadline passes."""
        pending = b""
        for chunk in self._chunks():
            *complete_lines, pending = (pending + chunk).split(b"\n")
            for line in complete_lines:
                with suppress(RecordingError):
                    yield ProgramLine(decode(line, _KindRecord, PROGRAM).kind, line)

    def _chunks(self) -> Iterator[bytes]:
        assert self.process.stdout is not None
        output = self.process.stdout.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while not self._is_past_deadline():
            if poll.poll(_POLL_S * 1000):
                chunk = os.read(output, 65536)
                if not chunk:
                    return
                yield chunk


def _check_exit(exit_code: int) -> None:
    if exit_code < 0:
        raise UnableError(
            f"{PROGRAM} was ended by {signal.Signals(-exit_code).name}",
            "results printed before are complete; measure the other points again",
        )
    if exit_code != 0:
        raise UnableError(f"{PROGRAM} ended with status {exit_code}", "run stallscope doctor")
