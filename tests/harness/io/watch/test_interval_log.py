"""The interval log of a watch."""

from pathlib import Path

from harness.io.watch.interval_log import log_lines
from stallscope.histograms import read_interval_log
from tests.harness.io.watch.watches import DISK, watch_of_events


def test_the_log_has_a_line_per_device_direction_and_latency(tmp_path: Path) -> None:
    path = tmp_path / "latency.hlog"
    path.write_text("".join(log_lines(watch_of_events(tmp_path), {DISK: "sda"})))
    tags = [line.split(",")[0] for line in path.read_text().splitlines() if line.startswith("Tag=")]
    assert tags == [
        "Tag=sda.read.queue",
        "Tag=sda.read.device",
        "Tag=sda.read.total",
        "Tag=sda.write.device",
        "Tag=sda.write.total",
    ]
    totals = [interval.histogram.total for interval in read_interval_log(path).intervals]
    assert totals == [100, 100, 100, 1, 1]
