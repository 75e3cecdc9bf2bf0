"""The limit on exit latency that governors obey: reading it, its holders, and holding one.

The effective limit is the lesser of the global request, behind /dev/cpu_dma_latency, and the CPU's
own limit (drivers/cpuidle/governor.c, Documentation/power/pm_qos_interface.rst).
"""

import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cstates.sysfs import cpu_folder
from stallscope.documents import Integer
from stallscope.errors import UnableError
from stallscope.system_files import Roots, numbers_in, read_text

DEVICE = "/dev/cpu_dma_latency"
NO_LIMIT_US = 2_000_000_000  # the kernel's value if no process requested a limit


@dataclass(frozen=True, slots=True)
class LimitHolder:
    """A process that has the device open; the kernel does not report which limit it requested."""

    pid: Integer
    name: str


@dataclass(frozen=True, slots=True)
class GlobalLimit:
    """The global limit on exit latency, and the processes that may have requested it."""

    limit_us: int | None  # None: no limit, or unknown if ``missing`` gives a reason
    missing: str | None
    holders: tuple[LimitHolder, ...]
    unseen_processes: int  # number of processes whose open files this user may not list


def read_global_limit(roots: Roots) -> GlobalLimit:
    """Return the global limit; reading it on a live machine needs root."""
    limit_us, missing = _read_device(roots.files / DEVICE.removeprefix("/"))
    holders, unseen = _holders(roots)
    return GlobalLimit(limit_us, missing, holders, unseen)


def _read_device(path: Path) -> tuple[int | None, str | None]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except PermissionError:
        return None, f"{DEVICE} can be read by root only"
    except OSError as error:
        return None, f"{DEVICE} cannot be read: {error.strerror}"
    try:
        mode = os.fstat(descriptor).st_mode
        content = os.read(descriptor, 4) if stat.S_ISCHR(mode) or stat.S_ISREG(mode) else b""
    except OSError as error:
        return None, f"{DEVICE} cannot be read: {error.strerror}"
    finally:
        os.close(descriptor)
    if len(content) != 4:
        return None, f"{DEVICE} gave {len(content)} bytes instead of 4"
    limit_us: int = struct.unpack("=i", content)[0]
    return (None if limit_us >= NO_LIMIT_US or limit_us < 0 else limit_us), None


def _holders(roots: Roots) -> tuple[tuple[LimitHolder, ...], int]:
    """Return the processes that have the device open, and the number that cannot be inspected."""
    holders: list[LimitHolder] = []
    unseen = 0
    for pid in numbers_in(roots.proc, ""):
        folder = roots.proc / str(pid)
        try:
            descriptors = tuple((folder / "fd").iterdir())
        except PermissionError:
            unseen += 1
            continue
        except OSError:  # the process has ended
            continue
        if any(_points_to_device(descriptor) for descriptor in descriptors):
            holders.append(LimitHolder(pid, read_text(folder / "comm", 64) or "?"))
    return tuple(holders), unseen


def _points_to_device(path: Path) -> bool:
    with suppress(OSError):
        return str(path.readlink()) == DEVICE
    return False


def cpu_latency_limit_us(roots: Roots, cpu: int) -> int | None:
    """Return a CPU's own limit from pm_qos_resume_latency_us; None if it has none.

    The file's "n/a" is the strictest limit, 0; its "0" is no limit.
    """
    text = read_text(cpu_folder(roots, cpu) / "power" / "pm_qos_resume_latency_us", 64)
    if text == "n/a":
        return 0
    if text is None or not (text.isascii() and text.isdecimal()):
        return None
    return int(text) or None


def effective_limit_us(*limits_us: int | None) -> int | None:
    """Return the least of the limits; None is no limit."""
    return min((limit for limit in limits_us if limit is not None), default=None)


@contextmanager
def held_limit(roots: Roots, limit_us: int | None) -> Iterator[None]:
    """Hold a global limit while the block runs; None requests nothing.

    The request lives as long as the descriptor, which children do not inherit, so that the kernel
    withdraws it even if the holder is killed. The device takes four bytes as a binary number and
    text as a hexadecimal one (kernel/power/qos.c). The device of a recorded machine is a file that
    would keep the value, so nothing is written to it.
    """
    if limit_us is None:
        yield
        return
    try:
        flags = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(roots.files / DEVICE.removeprefix("/"), flags)
    except OSError as error:
        raise UnableError(
            f"cannot hold a latency limit: {DEVICE}: {error.strerror}", "run as root"
        ) from error
    try:
        if roots.is_live:
            os.write(descriptor, struct.pack("=i", limit_us))
        yield
    finally:
        os.close(descriptor)
