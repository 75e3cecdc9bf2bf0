"""The guest's file system: a cpio archive (newc) that the kernel unpacks into memory.

Format: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
"""

from pathlib import Path, PurePosixPath

_DIRECTORY = 0o040755
_EXECUTABLE = 0o100755


def build_initramfs(files: dict[str, bytes]) -> bytes:
    """Return the archive of executable files by absolute path, with the directories they need."""
    directories = {
        str(parent)
        for name in files
        for parent in PurePosixPath(name).parents
        if str(parent) != "/"
    }
    entries = [(name, _DIRECTORY, b"") for name in sorted(directories)]
    entries += [(name, _EXECUTABLE, content) for name, content in sorted(files.items())]
    parts = [
        _entry(number, name.lstrip("/"), mode, content)
        for number, (name, mode, content) in enumerate(entries, start=1)
    ]
    return b"".join([*parts, _entry(0, "TRAILER!!!", 0, b"")])


def read_all(paths: dict[str, Path]) -> dict[str, bytes]:
    """Return the contents of files by path in the guest."""
    return {name: path.read_bytes() for name, path in paths.items()}


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    encoded = name.encode() + b"\0"
    links = 2 if mode == _DIRECTORY else 1
    # ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor,
    # namesize, check
    fields = (number, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return _padded(header + encoded) + _padded(content)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
