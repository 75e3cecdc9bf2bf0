"""Ending a child process that may not respond."""

import subprocess
from pathlib import Path

from stallscope.errors import UnableError

TERM_LIMIT_S = 1.5  # from SIGTERM to SIGKILL
KILL_LIMIT_S = 1.0  # from SIGKILL to the error


def end_process(process: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    """End a child that still runs: SIGTERM, after 1.5 s SIGKILL, and after 1 s more UnableError.

    SIGKILL does not end a process that waits in the kernel, for example for a disk that does not
    respond. The error names it.
    """
    if process.poll() is not None:
        return
    process.terminate()
    if _has_ended(process, TERM_LIMIT_S):
        return
    process.kill()
    if _has_ended(process, KILL_LIMIT_S):
        return
    raise UnableError(
        f"process {process.pid} ({_name_of(process.pid)}) does not end after SIGKILL: "
        "it waits in the kernel",
        "look for a disk or a file system that does not respond; the process ends when that does",
    )


def _has_ended(process: "subprocess.Popen[bytes] | subprocess.Popen[str]", limit_s: float) -> bool:
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        return "ended"
