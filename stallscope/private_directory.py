"""Directories that no other user can write to, with files that appear complete or not at all."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from stallscope.output_place import open_place


def cache_directory(name: str) -> Path | None:
    """Return the path of a directory for data cached for this user, None without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        home = os.environ.get("HOME", "")
        if not home.startswith("/"):
            return None
        base = f"{home}/.cache"
    return Path(base) / "stallscope" / name


@contextmanager
def private_directory(path: Path) -> Iterator[int]:
    """Yield a descriptor of a directory of this user, created with mode 0700 if it is missing.

    Raises OSError if the path is a link, if another user owns it or can write to it, or if root
    cannot trust a directory on the way to it.
    """
    with open_place(path.parent) as parent:
        with suppress(FileExistsError):
            os.mkdir(path.name, 0o700, dir_fd=parent)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path.name, flags, dir_fd=parent)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o022:
            raise PermissionError(f"{path}: another user owns it or can write to it")
        yield descriptor
    finally:
        os.close(descriptor)


def write_atomic(
    directory: int, name: str, blocks: Iterable[bytes | memoryview], *, durable: bool = False
) -> None:
    """Write blocks to the file ``name`` (0600), which appears complete or not at all.

    If ``durable`` is set, the file and its name are on the disk when this returns.
    """
    temporary = f".{name}.{os.getpid()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=directory)
    opener = partial(os.open, mode=0o600, dir_fd=directory)
    try:
        with open(temporary, "wb", opener=lambda path, _: opener(path, flags)) as out:
            for block in blocks:
                out.write(block)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
        if durable:
            os.fsync(directory)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=directory)
        raise
