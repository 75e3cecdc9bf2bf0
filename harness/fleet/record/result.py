"""The result of `stallscope fleet record`."""

from stallscope.documents import Amount, Document, Record


class HostRecording(Record, frozen=True, kw_only=True):
    """What became of a host: "recorded", "kept" (from an earlier run) or "failed"."""

    name: str
    destination: str
    status: str
    recording: str | None  # its directory; None if the host failed
    reason: str  # empty unless it failed
    seconds: Amount


class FleetRecordResult(Document, frozen=True, kw_only=True, tag="stallscope.fleet.record/1"):
    """The hosts of a run, in the order of the file."""

    directory: str
    hosts: tuple[HostRecording, ...]
