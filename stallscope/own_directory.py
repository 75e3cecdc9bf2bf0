"""Directories of our own: nobody else may write there, and files appear in them whole."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path


@contextmanager
def own_directory(path: Path) -> Iterator[int]:
    """Yield a descriptor of an own directory, made 0700 where there is none.

    Raises OSError where it is a link, or belongs to or may be written by another user.
    """
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o022:
            raise PermissionError(f"{path}: belongs to, or may be written by, another user")
        yield descriptor
    finally:
        os.close(descriptor)


def write_whole(
    directory: int, name: str, blocks: Iterable[bytes | memoryview], *, durable: bool = False
) -> None:
    """Write blocks to ``name`` in the directory, 0600; the file is there whole, or not at all.

    A durable one has reached the disk when this returns, and so has its name.
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
