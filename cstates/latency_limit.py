"""The limit on exit latency that governors obey, and who asked for it.

The effective limit is the least of the global request, behind /dev/cpu_dma_latency, and the CPU's
own (drivers/cpuidle/governor.c, Documentation/power/pm_qos_interface.rst).
"""

import os
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cstates.sysfs import cpu_folder
from stallscope.system_files import Roots, numbers_in, read_text

DEVICE = "/dev/cpu_dma_latency"
NO_LIMIT_US = 2_000_000_000  # what the kernel tells where nobody asked


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds the device open; what it asked for the kernel does not tell."""

    pid: int
    name: str


@dataclass(frozen=True, slots=True)
class GlobalLimit:
    """The global limit on exit latency and who may have asked for it."""

    limit_us: int | None  # None: no limit, or unknown where ``missing`` says why
    missing: str | None
    holders: tuple[Holder, ...]
    unseen_processes: int  # whose open files this user may not see


def read_global_limit(roots: Roots) -> GlobalLimit:
    """Return the global limit; reading it takes root on a live machine."""
    limit, missing = _read_device(roots.files / DEVICE.removeprefix("/"))
    holders, unseen = _holders(roots)
    return GlobalLimit(limit, missing, holders, unseen)


def _read_device(path: Path) -> tuple[int | None, str | None]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except PermissionError:
        return None, f"{DEVICE} can be read by root only"
    except OSError as error:
        return None, f"{DEVICE} cannot be read: {error.strerror}"
    try:
        kind = os.fstat(descriptor).st_mode
        content = os.read(descriptor, 4) if stat.S_ISCHR(kind) or stat.S_ISREG(kind) else b""
    except OSError as error:
        return None, f"{DEVICE} cannot be read: {error.strerror}"
    finally:
        os.close(descriptor)
    if len(content) != 4:
        return None, f"{DEVICE} gave {len(content)} bytes instead of 4"
    value: int = struct.unpack("=i", content)[0]
    return (None if value >= NO_LIMIT_US or value < 0 else value), None


def _holders(roots: Roots) -> tuple[tuple[Holder, ...], int]:
    """Return the processes that hold the device open, and how many cannot be looked at."""
    found: list[Holder] = []
    unseen = 0
    for pid in numbers_in(roots.proc, ""):
        folder = roots.proc / str(pid)
        try:
            descriptors = tuple((folder / "fd").iterdir())
        except PermissionError:
            unseen += 1
            continue
        except OSError:  # it ended meanwhile
            continue
        if any(_points_to_device(descriptor) for descriptor in descriptors):
            found.append(Holder(pid, read_text(folder / "comm", 64) or "?"))
    return tuple(found), unseen


def _points_to_device(path: Path) -> bool:
    with suppress(OSError):
        return str(path.readlink()) == DEVICE
    return False


def cpu_latency_limit_us(roots: Roots, cpu: int) -> int | None:
    """Return a CPU's own limit from pm_qos_resume_latency_us; None where it has none.

    The file's "n/a" is the strictest, 0; its "0" is no limit.
    """
    text = read_text(cpu_folder(roots, cpu) / "power" / "pm_qos_resume_latency_us", 64)
    if text == "n/a":
        return 0
    if text is None or not (text.isascii() and text.isdecimal()):
        return None
    return int(text) or None


def effective_limit_us(*limits_us: int | None) -> int | None:
    """Return the least of limits, None being no limit."""
    return min((limit for limit in limits_us if limit is not None), default=None)
