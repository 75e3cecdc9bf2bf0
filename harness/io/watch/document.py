"""The document of `stallscope io watch`, schema ``stallscope.io.watch/1``."""

import errno
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ioprobe.watch.devices import WatchedDevice
from ioprobe.watch.histograms import row_edges_ns
from ioprobe.watch.tally import OPERATIONS, OTHERS, RequestTotals
from ioprobe.watch.tracing import WatchMeasurement, WatchScope

SCHEMA = "stallscope.io.watch/1"


def document(
    watched: WatchMeasurement, request: WatchScope, notes: Iterable[str]
) -> dict[str, object]:
    """Return all that was watched; times in ns, percentiles upper ends of buckets of 1 %."""
    names = {each.number: each.name for each in request.known}
    tally, counts = watched.tally, watched.counts
    lost = watched.lost_events != 0 or counts["losses"] != 0  # or it is not known
    unseen = counts["begin_unseen"]
    return {
        "schema": SCHEMA,
        "source": "measured",
        "asked": {
            "devices": [each.name for each in request.devices],
            "pids": sorted(request.pids),
        },
        "seconds": watched.seconds,
        "devices": [
            _device(each, watched)
            for each in request.devices or request.known
            if each.number in {device for device, _ in tally.devices} or request.devices
        ],
        "rows": [
            _place(names, by) | _row(row) | _histograms(row)
            for by, row in sorted(tally.devices.items())
        ],
        "sizes": [
            _place(names, by) | {"least_bytes": size[0], "most_bytes": size[1]} | _row(row)
            for (by, size), row in sorted(tally.sizes.items())
        ],
        "processes": [
            {"pid": None if process == OTHERS else process.pid, "name": process.name}
            | _place(names, by)
            | _row(row)
            for (by, process), row in sorted(
                tally.processes.items(), key=lambda item: -item[1].requests
            )
        ],
        "heat": {
            "column_s": tally.heat.column_s,
            "row_edges_ns": row_edges_ns(),
            "columns": tally.heat.used(watched.seconds).tolist(),
        },
        "under_way": {
            "at_start": None if lost else unseen,
            "at_end": counts["under_way"],
        },
        "lost": {
            "events": watched.lost_events,
            "places": counts["losses"],
            "requests_discarded": counts["discarded"],
            "begin_unseen": unseen if lost else 0,
            "never_completed": counts["never_completed"],
            "out_of_order": counts["out_of_order"],
        },
        "on_the_way": {
            name: counts[name]
            for name in ("merged_requests", "splits", "requeues", "partial", "same_sector")
        },
        "other_processes": tally.others if request.pids else None,
        "overhead": {
            "own_cpu_s": watched.own_cpu_s,
            "own_cpu_share": watched.own_cpu_s / watched.seconds if watched.seconds else None,
            "events": counts["events"],
            "events_per_s": counts["events"] / watched.seconds if watched.seconds else None,
            "buffer_kb_per_cpu": watched.buffer_kb,
        },
        "complete": request.duration_s is None or watched.seconds >= request.duration_s,
        "warnings": [*notes, *_warnings(watched, request)],
    }


def _device(device: WatchedDevice, watched: WatchMeasurement) -> dict[str, object]:
    return {
        "device": device.name,
        "number": device.major_minor,
        "traced": "bios" if device.bio_based else "requests",
        "kernel_counted": watched.kernel_counts.get(device.number),
    }


def _place(names: Mapping[int, str], by: tuple[int, int]) -> dict[str, object]:
    number, operation = by
    name = names.get(number, f"{number >> 20}:{number & 0xFFFFF}")
    return {"device": name, "direction": OPERATIONS[operation]}


def _row(row: RequestTotals) -> dict[str, object]:
    times = {"queue_ns": row.queue, "device_ns": row.device, "total_ns": row.total}
    found = {name: counts.latencies() for name, counts in times.items()}
    return {
        "requests": row.requests,
        "bytes": row.bytes,
        "queued": row.queue.count,
        **{name: latencies and latencies.document() for name, latencies in found.items()},
        "errors": {_error_name(error): count for error, count in sorted(row.errors.items())},
    }


def _error_name(error: int) -> str:
    return errno.errorcode.get(abs(error), str(error)) if error else "others"


def _histograms(row: RequestTotals) -> dict[str, object]:
    return {"histogram": row.device.buckets(), "queue_histogram": row.queue.buckets()}


def _warnings(watched: WatchMeasurement, request: WatchScope) -> Iterator[str]:
    counts = watched.counts
    if watched.lost_events:
        yield (
            f"the kernel lost {watched.lost_events:,} events, as they came faster than they were "
            f"read: {counts['discarded']:,} requests that were under way then are not told, and "
            "counts are too low"
        )
    if watched.lost_events is None:
        yield "the kernel did not tell how many events it lost: counts may be too low"
    if watched.missing:
        names = ", ".join(name.replace("/", ":") for name in watched.missing)
        yield f"this kernel has no tracepoint {names}: what it tells is missing here"
    if counts["never_completed"]:
        yield (
            f"{counts['never_completed']:,} requests never seemed to complete, though later ones "
            "of their sectors did"
        )
    if counts["out_of_order"]:
        yield f"{counts['out_of_order']:,} requests completed before their issue by the clock"
    gone = [pid for pid in sorted(request.pids) if not (Path("/proc") / str(pid)).is_dir()]
    if gone:
        yield f"processes that ended, or were never there: {', '.join(map(str, gone))}"
