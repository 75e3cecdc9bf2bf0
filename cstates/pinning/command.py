"""Runs the command of a pin: in a process group of its own, which ends with us.

The group has the terminal, where we had it, so that Ctrl-C and Ctrl-Z reach the command as they
would without us; signals sent to us are passed on to it.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from cstates.pinning.process_scope import ProcessScope, die_with_parent
from stallscope.errors import ExitCode, TargetError

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_HEARD = (*_PASSED_ON, signal.SIGCHLD, signal.SIGCONT)
_FIRST_LOOK_S = 0.1
_LOOK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it took; of the CPU with the processes that it waited for."""

    status: int  # 128 and the signal's number where one ended it
    wall_s: float | None = None  # None: it never ran
    cpu_s: float | None = None


@contextmanager
def signals_held() -> Iterator[None]:
    """Let no signal end this process in the body: what is pinned is put back first."""
    former = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    try:
        yield
    finally:
        # Those that came after the command ended have no one left to be passed on to.
        while set(_PASSED_ON) & signal.sigpending():
            signal.sigtimedwait(_PASSED_ON, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def asked_to_end() -> int | None:
    """Return a signal that came while signals were held, and is waiting; None without."""
    waiting = sorted(set(_PASSED_ON) & signal.sigpending())
    return int(waiting[0]) if waiting else None


def run_command(
    command: Sequence[str],
    scope: ProcessScope,
    told: int | None,
    watch: Callable[[], None] | None = None,
) -> Ended:
    """Return how the command ended.

    ``told`` is the guardian's pipe; ``watch`` is called soon after the start and then each second,
    and without it nothing wakes up meanwhile. Signals must be held. Raises TargetError where the
    command cannot start.
    """
    terminal = _our_terminal()
    enter = _entry(scope, told, terminal)
    began = time.monotonic()
    try:
        child = subprocess.Popen(command, preexec_fn=enter)  # noqa: PLW1509 - no threads of ours
    except (OSError, subprocess.SubprocessError) as error:
        if terminal is not None:
            _hand_over(terminal, os.getpgrp())
            os.close(terminal)
        why = getattr(error, "strerror", None) or str(error)
        raise TargetError(
            f"{command[0]}: cannot be run: {why}", "name a program that is there, behind --"
        ) from error
    try:
        status, cpu_s = _wait(child, terminal, watch)
        return Ended(status, time.monotonic() - began, cpu_s)
    finally:
        if terminal is not None:
            if _in_foreground(terminal, child.pid):
                _hand_over(terminal, os.getpgrp())
            os.close(terminal)


def _entry(scope: ProcessScope, told: int | None, terminal: int | None) -> Callable[[], None]:
    """Return what the command's process does before it becomes the command."""
    parent = os.getpid()

    def enter() -> None:
        die_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        os.setpgid(0, 0)
        if told is not None:
            os.write(told, b"command %d\n" % os.getpid())
        if terminal is not None:
            _hand_over(terminal, os.getpid())
        try:
            scope.enter()
        except OSError as error:
            os.write(2, f"stallscope: error: the command's process: {error}\n".encode())
            os._exit(ExitCode.UNABLE)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)

    return enter


def _wait(
    child: subprocess.Popen[bytes], terminal: int | None, watch: Callable[[], None] | None
) -> tuple[int, float]:
    """Return the status and the CPU seconds of a command, when it has ended."""
    patience_s = _FIRST_LOOK_S
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG | os.WUNTRACED)
        if pid and os.WIFSTOPPED(status):
            _stop_along(child, terminal)
            continue
        if pid:
            code = os.waitstatus_to_exitcode(status)
            child.returncode = code
            return code if code >= 0 else 128 - code, usage.ru_utime + usage.ru_stime
        number = _heard(patience_s if watch else None)
        if number is None:
            assert watch is not None
            watch()
            patience_s = _LOOK_EVERY_S
        elif number == signal.SIGCONT:
            _go_on(child, terminal)
        elif number in _PASSED_ON:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, number)


def _heard(patience_s: float | None) -> int | None:
    """Return the next signal; None where none came in time."""
    if patience_s is None:
        return signal.sigwait(_HEARD)
    found = signal.sigtimedwait(_HEARD, patience_s)
    return found.si_signo if found else None


def _stop_along(child: subprocess.Popen[bytes], terminal: int | None) -> None:
    """Stop as the command did at the terminal, by Ctrl-Z, or as it wants it in the background."""
    if terminal is None:
        return
    if _in_foreground(terminal, os.getpgrp()):  # brought there before the command had it
        _go_on(child, terminal)
        return
    if _in_foreground(terminal, child.pid):
        _hand_over(terminal, os.getpgrp())
    os.kill(os.getpid(), signal.SIGSTOP)


def _go_on(child: subprocess.Popen[bytes], terminal: int | None) -> None:
    """Let the command go on when we do: with the terminal, unless we are in its background."""
    if terminal is None:
        return
    if _in_foreground(terminal, os.getpgrp()):
        _hand_over(terminal, child.pid)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGCONT)


def _in_foreground(terminal: int, group: int) -> bool:
    """Return whether a process group is the terminal's."""
    with suppress(OSError):
        return os.tcgetpgrp(terminal) == group
    return False


def _our_terminal() -> int | None:
    """Return the controlling terminal where we are in its foreground; None otherwise."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    if _in_foreground(terminal, os.getpgrp()):
        return terminal
    os.close(terminal)
    return None


def _hand_over(terminal: int, group: int) -> None:
    """Make a process group the terminal's, even from the background."""
    former = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))
    try:
        with suppress(OSError):
            os.tcsetpgrp(terminal, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
