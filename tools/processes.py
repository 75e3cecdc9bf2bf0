"""The processes of a stage: how they start, what they are, and how all of them end.

A stage runs in a separate session. Its processes carry a mark in their environment, so that they
are recognized after they changed session or lost their parent.
"""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MARK = "STALLSCOPE_STAGE"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LONGEST_COMMAND = 150  # characters


@dataclass(frozen=True)
class Process:
    """One live process."""

    pid: int
    parent: int
    command: str

    def shortened(self) -> str:
        """The pid, the program and the end of its command line, where compilers name the source."""
        if len(self.command) <= LONGEST_COMMAND:
            return f"{self.pid} {self.command}"
        program = Path(self.command.split(" ", 1)[0]).name
        return f"{self.pid} {program} ... {self.command[-LONGEST_COMMAND + 30 :]}"


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose parent ends first."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _child_setup(niceness: int) -> Callable[[], None]:
    prctl = ctypes.CDLL(None).prctl

    def set_up() -> None:
        # nohup and background shells leave these signals ignored; tests send and expect them.
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        os.nice(niceness)

    return set_up


def start(
    command: Sequence[str],
    mark: str,
    output: IO[bytes],
    *,
    niceness: int = 0,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command in a new session, without standard input, with default signal handlers."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_child_setup(niceness),  # noqa: PLW1509 - this process has one thread
        env={**os.environ, **(environment or {}), MARK: mark},
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # the process ended meanwhile, or belongs to another user
        return b""


def live() -> dict[int, Process]:
    """The live processes of this machine by pid, without zombies."""
    processes = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        status = _read(entry / "stat").rpartition(b") ")[2].split()
        if len(status) < 2 or status[0] in (b"Z", b"X"):
            continue
        words = _read(entry / "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
        processes[int(entry.name)] = Process(int(entry.name), int(status[1]), words)
    return processes


def of_stage(mark: str, root: int) -> list[Process]:
    """The live processes of a stage: descendants of its root, and all that carry its mark."""
    processes = live()
    marked = f"{MARK}={mark}".encode()
    members = {
        pid
        for pid in processes
        if pid == root or marked in _read(Path(f"/proc/{pid}/environ")).split(b"\0")
    }
    members.discard(os.getpid())
    grew = True
    while grew:
        children = {
            pid for pid, process in processes.items() if process.parent in members
        } - members
        members |= children
        grew = bool(children)
    return [processes[pid] for pid in sorted(members) if pid in processes]


def reap_orphans(roots: set[int]) -> None:
    """Collect the status of adopted children that ended; roots are collected by their Popen."""
    children = _read(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")).split()
    for pid in map(int, children):
        if pid not in roots:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                continue


def poll_cpu_s(root: subprocess.Popen[bytes]) -> float | None:
    """Poll a stage's root; the CPU seconds of it and its collected descendants if it ended now."""
    if root.returncode is not None:
        return None
    try:
        pid, status, usage = os.wait4(root.pid, os.WNOHANG)
    except ChildProcessError:
        return None
    if pid == 0:
        return None
    root.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def end_all(
    mark: str, root: subprocess.Popen[bytes], *, other_roots: set[int], grace_s: float = 2.0
) -> list[Process]:
    """End every process of a stage: SIGTERM, then SIGKILL after the grace period.

    Returns the processes that survived 10 s of SIGKILL (in uninterruptible sleep), usually none.
    """
    begin = time.monotonic()
    while processes := of_stage(mark, root.pid):
        elapsed_s = time.monotonic() - begin
        if elapsed_s > grace_s + 10:
            return processes
        number = signal.SIGTERM if elapsed_s < grace_s else signal.SIGKILL
        for process in processes:
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                continue
        time.sleep(0.05)
        root.poll()
        reap_orphans({root.pid, *other_roots})
    root.poll()
    return []
