"""The manifest of recordings that commands write, as opposed to the collector's."""

import re
from typing import Annotated, Literal

from msgspec import Meta

from cstates.fingerprint import Fingerprint
from stallscope.documents import Record
from stallscope.host import Host, read_host
from stallscope.recordings import (
    FORMAT,
    MAJOR,
    Notice,
    RecordedClocks,
    RecordedEnd,
    RecordedEvent,
    RecordedFile,
    RecordedHost,
    Target,
)

# Every minor version of the known major version.
RecordingSchema = Annotated[str, Meta(pattern=rf"^{re.escape(FORMAT)}/{MAJOR}\.[0-9]+$")]


class CommandManifest(Record, frozen=True, kw_only=True):
    """The fields that every kind has; ``stallscope.recordings.Manifest`` reads them.

    ``write_manifest`` sets completeness, host and clocks.
    """

    schema: RecordingSchema = f"{FORMAT}/{MAJOR}.0"
    complete: bool = False
    host: RecordedHost | None = None
    clocks: RecordedClocks | None = None
    command: tuple[str, ...]
    target: Target
    source: RecordedEvent
    files: tuple[RecordedFile, ...] = ()
    settings: Fingerprint | None = None  # None: unfinished, in virtual time, or without sysfs
    warnings: tuple[Notice, ...] = ()
    end: RecordedEnd = RecordedEnd()


class LoadManifest(CommandManifest, frozen=True, kw_only=True):
    """The recording.json of a load; its result is load.json."""

    kind: Literal["load"] = "load"


class IdleManifest(CommandManifest, frozen=True, kw_only=True):
    """The recording.json of idle intervals; its result is idle.json."""

    kind: Literal["idle"] = "idle"


class IoManifest(CommandManifest, frozen=True, kw_only=True):
    """The recording.json of a disk measurement; its result is named after the verb."""

    kind: Literal["io"] = "io"


class BenchManifest(CommandManifest, frozen=True, kw_only=True):
    """The recording.json of benchmark runs; the runs are in bench.txt and bench.json."""

    kind: Literal["bench"] = "bench"


def this_host() -> RecordedHost:
    """Return this machine as a recording names it."""
    host: Host = read_host()
    return RecordedHost(
        hostname=host.hostname,
        kernel_release=host.kernel_release,
        kernel_version=host.kernel_version,
        architecture=host.architecture,
        cpu_model=host.cpu_model,
        cpus_online=host.cpus_online,
        memory_bytes=host.memory_bytes,
        boot_id=host.boot_id or "",
        virtualization=host.virtualization,
    )
