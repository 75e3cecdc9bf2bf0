"""The HdrHistogram interval log of a watch."""

import time
from collections.abc import Iterator, Mapping

from ioprobe.watch.tally import OPERATIONS
from ioprobe.watch.tracing import WatchMeasurement
from stallscope.histogram_encoding import TaggedHistogram, interval_log

LOG = "latency.hlog"
LOG_FORMAT = "HdrHistogram V2 interval log, ns; a line for each device, direction and latency"


def log_lines(measurement: WatchMeasurement, names: Mapping[int, str]) -> Iterator[str]:
    """Return the log: a histogram for each device, direction and kind of latency."""
    histograms = [
        TaggedHistogram(
            f"{names.get(device, device)}.{OPERATIONS[operation]}.{kind}",
            0.0,
            measurement.seconds,
            counts.histogram(),
        )
        for (device, operation), totals in sorted(measurement.tally.devices.items())
        for kind, counts in (
            ("queue", totals.queue),
            ("device", totals.device),
            ("total", totals.total),
        )
        if counts.count
    ]
    return interval_log(time.time() - measurement.seconds, histograms)
