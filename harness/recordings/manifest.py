"""The manifest of recordings that commands write, as opposed to the collector's."""

from cstates.fingerprint import Fingerprint
from stallscope.documents import Record
from stallscope.host import Host, read_host
from stallscope.recordings import (
    FORMAT,
    Notice,
    RecordedClocks,
    RecordedEnd,
    RecordedEvent,
    RecordedFile,
    RecordedHost,
    Target,
)


class CommandManifest(Record, frozen=True, kw_only=True):
    """The content of recording.json; ``stallscope.recordings.Manifest`` reads it.

    ``write_manifest`` sets completeness, host and clocks.
    """

    schema: str = f"{FORMAT}/1.0"
    kind: str  # "load", "idle" or "io"
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
