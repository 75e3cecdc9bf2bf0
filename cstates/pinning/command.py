"""Runs the command of a pin in its own process group, which ends with this process.

If this process has the terminal, the group gets it, so that Ctrl-C and Ctrl-Z reach the command as
usual. Signals sent to this process are forwarded to the group.
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
from stallscope.process_group import start_ticks

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_WAITED_FOR = (*_FORWARDED, signal.SIGCHLD, signal.SIGCONT)
_FIRST_WATCH_S = 0.1
_WATCH_INTERVAL_S = 1.0
# The kernel may pass SIGCHLD to another thread, which drops it: so the end is checked now and then.
_CHECK_INTERVAL_S = 5.0


@dataclass(frozen=True, slots=True)
class CommandExit:
    """A command's status and times; the CPU time includes the children it waited for."""

    status: int  # 128 plus the signal's number if a signal ended it
    wall_s: float | None = None  # None: it never ran
    cpu_s: float | None = None


@contextmanager
def signals_held() -> Iterator[None]:
    """Block signals in the body, so that settings are restored before this process ends."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)
    try:
        yield
    finally:
        # Signals that came after the command ended have no process to be forwarded to.
        while set(_FORWARDED) & signal.sigpending():
            signal.sigtimedwait(_FORWARDED, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def pending_end_signal() -> int | None:
    """Return a signal that was sent while signals were held, or None."""
    pending = sorted(set(_FORWARDED) & signal.sigpending())
    return int(pending[0]) if pending else None


def run_command(
    command: Sequence[str],
    scope: ProcessScope,
    guardian_pipe: int | None,
    watch: Callable[[], None] | None = None,
) -> CommandExit:
    """Return how the command ended.

    ``watch`` is called soon after the start and then every second; without it this process wakes
    up only every five seconds. Signals must be held. Raises TargetError if the command cannot
    start.
    """
    terminal = _foreground_terminal()
    enter = _child_setup(scope, guardian_pipe, terminal)
    begin_s = time.monotonic()
    try:
        child = subprocess.Popen(command, preexec_fn=enter)  # noqa: PLW1509 - no other threads
    except (OSError, subprocess.SubprocessError) as error:
        if terminal is not None:
            _set_foreground(terminal, os.getpgrp())
            os.close(terminal)
        reason = getattr(error, "strerror", None) or str(error)
        raise TargetError(
            f"cannot run {command[0]}: {reason}", "name an existing program after --"
        ) from error
    try:
        status, cpu_s = _wait(child, terminal, watch)
        return CommandExit(status, time.monotonic() - begin_s, cpu_s)
    finally:
        if terminal is not None:
            if _in_foreground(terminal, child.pid):
                _set_foreground(terminal, os.getpgrp())
            os.close(terminal)


def _child_setup(
    scope: ProcessScope, guardian_pipe: int | None, terminal: int | None
) -> Callable[[], None]:
    """Return the function that the command's process calls before exec."""
    parent = os.getpid()

    def enter() -> None:
        die_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        os.setpgid(0, 0)
        if guardian_pipe is not None:
            os.write(guardian_pipe, b"group %d %d\n" % (os.getpid(), start_ticks(os.getpid())))
        if terminal is not None:
            _set_foreground(terminal, os.getpid())
        try:
            scope.enter()
        except OSError as error:
            os.write(2, f"stallscope: error: the command's process: {error}\n".encode())
            os._exit(ExitCode.UNABLE)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WAITED_FOR)

    return enter


def _wait(
    child: subprocess.Popen[bytes], terminal: int | None, watch: Callable[[], None] | None
) -> tuple[int, float]:
    """Return the status and the CPU seconds of a command after it has ended."""
    timeout_s = _FIRST_WATCH_S
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG | os.WUNTRACED)
        if pid and os.WIFSTOPPED(status):
            _stop_with_child(child, terminal)
            continue
        if pid:
            code = os.waitstatus_to_exitcode(status)
            child.returncode = code
            return code if code >= 0 else 128 - code, usage.ru_utime + usage.ru_stime
        number = _next_signal(timeout_s if watch else _CHECK_INTERVAL_S)
        if number is None and watch is not None:
            watch()
            timeout_s = _WATCH_INTERVAL_S
        elif number == signal.SIGCONT:
            _continue_child(child, terminal)
        elif number in _FORWARDED:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, number)


def _next_signal(timeout_s: float) -> int | None:
    """Return the next signal; None after the timeout."""
    info = signal.sigtimedwait(_WAITED_FOR, timeout_s)
    return info.si_signo if info else None


def _stop_with_child(child: subprocess.Popen[bytes], terminal: int | None) -> None:
    """Stop this process after the command stopped, by Ctrl-Z or for using the terminal."""
    if terminal is None:
        return
    if _in_foreground(terminal, os.getpgrp()):  # moved there before the command had the terminal
        _continue_child(child, terminal)
        return
    if _in_foreground(terminal, child.pid):
        _set_foreground(terminal, os.getpgrp())
    if signal.SIGCONT in signal.sigpending():  # stopping now would discard it
        return
    os.kill(os.getpid(), signal.SIGSTOP)


def _continue_child(child: subprocess.Popen[bytes], terminal: int | None) -> None:
    """Continue the command, with the terminal unless this process is in the background."""
    if terminal is None:
        return
    if _in_foreground(terminal, os.getpgrp()):
        _set_foreground(terminal, child.pid)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGCONT)


def _in_foreground(terminal: int, group: int) -> bool:
    """Return whether a process group is the terminal's foreground group."""
    with suppress(OSError):
        return os.tcgetpgrp(terminal) == group
    return False


def _foreground_terminal() -> int | None:
    """Return the controlling terminal if this process is in its foreground, or None."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    if _in_foreground(terminal, os.getpgrp()):
        return terminal
    os.close(terminal)
    return None


def _set_foreground(terminal: int, group: int) -> None:
    """Make a process group the terminal's foreground group, even from the background."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))
    try:
        with suppress(OSError):
            os.tcsetpgrp(terminal, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
