"""Counts from a file: stallscope's JSON, ``perf stat -j`` and ``perf stat -x``.

Files are untrusted: sizes are limited, every value is checked, and the first error is reported with
its position.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from stallscope.errors import RecordingError, UsageError
from stallscope.regular_file import MissingFileError, RefusedFileError, open_regular
from topdown.slots.counts import EventCounts, Flags
from topdown.slots.replay.perf_stat import (
    first_line,
    is_perf_json,
    readings_of_csv,
    readings_of_json_lines,
)

MAX_BYTES = 32 * 2**20  # about 5,000 readings of the largest model
MAX_READINGS = 20_000
MAX_COUNTS = 10_000  # per reading; the largest model has about 200 events
MAX_COUNT = 2.0**96  # more than the sum of all counters of a fleet
REMEDY = (
    "expected an object or a list of objects with cpu and counts, or output of perf stat -j or -x"
)
_MIDR_KEYS = ("cpuid", "midr")


def read_count_file(path: Path) -> tuple[EventCounts, ...]:
    """Return the readings in a file, at least one.

    Raises UsageError if there is no such file, and RecordingError for other content.
    """
    text = _text(path)
    readings = tuple(_readings(text, str(path)))
    if not readings:
        raise RecordingError(f"{path} contains no counts", REMEDY)
    return readings


def _text(path: Path) -> str:
    try:
        with open_regular(path) as file:
            if file.size > MAX_BYTES:
                raise RecordingError(
                    f"{path} has {file.size} bytes; the limit is {MAX_BYTES}",
                    "split it into several files",
                )
            raw = file.read(0, file.size)
    except MissingFileError as error:
        raise UsageError(f"no such file: {path}", "name a file of counter values") from error
    except RefusedFileError as error:
        raise UsageError(error.message, "name a regular file that this user may read") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordingError(f"{path}: invalid UTF-8 at offset {error.start}", REMEDY) from error


def _readings(text: str, where: str) -> Iterator[EventCounts]:
    first = first_line(text)
    if not first:
        return
    if first[0] not in "[{":
        yield from readings_of_csv(text, where)
    elif is_perf_json(first):
        yield from readings_of_json_lines(text, where)
    else:
        yield from _of_document(text, where)


def _of_document(text: str, where: str) -> Iterator[EventCounts]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{where} is not JSON: {error}", REMEDY) from error
    elements = document if isinstance(document, list) else [document]
    if len(elements) > MAX_READINGS:
        raise RecordingError(
            f"{where} contains {len(elements)} readings; the limit is {MAX_READINGS}",
            "split it into several files",
        )
    for number, element in enumerate(elements):
        name = f"{where}[{number}]" if isinstance(document, list) else where
        if not isinstance(element, dict):
            raise RecordingError(f"{name}: expected an object", REMEDY)
        yield _reading(element, name)


def _reading(element: Mapping[str, object], where: str) -> EventCounts:
    counts, absent = _counts(element.get("counts"), where)
    cpu = element.get("cpu", "")
    if not isinstance(cpu, str):
        raise RecordingError(f"{where}: cpu must be a string", REMEDY)
    flags = Flags(*(_flag(element, key, where) for key in ("smt", "ebs_mode", "perf_metrics")))
    return EventCounts(where, cpu, _midr(element, where), counts, absent, {}, flags)


def _counts(values: object, where: str) -> tuple[dict[str, float], dict[str, str]]:
    if not isinstance(values, dict):
        raise RecordingError(f"{where}: counts must be an object of event names", REMEDY)
    if len(values) > MAX_COUNTS:
        raise RecordingError(f"{where}: {len(values)} counts; the limit is {MAX_COUNTS}", REMEDY)
    counts: dict[str, float] = {}
    absent: dict[str, str] = {}
    for event, value in values.items():
        if value is None:
            absent[event] = f"{event} was not counted"
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise RecordingError(f"{where}: the count of {event[:80]!r} must be a number", REMEDY)
        elif not abs(value) <= MAX_COUNT:  # also rejects NaN, and integers larger than any float
            raise RecordingError(
                f"{where}: the count of {event[:80]!r} must be a number below 2^96", REMEDY
            )
        else:
            counts[event] = float(value)
    return counts, absent


def _flag(element: Mapping[str, object], key: str, where: str) -> bool | None:
    value = element.get(key)
    if value is not None and not isinstance(value, bool):
        raise RecordingError(f"{where}: {key} must be true or false", REMEDY)
    return value


def _midr(element: Mapping[str, object], where: str) -> int | None:
    """Return an arm64 MIDR from a number or a text such as "0x410fd493", or None without one."""
    for key in _MIDR_KEYS:
        value = element.get(key)
        if value is None:
            continue
        try:
            midr = int(value, 16) if isinstance(value, str) else value
        except ValueError:
            midr = None
        if isinstance(midr, bool) or not isinstance(midr, int) or not 0 <= midr < 2**64:
            raise RecordingError(f"{where}: {key} must be a MIDR such as 0x410fd493", REMEDY)
        return midr & 0xFFFFFFFF
    return None
