"""The options of `stallscope export metrics`."""

from enum import StrEnum
from pathlib import Path

from msgspec import Struct


class MetricsFormat(StrEnum):
    """A format of metrics; the value is what --format takes."""

    PROMETHEUS = "prometheus"
    OTLP = "otlp"


class ExportMetricsOptions(Struct, frozen=True, kw_only=True):
    """Recordings, or directories of a fleet, to export.

    ``top``: number of functions, threads, groups, locks and causes of a recording.
    """

    runs: tuple[Path, ...]
    output: Path = Path("-")
    file_format: MetricsFormat = MetricsFormat.PROMETHEUS
    top: int = 20
