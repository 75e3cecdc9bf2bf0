"""A limit on exit latency for as long as a block runs; the kernel takes it back at any end."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from cstates.latency_limit import DEVICE
from stallscope.errors import UnableError
from stallscope.system_files import Roots


@contextmanager
def held_limit(roots: Roots, limit_us: int | None) -> Iterator[None]:
    """Hold the global limit in the block; with None nothing is asked for.

    It lives with the descriptor, which no child inherits: a killed holder leaves nothing behind.
    Four bytes are taken as a binary number, text as a hexadecimal one (kernel/power/qos.c). A
    recorded machine's device is a file, which would not forget: nothing is written to it.
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
