"""A recording of requests for tests: most take 3 ms, every hundredth waits in one more place."""

from dataclasses import dataclass

from tests.topdown.requests.mark_builder import marks
from tests.topdown.waits.wait_records_builder import BuiltRecords, Place, build_records
from topdown.requests.latency_classes import LatencyClasses, latency_classes
from topdown.requests.marks import RequestMarks
from topdown.requests.spans import Requests, find_requests
from topdown.waits.timeline import build_intervals
from topdown.waits.wait_kinds import WaitKinds, classify_waits

PLACES = {
    "sleep": Place(("nanosleep", "handle", "main"), syscall=230),
    "disk": Place(
        ("fsync", "flush_log", "handle", "main"), ("io_schedule", "do_fsync"), syscall=74
    ),
    "lock": Place(
        ("pthread_mutex_lock", "update", "handle", "main"), syscall=202, arguments=(0x5000, 128, 2)
    ),
    "compute": Place(("rebuild", "handle", "main")),
    "memory": Place(("malloc", "handle", "main")),
    "code": Place(("parse", "handle", "main")),
}
COUNT = 1200


@dataclass(frozen=True)
class RequestRecording:
    """Records of a thread that handles requests one after another, and their marks."""

    built: BuiltRecords
    kinds: WaitKinds
    marks: RequestMarks
    requests: Requests
    classes: LatencyClasses


def slow_part(cause: str, at: float) -> tuple[str, float]:
    """Return 8 ms of the cause as text of a timeline, and its end."""
    end = at + 8
    if cause in ("disk", "lock"):
        return f"W({'disk' if cause == 'disk' else 'other'},{cause}){at}-{end}", end
    if cause == "queue":
        return f"Q{at}-{end}", end
    if cause in ("compute", "memory"):
        return f"R({cause}){at}-{end}", end
    return "", at


def timeline(cause: str, *, count: int = COUNT) -> tuple[str, list[tuple[float, int, int, str]]]:
    """Return the timeline of the thread, and the rows of its marks."""
    at, words, rows = 1.0, ["R0-1"], []
    for number in range(count):
        rows.append((at, 100, number, "begin"))
        length = 2.0 * (1 + (number * 7919 % 1000) / 1000 if cause == "longer" else 1)
        words.append(f"R(code){at}-{at + length / 2}")
        at += length / 2
        words.append(f"W(timer,sleep){at}-{at + length}")
        at += length
        if number % 80 == 40:
            words.append(f"R(code){at}-{at + 0.01}")
            text, at = slow_part(cause, at + 0.01)
            words += [text] if text else []
        words.append(f"R(code){at}-{at + 0.01}")
        at += 0.01
        rows.append((at, 100, number, "end"))
        words.append(f"R{at}-{at + 0.5}")
        at += 0.5
    return "a " + " ".join(words), rows


def recording(cause: str, *, count: int = COUNT) -> RequestRecording:
    """Return the recording of requests with this cause of slow ones."""
    text, rows = timeline(cause, count=count)
    built = build_records(f"{text}\nother R0-1", places=PLACES, cpu_sample_every=0.5)
    kinds = classify_waits(
        built.records, build_intervals(built.records), built.names, built.syscalls
    )
    request_marks = marks(*rows)
    requests = find_requests(request_marks, built.records)
    return RequestRecording(
        built, kinds, request_marks, requests, latency_classes(requests.wall_ns)
    )
