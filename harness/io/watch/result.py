"""The result of `stallscope io watch`: requests by device, process and size, and over time."""

import errno
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from harness.recordings.results import RecordedResult
from ioprobe.engine.points import Latency
from ioprobe.watch.devices import WatchedDevice
from ioprobe.watch.histograms import row_edges_ns
from ioprobe.watch.processes import UNKNOWN
from ioprobe.watch.tally import OPERATIONS, OTHERS, DeviceOperation, RequestTotals
from ioprobe.watch.tracing import WatchMeasurement, WatchScope
from stallscope.documents import Amount, Count, Integer, Record

MAX_ROWS = 100_000
MAX_CELLS = 1_000_000
_MAX_NS = 2**62
LatencyBucket = tuple[Count, Count, Count]  # lower bound in ns, upper bound in ns, count


class WatchFilter(Record, frozen=True, kw_only=True):
    """The devices and processes to watch; all if empty."""

    devices: tuple[str, ...] = ()
    pids: tuple[Count, ...] = ()


class KernelCounts(Record, frozen=True, kw_only=True):
    """Requests of a device by the kernel's own counters."""

    reads: Count
    read_merges: Count
    writes: Count  # including flushes
    write_merges: Count


class DeviceSummary(Record, frozen=True, kw_only=True):
    """A device, whether its requests or bios were traced, and the kernel's own counters."""

    device: str
    number: str = ""
    traced: str
    kernel_counted: KernelCounts | None = None


class RequestRow(Record, frozen=True, kw_only=True):
    """Requests of one device and direction; latencies in ns are None if unknown."""

    device: str
    direction: str
    requests: Count
    bytes: Count
    queued: Count  # requests with a known queue time
    queue_ns: Latency | None = None
    device_ns: Latency | None = None
    total_ns: Latency | None = None
    errors: dict[str, Count]

    @property
    def label(self) -> str:
        """Return the process or size of the row; empty for a device."""
        return ""


class DeviceRow(RequestRow, frozen=True, kw_only=True):
    """Requests of one device and direction, with histograms."""

    histogram: tuple[LatencyBucket, ...] = ()  # of the time on the device
    queue_histogram: tuple[LatencyBucket, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError if a bucket is not an interval."""
        for buckets in (self.histogram, self.queue_histogram):
            if any(low > high or high >= _MAX_NS for low, high, _ in buckets):
                raise ValueError("a histogram bucket has invalid bounds")


class SizeClassRow(RequestRow, frozen=True, kw_only=True):
    """Requests of one size class."""

    min_bytes: Count
    max_bytes: Count

    @property
    def label(self) -> str:
        """Return the size class, such as "4K-8K"."""
        if not self.max_bytes:
            return "no data"
        return f"{_bytes_text(self.min_bytes)}-{_bytes_text(self.max_bytes + 1)}"


class ProcessRow(RequestRow, frozen=True, kw_only=True):
    """Requests of one process; pid 0 if it is unknown, None for all further processes."""

    pid: Integer | None
    name: str

    @property
    def label(self) -> str:
        """Return the name and pid of the process."""
        if self.pid is None:
            return "all others"
        return "unknown" if self.pid == UNKNOWN.pid else f"{self.name} ({self.pid})"


class HeatMapCounts(Record, frozen=True, kw_only=True):
    """Requests by time and latency; each column has a count for each row."""

    column_s: Amount
    row_edges_ns: tuple[Count, ...] = ()
    columns: tuple[tuple[Count, ...], ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError if a column does not match the edges."""
        if any(len(column) != len(self.row_edges_ns) - 1 for column in self.columns):
            raise ValueError("a column of the heat map does not match its edges")
        if len(self.columns) * len(self.row_edges_ns) > MAX_CELLS:
            raise ValueError(f"the heat map has more than {MAX_CELLS:,} cells")


class RequestsUnderWay(Record, frozen=True, kw_only=True):
    """Requests that started before or ended after the watch; None if unknown."""

    at_start: Count | None = None
    at_end: Count


class LostEvents(Record, frozen=True, kw_only=True):
    """Lost events and their effects."""

    events: Count | None  # None if the kernel does not report it
    places: Count = 0
    requests_discarded: Count
    begin_unseen: Count = 0
    never_completed: Count = 0
    out_of_order: Count = 0


class QueueEvents(Record, frozen=True, kw_only=True):
    """Events between insertion and completion of requests."""

    merged_requests: Count
    splits: Count
    requeues: Count
    partial: Count
    same_sector: Count


class WatchOverhead(Record, frozen=True, kw_only=True):
    """The cost of the watch itself."""

    own_cpu_s: Amount
    own_cpu_share: Amount | None = None  # of one CPU
    events: Count
    events_per_s: Amount | None = None
    buffer_kb_per_cpu: Count = 0


class WatchResult(RecordedResult, frozen=True, kw_only=True, tag="stallscope.io.watch/1"):
    """Block requests of the machine; percentiles are upper bounds of buckets 1 % wide."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {
        "asked": "requested",
        "least_bytes": "min_bytes",
        "most_bytes": "max_bytes",
    }

    requested: WatchFilter = WatchFilter()
    seconds: Amount
    devices: tuple[DeviceSummary, ...]
    rows: tuple[DeviceRow, ...] = ()
    sizes: tuple[SizeClassRow, ...] = ()
    processes: tuple[ProcessRow, ...] = ()
    heat: HeatMapCounts
    under_way: RequestsUnderWay
    lost: LostEvents
    on_the_way: QueueEvents
    other_processes: Count | None = None  # requests of processes that were not selected
    overhead: WatchOverhead

    def __post_init__(self) -> None:
        """Raise ValueError if there are too many rows."""
        if len(self.rows) + len(self.sizes) + len(self.processes) > MAX_ROWS:
            raise ValueError(f"the result has more than {MAX_ROWS:,} rows")

    @property
    def title(self) -> str:
        """Return the subject of the measurement."""
        return f"Block requests of {self.device_names or 'no device'}"

    @property
    def device_names(self) -> str:
        """Return the names of the devices, separated by commas."""
        return ", ".join(summary.device for summary in self.devices)


def _bytes_text(size: int) -> str:
    for shift, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >= 1 << shift:
            return f"{size >> shift}{unit}"
    return f"{size}"


def watch_result(
    measurement: WatchMeasurement, scope: WatchScope, notes: Iterable[str]
) -> WatchResult:
    """Return the result of a watch; ``notes`` are added to its warnings."""
    names = {device.number: device.name for device in scope.known}
    tally, counts, seconds = measurement.tally, measurement.counts, measurement.seconds
    has_losses = measurement.lost_events != 0 or counts["losses"] != 0  # or unknown losses
    unseen = counts["begin_unseen"]
    active = {device for device, _ in tally.devices}
    return WatchResult(
        source="measured",
        complete=scope.duration_s is None or seconds >= scope.duration_s,
        warnings=(*notes, *_warnings(measurement, scope)),
        requested=WatchFilter(
            devices=tuple(device.name for device in scope.devices), pids=tuple(sorted(scope.pids))
        ),
        seconds=seconds,
        devices=tuple(
            _device_summary(device, measurement)
            for device in scope.devices or scope.known
            if device.number in active or scope.devices
        ),
        rows=tuple(
            DeviceRow(
                **_row_values(names, key, totals),
                histogram=tuple(totals.device.buckets()),
                queue_histogram=tuple(totals.queue.buckets()),
            )
            for key, totals in sorted(tally.devices.items())
        ),
        sizes=tuple(
            SizeClassRow(**_row_values(names, key, totals), min_bytes=size[0], max_bytes=size[1])
            for (key, size), totals in sorted(tally.sizes.items())
        ),
        processes=tuple(
            ProcessRow(
                **_row_values(names, key, totals),
                pid=None if process == OTHERS else process.pid,
                name=process.name,
            )
            for (key, process), totals in sorted(
                tally.processes.items(), key=lambda item: -item[1].requests
            )
        ),
        heat=HeatMapCounts(
            column_s=tally.heat.column_s,
            row_edges_ns=tuple(row_edges_ns()),
            columns=tuple(map(tuple, tally.heat.used(seconds).tolist())),
        ),
        under_way=RequestsUnderWay(
            at_start=None if has_losses else unseen, at_end=counts["under_way"]
        ),
        lost=LostEvents(
            events=measurement.lost_events,
            places=counts["losses"],
            requests_discarded=counts["discarded"],
            begin_unseen=unseen if has_losses else 0,
            never_completed=counts["never_completed"],
            out_of_order=counts["out_of_order"],
        ),
        on_the_way=QueueEvents(
            merged_requests=counts["merged_requests"],
            splits=counts["splits"],
            requeues=counts["requeues"],
            partial=counts["partial"],
            same_sector=counts["same_sector"],
        ),
        other_processes=tally.others if scope.pids else None,
        overhead=WatchOverhead(
            own_cpu_s=measurement.own_cpu_s,
            own_cpu_share=measurement.own_cpu_s / seconds if seconds else None,
            events=counts["events"],
            events_per_s=counts["events"] / seconds if seconds else None,
            buffer_kb_per_cpu=measurement.buffer_kb,
        ),
    )


def _device_summary(device: WatchedDevice, measurement: WatchMeasurement) -> DeviceSummary:
    kernel_counts = measurement.kernel_counts.get(device.number)
    return DeviceSummary(
        device=device.name,
        number=device.major_minor,
        traced="bios" if device.bio_based else "requests",
        kernel_counted=None if kernel_counts is None else KernelCounts(**kernel_counts),
    )


def _row_values(
    names: Mapping[int, str], key: DeviceOperation, totals: RequestTotals
) -> dict[str, Any]:
    """Return the fields of a RequestRow."""
    number, operation = key
    return {
        "device": names.get(number, f"{number >> 20}:{number & 0xFFFFF}"),
        "direction": OPERATIONS[operation],
        "requests": totals.requests,
        "bytes": totals.bytes,
        "queued": totals.queue.count,
        "queue_ns": totals.queue.latencies(),
        "device_ns": totals.device.latencies(),
        "total_ns": totals.total.latencies(),
        "errors": {_error_name(error): count for error, count in sorted(totals.errors.items())},
    }


def _error_name(error: int) -> str:
    return errno.errorcode.get(abs(error), str(error)) if error else "others"


def _warnings(measurement: WatchMeasurement, scope: WatchScope) -> Iterator[str]:
    counts = measurement.counts
    if measurement.lost_events:
        yield (
            f"the kernel lost {measurement.lost_events:,} events, which arrived faster than they "
            f"were read: {counts['discarded']:,} requests under way were discarded, and the "
            "counts are too low"
        )
    if measurement.lost_events is None:
        yield "the number of lost events is unknown: the counts may be too low"
    if measurement.missing:
        names = ", ".join(name.replace("/", ":") for name in measurement.missing)
        yield f"this kernel has no tracepoint {names}: its information is missing"
    if counts["never_completed"]:
        yield (
            f"{counts['never_completed']:,} requests did not complete, although later requests "
            "for their sectors did"
        )
    if counts["out_of_order"]:
        yield f"{counts['out_of_order']:,} requests completed before their issue by the clock"
    missing = _missing_processes(scope)
    if missing:
        yield f"no such process, or it ended: {', '.join(map(str, missing))}"


def _missing_processes(scope: WatchScope) -> list[int]:
    """Return the watched processes that do not exist."""
    if not scope.pids:
        return []
    import psutil  # noqa: PLC0415 - only if processes were named

    return [pid for pid in sorted(scope.pids) if not psutil.pid_exists(pid)]
