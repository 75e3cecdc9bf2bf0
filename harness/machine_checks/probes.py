"""Tests of what the kernel permits: the collector's test events, and one system call."""

import errno
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.documents import Document, Record, decode
from stallscope.errors import StallscopeError

TIMEOUT_S = 0.8  # opening about twenty events takes 1 ms; doctor must not hang
IO_URING_SETUP = 425  # the same number on all architectures


@dataclass(frozen=True, slots=True)
class Probe:
    """A test; ``error`` is the name of the errno, empty if it succeeded."""

    ok: bool
    error: str
    detail: str


@dataclass(frozen=True, slots=True)
class EventProbes:
    """Tests by name; ``missing`` is the reason for having none."""

    results: dict[str, Probe] = field(default_factory=dict)
    missing: str = ""

    def get(self, name: str) -> Probe | None:
        """Return the test of that name, or None."""
        return self.results.get(name)


class ProbeRow(Record, frozen=True, kw_only=True):
    """A test in the collector's document."""

    name: str
    ok: bool
    errno: str | int | None = None
    detail: str = ""


class ProbeDocument(Document, frozen=True, kw_only=True, tag="stallscope.probe/1"):
    """What ``stallscope-collect --probe`` prints."""

    probes: tuple[ProbeRow, ...]


def probe_events(collector: Path) -> EventProbes:
    """Return the tests that ``stallscope-collect --probe`` makes; it leaves nothing open."""
    try:
        run = subprocess.run(
            [collector, "--probe"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        return EventProbes(missing=f"{collector} is missing")
    except subprocess.TimeoutExpired:
        return EventProbes(missing=f"{collector} --probe did not end within {TIMEOUT_S} s")
    except OSError as error:
        return EventProbes(missing=f"{collector} does not start: {error.strerror}")
    if run.returncode != 0:
        return EventProbes(missing=f"{collector} --probe ended with status {run.returncode}")
    return decode_probes(run.stdout, str(collector))


def decode_probes(text: bytes | str, source: str) -> EventProbes:
    """Return the tests of a document; an invalid document has none."""
    try:
        document = decode(text, ProbeDocument, source)
    except StallscopeError as error:
        return EventProbes(missing=f"{error.message} (expected a stallscope.probe/1 document)")
    return EventProbes({row.name: _probe(row) for row in document.probes})


def _probe(row: ProbeRow) -> Probe:
    error = row.errno
    if isinstance(error, int):
        error = errno.errorcode.get(error, "")
    return Probe(row.ok, error or "", row.detail)


def probe_io_uring() -> str:
    """Return the name of the errno of an io_uring_setup call that cannot succeed.

    EFAULT shows that this process may set up rings, because the kernel checks the missing
    parameters last.
    """
    import ctypes  # noqa: PLC0415 - start-up stays light

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(ctypes.c_long(IO_URING_SETUP), ctypes.c_long(1), ctypes.c_void_p(None))
    return errno.errorcode.get(ctypes.get_errno(), "")
