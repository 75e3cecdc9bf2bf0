"""Files that JIT compilers write about their code: their limits, and which of them are trusted.

A file is opened below the process's root directory, under the PID of its namespace. It must be a
regular file that belongs to the process's user or to root; only root's links are followed.
"""

from pathlib import Path

from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
)

MAP_LIMIT = 128 << 20
MAX_LINES = 2 << 20


def open_owned(root: Path, path: bytes, owner: int) -> RegularFile:
    """Return a file below ``root`` that belongs to ``owner`` or root; raises RefusedFileError."""
    file = open_in_root(root, path, link_owners=frozenset({0}))
    if file.status.st_uid not in {0, owner}:
        file.close()
        raise RefusedFileError(
            f"{file.name}: belongs to user {file.status.st_uid}, not to the process's user or root"
        )
    return file


def process_identity(pid: int, proc: Path) -> tuple[int, int]:
    """Return a process's PID in its own namespace, and its user id."""
    inner_pid, owner = pid, -1
    try:
        status = (proc / str(pid) / "status").read_bytes()
        for line in status.split(b"\n"):
            key, _, value = line.partition(b":")
            if key == b"NSpid":
                inner_pid = int(value.split()[-1])
            elif key == b"Uid":
                owner = int(value.split()[1])
    except FileNotFoundError as error:
        raise MissingFileError(f"process {pid}: has ended") from error
    except (OSError, ValueError, IndexError) as error:
        raise RefusedFileError(f"process {pid}: cannot read its status") from error
    return inner_pid, owner


def open_jit_map(pid: int, proc: Path) -> RegularFile:
    """Return the map that a live process wrote; raises RefusedFileError if not trusted."""
    inner_pid, owner = process_identity(pid, proc)
    return open_owned(proc / str(pid) / "root", b"tmp/perf-%d.map" % inner_pid, owner)
