"""Cgroups of the processes that ran while the target was runnable, read when a recording ends.

The recorder does not follow other processes, so their cgroups are read once, from /proc, and kept
in the recording. A process that has ended by then has no cgroup.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from harness.cli.outputs import write_whole
from stallscope.documents import Count, Record, encode, read_bounded
from stallscope.errors import RecordingError, StallscopeError

FILE = "neighbours.jsonl"
MAX_NEIGHBOURS = 50
_MAX_BYTES = 64 << 10


class Neighbour(Record, frozen=True, kw_only=True):
    """A process beside the target."""

    pid: Count
    cgroup: str


def keep_neighbours(recording: Path, pids: Iterable[int], proc: Path = Path("/proc")) -> None:
    """Write the cgroups of processes into a recording; those that have ended are left out."""
    rows = []
    for pid in list(dict.fromkeys(pids))[:MAX_NEIGHBOURS]:
        cgroup = cgroup_of(pid, proc)
        if cgroup is not None:
            rows.append(encode(Neighbour(pid=pid, cgroup=cgroup)) + "\n")
    write_whole(recording / FILE, rows)


def read_neighbours(recording: Path) -> Mapping[int, str]:
    """Return the kept cgroups by process; empty if there are none, or the file is damaged."""
    try:
        if not (recording / FILE).exists():
            return {}
        text = read_bounded(recording / FILE)
        rows = [msgspec.json.decode(line, type=Neighbour) for line in text.splitlines()]
    except (OSError, RecordingError, StallscopeError, msgspec.MsgspecError):
        return {}
    return {row.pid: row.cgroup for row in rows}


def cgroup_of(pid: int, proc: Path = Path("/proc")) -> str | None:
    """Return the cgroup that limits a process's CPU time, None if the process has ended."""
    try:
        with (proc / str(pid) / "cgroup").open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    paths = {}
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for controller in controllers.split(","):
            paths[controller] = path
    return paths.get("cpu", paths.get(""))
