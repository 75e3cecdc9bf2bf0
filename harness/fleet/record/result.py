"""The result of `stallscope fleet record`: recorded and failed hosts."""

from stallscope.documents import Amount, Count, Document, Record


class HostRecording(Record, frozen=True, kw_only=True):
    """A host; ``status``: "recorded", "kept" (of an earlier run) or "failed", with a reason."""

    host: str
    status: str
    recording: str | None = None  # None: failed
    samples: Count | None = None
    bytes: Count | None = None
    seconds: Amount | None = None  # None: kept
    error: str = ""


class FleetRecordResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.record/1"):
    """All hosts of a run, in the order of the file."""

    directory: str
    hosts: tuple[HostRecording, ...]

    @property
    def failed(self) -> int:
        """Return the number of failed hosts."""
        return sum(host.status == "failed" for host in self.hosts)
