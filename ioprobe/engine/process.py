"""A run of `stallscope-ioqueue`: a plan goes in as JSON, lines of JSON come out until it ends.

A disk that falls silent can keep the program from ending, even after it told its last line: then it
is left to itself, with the requests it has in flight.
"""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from ioprobe.engine.left_processes import leave
from ioprobe.engine.lines import PROGRAM
from stallscope.errors import UnableError
from stallscope.interrupts import ctrl_c_counted
from stallscope.json_fields import Fields
from stallscope.programs import program

# After Ctrl-C the program waits a second for what is in flight, then tells what it has.
INTERRUPTED_S = 5.0
END_S = 1.0  # for its end, once it told its last line
_LOOK_S = 0.5
_LAST = ("end", "error")  # kinds of lines


def told_lines(
    command: str, plan: Mapping[str, object], descriptor: int | None
) -> Iterator[Fields]:
    """Yield what a command of the program tells as it comes; ``descriptor`` is handed down to it.

    The first Ctrl-C goes to the program, which ends in good order; where it tells nothing more
    within INTERRUPTED_S the last line is one of ours, an interrupted end. A second one raises
    KeyboardInterrupt. Closing the iterator ends the program. Raises UnableError where it ended
    otherwise than it should.
    """
    process = subprocess.Popen(
        [str(program(PROGRAM)), "--die-with-parent", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        pass_fds=() if descriptor is None else (descriptor,),
        process_group=0,  # the terminal's Ctrl-C comes by us, once
    )
    run = _Run(process)
    with ExitStack() as stack:
        stack.callback(run.close)
        stack.enter_context(ctrl_c_counted(run.interrupt))
        run.give(plan)
        yield from run.lines()


@dataclass(slots=True)
class _Run:
    """The program while it runs; ``give_up_s``: when it is no longer waited for, of monotonic."""

    process: subprocess.Popen[bytes]
    give_up_s: float | None = None

    def interrupt(self) -> None:
        """Ask it to end in good order."""
        self.give_up_s = time.monotonic() + INTERRUPTED_S
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def give(self, plan: Mapping[str, object]) -> None:
        """Hand it the whole plan."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError), self.process.stdin as stdin:
            left = memoryview(json.dumps(plan).encode())
            while left:
                left = left[stdin.write(left) :]

    def lines(self) -> Iterator[Fields]:
        """Yield its lines up to the last one, and see to its end."""
        for document in self._documents():
            yield Fields(document, PROGRAM)
            if document.get("kind") in _LAST:
                with suppress(subprocess.TimeoutExpired):
                    _check_end(self.process.wait(END_S))
                return
        if self._is_given_up() or self._ended_by_ours(self.process.wait()):
            yield Fields({"kind": "end", "interrupted": True}, PROGRAM)
        else:
            _check_end(self.process.wait())

    def close(self) -> None:
        """Kill it where it did not end; a disk's silence may keep it for longer than we wait."""
        if self.process.poll() is None:
            self.process.kill()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(END_S)
        leave(self.process)

    def _ended_by_ours(self, exit_code: int) -> bool:
        """Return whether Ctrl-C came before the program listened to it."""
        return self.give_up_s is not None and exit_code == -signal.SIGINT

    def _is_given_up(self) -> bool:
        return self.give_up_s is not None and time.monotonic() >= self.give_up_s

    def _documents(self) -> Iterator[dict[str, object]]:
        """Yield what it tells until its output ends, or it is given up."""
        pending = b""
        for part in self._parts():
            *whole, pending = (pending + part).split(b"\n")
            for line in whole:
                with suppress(ValueError):
                    document = json.loads(line)
                    if isinstance(document, dict):
                        yield document

    def _parts(self) -> Iterator[bytes]:
        assert self.process.stdout is not None
        output = self.process.stdout.fileno()
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while not self._is_given_up():
            if poll.poll(_LOOK_S * 1000):
                part = os.read(output, 65536)
                if not part:
                    return
                yield part


def _check_end(exit_code: int) -> None:
    if exit_code < 0:
        raise UnableError(
            f"{PROGRAM} was ended by {signal.Signals(-exit_code).name}",
            "points that were told before are whole; measure the others again",
        )
    if exit_code != 0:
        raise UnableError(f"{PROGRAM} ended with status {exit_code}", "run stallscope doctor")
