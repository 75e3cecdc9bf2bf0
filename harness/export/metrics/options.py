"""The options of `stallscope export metrics`."""

from enum import StrEnum
from pathlib import Path

from msgspec import Struct


class MetricsFormat(StrEnum):
    """A format of metrics; the value is what --format takes."""

    PROMETHEUS = "prometheus"
    OTLP = "otlp"


class ExportMetricsOptions(Struct, frozen=True, kw_only=True):
    """A recording to export. ``top``: number of functions, threads, groups, locks and causes."""

    run: Path
    output: Path = Path("-")
    file_format: MetricsFormat = MetricsFormat.PROMETHEUS
    top: int = 20
