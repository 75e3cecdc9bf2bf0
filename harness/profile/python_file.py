"""The file of Python frames in a recording, before it is read."""

from pathlib import Path

_NO_INTERPRETER_BYTES = 512


def has_no_interpreter(path: Path) -> bool:
    """Return whether the file does not exist, or has a heading and counts only."""
    try:
        if path.is_symlink() or path.stat().st_size > _NO_INTERPRETER_BYTES:
            return False
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return len(lines) == 3 and lines[1].startswith(b'{"counts":') and not lines[2]
