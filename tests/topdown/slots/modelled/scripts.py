"""Programs that stand in for valgrind and objdump."""

from pathlib import Path


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path
