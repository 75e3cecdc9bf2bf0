"""A filesystem in compressed memory, for machines without a fast disk."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

CONTROL = Path("/sys/class/zram-control")


@contextmanager
def zram_disk(size_bytes: int, folder: Path) -> Iterator[Path | None]:
    """Yield a folder on a new zram device; None if the kernel offers none.

    Use a file, not the device: io_uring passes requests for a raw zram device to worker threads,
    because its driver may block, while ext4 submits them itself.
    """
    try:
        number = int((CONTROL / "hot_add").read_text())
    except OSError:
        yield None
        return
    block, device = Path(f"/sys/block/zram{number}"), f"/dev/zram{number}"
    try:
        (block / "disksize").write_text(str(size_bytes))
        subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", device], check=True)
        subprocess.run(["mount", device, folder], check=True)
        try:
            yield folder
        finally:
            _unmount(folder)
    finally:
        (block / "reset").write_text("1")
        (CONTROL / "hot_remove").write_text(str(number))


def _unmount(folder: Path) -> None:
    """Unmount; the kernel releases io_uring rings some time after their process has ended."""
    for _ in range(50):
        if subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0:
            return
        sleep(0.1)
    raise RuntimeError(f"{folder} stays busy")
