"""What all results of a fleet share."""

from stallscope.documents import Record


class MissingPart(Record, frozen=True, kw_only=True):
    """A recording, or its part of the data set, that the result lacks, and why."""

    part: str
    error: str
