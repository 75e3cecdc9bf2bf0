"""The block tracepoints to enable: filters and field layouts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ioprobe.watch.devices import WatchedDevice
from stallscope._native import BlockEvent
from stallscope.errors import UnableError, UsageError
from stallscope.tracing.event_format import EventFormat, read_event_format

ISSUE, COMPLETE = "block/block_rq_issue", "block/block_rq_complete"
# A flush request starts with "F" in rwbs. A kernel worker issues it, so its process is recorded
# when the request is allocated.
_REQUEST_EVENTS = {
    "block/block_rq_insert": (BlockEvent.INSERT, ""),
    ISSUE: (BlockEvent.ISSUE, ""),
    COMPLETE: (BlockEvent.COMPLETE, ""),
    "block/block_rq_requeue": (BlockEvent.REQUEUE, ""),
    "block/block_rq_merge": (BlockEvent.REQUEST_MERGE, ""),
    "block/block_bio_frontmerge": (BlockEvent.BIO_FRONT_MERGE, ""),
    "block/block_getrq": (BlockEvent.FLUSH_ASKED, 'rwbs ~ "F*"'),
    "block/block_split": (BlockEvent.SPLIT, ""),
}
_BIO_EVENTS = {
    "block/block_bio_queue": (BlockEvent.BIO_QUEUE, ""),
    "block/block_bio_complete": (BlockEvent.BIO_COMPLETE, ""),
}
_FIELDS = ("dev", "sector", "nr_sector", "bytes", "error", "rwbs", "comm")
_REQUIRED_FIELDS = ("dev", "sector", "rwbs")
MAX_FILTER_DEVICES = 128  # devices and partitions: the kernel accepts one page of text

EventLayout = tuple[int, BlockEvent, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class BlockTracepoints:
    """The tracepoints of this kernel: filters by name, layouts, and missing names."""

    filters: dict[str, str]
    layouts: list[EventLayout]
    missing: tuple[str, ...]


def block_tracepoints(
    events: Path,
    request_devices: Sequence[WatchedDevice] | None,
    bio_devices: Sequence[WatchedDevice],
) -> BlockTracepoints:
    """Return the tracepoints for requests of devices (None: all devices) and for bios.

    Raises UnableError if this kernel does not trace requests.
    """
    filters = {} if request_devices == () else _filters(_REQUEST_EVENTS, request_devices)
    if bio_devices:
        filters |= _filters(_BIO_EVENTS, bio_devices)
    formats = {name: read_event_format(events, name) for name in filters}
    available = {name: format_ for name, format_ in formats.items() if format_ is not None}
    for name in (ISSUE, COMPLETE):
        if name in filters and name not in available:
            raise UnableError(
                f"this kernel has no tracepoint {name.replace('/', ':')}",
                "use a kernel with CONFIG_BLK_DEV_IO_TRACE or CONFIG_EVENT_TRACING",
            )
    kinds = _REQUEST_EVENTS | _BIO_EVENTS
    return BlockTracepoints(
        filters={name: filters[name] for name in available},
        layouts=[_layout(format_, kinds[name][0]) for name, format_ in available.items()],
        missing=tuple(name for name in filters if name not in available),
    )


def _filters(
    table: dict[str, tuple[BlockEvent, str]], devices: Sequence[WatchedDevice] | None
) -> dict[str, str]:
    device_filter = "" if devices is None else _device_filter(devices)
    return {
        name: " && ".join(part for part in (event_filter, device_filter) if part)
        for name, (_, event_filter) in table.items()
    }


def _device_filter(devices: Iterable[WatchedDevice]) -> str:
    numbers = [number for device in devices for number in (device.number, *device.partitions)]
    if len(numbers) > MAX_FILTER_DEVICES:
        raise UsageError(
            f"{len(numbers)} devices and partitions exceed the limit of {MAX_FILTER_DEVICES} for"
            " a trace filter",
            "name fewer with -d, or only devices with a request queue",
        )
    return "(" + " || ".join(f"dev == {number}" for number in numbers) + ")"


def _layout(format_: EventFormat, kind: BlockEvent) -> EventLayout:
    for name in _REQUIRED_FIELDS:
        if name not in format_.fields:
            raise UnableError(
                f"the tracepoint {format_.name} of this kernel has no field {name}",
                "measure without tracepoints on this kernel",
            )
    places = [format_.fields.get(name, (0, 0, 0))[:2] for name in _FIELDS]
    return format_.number, kind, [(offset, size) for offset, size in places]
