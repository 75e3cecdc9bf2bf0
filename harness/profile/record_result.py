"""The result of `stallscope record`; apart from that of a profile, which loads numpy."""

from stallscope.documents import UNSET, Count, Document, Record, UnsetType


class FlightRecording(Record, frozen=True, kw_only=True):
    """A recording of the last seconds before a trigger."""

    recording: str
    trigger: str | None  # what happened; None: written at the end of the wait
    trigger_ns: Count | None  # CLOCK_MONOTONIC
    from_ns: Count
    samples: Count
    overwritten_samples: Count


class RecordResult(Document, frozen=True, kw_only=True, tag="stallscope.record/1"):
    """The result of `stallscope record`; of several recordings, the last one."""

    recording: str
    samples: Count
    lost: Count
    complete: bool
    end: str
    target_status: str | None
    flight: tuple[FlightRecording, ...] | UnsetType = UNSET  # set with --flight
