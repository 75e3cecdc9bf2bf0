"""What the kernel answers when asked: the collector's trial events, and one system call."""

import errno
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from stallscope.errors import StallscopeError
from stallscope.json_fields import Fields

SCHEMA = "stallscope.probe/1"
TIMEOUT_S = 0.8  # opening some twenty events takes 1 ms; doctor must not hang
IO_URING_SETUP = 425  # the same number on every architecture


@dataclass(frozen=True, slots=True)
class Probe:
    """One trial: ``error`` is the errno's name, empty where it succeeded."""

    ok: bool
    error: str
    detail: str


@dataclass(frozen=True, slots=True)
class EventProbes:
    """Trials by name; where none could be made, why."""

    results: dict[str, Probe] = field(default_factory=dict)
    missing: str = ""

    def get(self, name: str) -> Probe | None:
        """Return the trial of that name; None where it was not made."""
        return self.results.get(name)


def probe_events(collector: Path) -> EventProbes:
    """Return the trials that ``stallscope-collect --probe`` makes; it leaves nothing open."""
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
        return EventProbes(missing=f"{collector} --probe gave no answer in {TIMEOUT_S} s")
    except OSError as error:
        return EventProbes(missing=f"{collector} does not start: {error.strerror}")
    if run.returncode != 0:
        return EventProbes(missing=f"{collector} --probe ended with status {run.returncode}")
    return decode_probes(run.stdout, str(collector))


def decode_probes(document: bytes | str, where: str) -> EventProbes:
    """Return the trials of a probe document; one that is not as it must be has none."""
    try:
        values = json.loads(document)
        fields = Fields(values if isinstance(values, dict) else {}, where)
        if fields.text("schema", "") != SCHEMA:
            return EventProbes(missing=f"{where} answered no {SCHEMA} document")
        return EventProbes(
            {probe.text("name"): _probe(probe) for probe in fields.objects("probes")}
        )
    except (ValueError, RecursionError, StallscopeError) as error:
        return EventProbes(missing=f"{where} answered no {SCHEMA} document: {error}")


def _probe(fields: Fields) -> Probe:
    error = fields.values.get("errno")
    return Probe(
        ok=fields.boolean("ok"),
        error=error
        if isinstance(error, str)
        else errno.errorcode.get(error, "")
        if isinstance(error, int)
        else "",
        detail=fields.text("detail", ""),
    )


def probe_io_uring() -> str:
    """Return the errno's name of an io_uring_setup that cannot succeed.

    EFAULT says that this process may set up rings: the missing parameters are looked at last.
    """
    import ctypes  # noqa: PLC0415 - start-up stays light

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(ctypes.c_long(IO_URING_SETUP), ctypes.c_long(1), ctypes.c_void_p(None))
    return errno.errorcode.get(ctypes.get_errno(), "")
