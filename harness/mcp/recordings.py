"""The directory of a server's recordings, held open so that nothing can redirect it.

The directory must belong to this user and be writable by no one else, so that between a check and
a use no other user can put a symbolic link there. Commands run in the directory itself, through
its descriptor, and see names without slashes only.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stallscope.errors import OutputError, RecordingError, UsageError
from stallscope.output_place import check_own_directory, make_output_directory, open_place


class RecordingsDirectory:
    """An open directory with recordings."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._count = 0

    @property
    def path(self) -> str:
        """Return a path that leads to the directory even if it was renamed."""
        return f"/proc/self/fd/{self._descriptor}"

    def new_name(self, pid: int, requested: str | None) -> str:
        """Return the name of a new recording. Raises UsageError if it exists."""
        if requested is not None:
            if self._exists(requested):
                raise UsageError(f"{requested} exists", "use another name")
            return requested
        while True:
            self._count += 1
            name = f"pid{pid}-{self._count}"
            if not self._exists(name):
                return name

    def check_recording(self, name: str) -> None:
        """Raise RecordingError unless this is a directory here, and not a link."""
        try:
            status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except OSError as error:
            raise RecordingError(
                f"there is no recording {name}: {error.strerror}",
                f"recordings: {', '.join(self.names()[:20]) or 'none yet; call record first'}",
            ) from error
        if not stat.S_ISDIR(status.st_mode):
            raise RecordingError(f"{name} is not a directory", "name a recording")

    def names(self) -> list[str]:
        """Return the names of directories here, the newest first."""
        with os.scandir(self._descriptor) as entries:
            folders = [
                (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
            ]
        return [name for _, name in sorted(folders, reverse=True)]

    def _exists(self, name: str) -> bool:
        try:
            os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True


@contextmanager
def open_recordings(path: Path) -> Iterator[RecordingsDirectory]:
    """Yield the directory, created if it does not exist.

    Raises OutputError if other users could change it or it cannot be created.
    """
    try:
        with suppress(FileExistsError):
            make_output_directory(path.absolute())
        with open_place(path.absolute()) as place:
            descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=place)
            try:
                check_own_directory(descriptor, str(path))
                yield RecordingsDirectory(descriptor)
            finally:
                os.close(descriptor)
    except OSError as error:
        raise OutputError(
            f"{path} cannot hold recordings: {error.strerror}",
            "name a directory that belongs to you and that others cannot write to",
        ) from error
