"""The block tracepoints that are asked for: their filters, and where their fields lie."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ioprobe.watch.devices import WatchedDevice
from stallscope._native import BlockEvent
from stallscope.errors import UnableError, UsageError
from stallscope.tracing.event_format import EventFormat, read_event_format

ISSUE, COMPLETE = "block/block_rq_issue", "block/block_rq_complete"
# A request that wants a flush is known by the first of its letters, and issued by the kernel's own
# worker: who made it is told when it is made.
_REQUESTS = {
    "block/block_rq_insert": (BlockEvent.INSERT, ""),
    ISSUE: (BlockEvent.ISSUE, ""),
    COMPLETE: (BlockEvent.COMPLETE, ""),
    "block/block_rq_requeue": (BlockEvent.REQUEUE, ""),
    "block/block_rq_merge": (BlockEvent.REQUEST_MERGE, ""),
    "block/block_bio_frontmerge": (BlockEvent.BIO_FRONT_MERGE, ""),
    "block/block_getrq": (BlockEvent.FLUSH_ASKED, 'rwbs ~ "F*"'),
    "block/block_split": (BlockEvent.SPLIT, ""),
}
_BIOS = {
    "block/block_bio_queue": (BlockEvent.BIO_QUEUE, ""),
    "block/block_bio_complete": (BlockEvent.BIO_COMPLETE, ""),
}
_FIELDS = ("dev", "sector", "nr_sector", "bytes", "error", "rwbs", "comm")
_NEEDED = ("dev", "sector", "rwbs")
MOST_NAMED = 128  # devices and partitions in a filter: the kernel takes a page of text

Layout = tuple[int, BlockEvent, list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class BlockTracepoints:
    """Those that this kernel has: names with filters, their layouts, and what is missing."""

    filters: dict[str, str]
    layouts: list[Layout]
    missing: tuple[str, ...]


def block_tracepoints(
    events: Path, requests_of: Sequence[WatchedDevice] | None, bios_of: Sequence[WatchedDevice]
) -> BlockTracepoints:
    """Return what follows the requests of devices (None: of all), and the bios of others.

    Raises UnableError where this kernel does not trace requests.
    """
    wanted = {} if requests_of == () else _filtered(_REQUESTS, requests_of)
    if bios_of:
        wanted |= _filtered(_BIOS, bios_of)
    formats = {name: read_event_format(events, name) for name in wanted}
    there = {name: found for name, found in formats.items() if found is not None}
    for name in (ISSUE, COMPLETE):
        if name in wanted and name not in there:
            raise UnableError(
                f"this kernel has no tracepoint {name.replace('/', ':')}",
                "use a kernel with CONFIG_BLK_DEV_IO_TRACE or CONFIG_EVENT_TRACING",
            )
    kinds = _REQUESTS | _BIOS
    return BlockTracepoints(
        filters={name: wanted[name] for name in there},
        layouts=[_layout(found, kinds[name][0]) for name, found in there.items()],
        missing=tuple(name for name in wanted if name not in there),
    )


def _filtered(
    table: dict[str, tuple[BlockEvent, str]], devices: Sequence[WatchedDevice] | None
) -> dict[str, str]:
    of_devices = "" if devices is None else _of_devices(devices)
    return {
        name: " && ".join(part for part in (own, of_devices) if part)
        for name, (_, own) in table.items()
    }


def _of_devices(devices: Iterable[WatchedDevice]) -> str:
    numbers = [number for each in devices for number in (each.number, *each.partitions)]
    if len(numbers) > MOST_NAMED:
        raise UsageError(
            f"{len(numbers)} devices and partitions are more than a filter takes ({MOST_NAMED})",
            "name fewer with -d, or request-based devices only",
        )
    return "(" + " || ".join(f"dev == {number}" for number in numbers) + ")"


def _layout(found: EventFormat, kind: BlockEvent) -> Layout:
    for name in _NEEDED:
        if name not in found.fields:
            raise UnableError(
                f"the tracepoint {found.name} of this kernel has no field {name}",
                "measure without tracepoints on this kernel",
            )
    places = [found.fields.get(name, (0, 0, 0))[:2] for name in _FIELDS]
    return found.number, kind, [(offset, size) for offset, size in places]
