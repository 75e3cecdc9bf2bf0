"""Counts from a file instead of hardware: our JSON, ``perf stat -j`` and ``perf stat -x``.

A file is a stranger's: it is read as far as a bound, every value is checked, and the first thing
wrong ends in one error that says where.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from stallscope.errors import RecordingError, UsageError
from stallscope.regular_file import MissingFileError, RefusedFileError, open_regular
from topdown.slots.counts import Flags, Reading
from topdown.slots.replay.perf_stat import (
    first_line,
    looks_like_perf_json,
    readings_of_csv,
    readings_of_json_lines,
)

LARGEST_BYTES = 32 * 2**20  # some 5,000 readings of the largest model
MOST_READINGS = 20_000
MOST_COUNTS = 10_000  # of one reading; the largest model has some 200 events
LARGEST = 2.0**96  # beyond what counters of a fleet add up to
REMEDY = (
    "give an object or a list of objects with cpu and counts, or the output of perf stat -j or -x,"
)
_MIDR_KEYS = ("cpuid", "midr")


def read_count_file(path: Path) -> tuple[Reading, ...]:
    """Return the readings in a file, at least one.

    UsageError where there is no such file; RecordingError where it is not what it must be.
    """
    text = _text(path)
    found = tuple(_readings(text, str(path)))
    if not found:
        raise RecordingError(f"{path} holds no counts", REMEDY)
    return found


def _text(path: Path) -> str:
    try:
        with open_regular(path) as file:
            if file.size > LARGEST_BYTES:
                raise RecordingError(
                    f"{path} has {file.size} bytes: at most {LARGEST_BYTES} are read",
                    "split it into several files",
                )
            raw = file.read(0, file.size)
    except MissingFileError as error:
        raise UsageError(f"there is no file {path}", "name a file of counter values") from error
    except RefusedFileError as error:
        raise UsageError(error.message, "name a regular file that this user may read") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordingError(f"{path}: no UTF-8 at offset {error.start}", REMEDY) from error


def _readings(text: str, where: str) -> Iterator[Reading]:
    beginning = first_line(text)
    if not beginning:
        return
    if beginning[0] not in "[{":
        yield from readings_of_csv(text, where)
    elif looks_like_perf_json(beginning):
        yield from readings_of_json_lines(text, where)
    else:
        yield from _of_document(text, where)


def _of_document(text: str, where: str) -> Iterator[Reading]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{where} is not JSON: {error}", REMEDY) from error
    elements = document if isinstance(document, list) else [document]
    if len(elements) > MOST_READINGS:
        raise RecordingError(
            f"{where} holds {len(elements)} readings: at most {MOST_READINGS} are read",
            "split it into several files",
        )
    for place, element in enumerate(elements):
        name = f"{where}[{place}]" if isinstance(document, list) else where
        if not isinstance(element, dict):
            raise RecordingError(f"{name} is no object", REMEDY)
        yield _reading(element, name)


def _reading(element: Mapping[str, object], where: str) -> Reading:
    counts, absent = _counts(element.get("counts"), where)
    cpu = element.get("cpu", "")
    if not isinstance(cpu, str):
        raise RecordingError(f"{where}: cpu should be a string", REMEDY)
    flags = Flags(*(_flag(element, key, where) for key in ("smt", "ebs_mode", "perf_metrics")))
    return Reading(where, cpu, _midr(element, where), counts, absent, {}, flags)


def _counts(values: object, where: str) -> tuple[dict[str, float], dict[str, str]]:
    if not isinstance(values, dict):
        raise RecordingError(f"{where}: counts should be an object of event names", REMEDY)
    if len(values) > MOST_COUNTS:
        raise RecordingError(f"{where}: {len(values)} counts, at most {MOST_COUNTS}", REMEDY)
    counts: dict[str, float] = {}
    absent: dict[str, str] = {}
    for event, value in values.items():
        if value is None:
            absent[event] = f"{event} was not counted"
        elif isinstance(value, bool) or not isinstance(value, int | float):
            raise RecordingError(f"{where}: the count of {event[:80]!r} is no number", REMEDY)
        elif not abs(value) <= LARGEST:  # NaN neither; a whole number may be beyond every float
            raise RecordingError(
                f"{where}: the count of {event[:80]!r} is no number below 2^96", REMEDY
            )
        else:
            counts[event] = float(value)
    return counts, absent


def _flag(element: Mapping[str, object], key: str, where: str) -> bool | None:
    value = element.get(key)
    if value is not None and not isinstance(value, bool):
        raise RecordingError(f"{where}: {key} should be true or false", REMEDY)
    return value


def _midr(element: Mapping[str, object], where: str) -> int | None:
    """Return an arm64 MIDR, given as a number or as "0x410fd493"; None where there is none."""
    for key in _MIDR_KEYS:
        value = element.get(key)
        if value is None:
            continue
        try:
            midr = int(value, 16) if isinstance(value, str) else value
        except ValueError:
            midr = None
        if isinstance(midr, bool) or not isinstance(midr, int) or not 0 <= midr < 2**64:
            raise RecordingError(f"{where}: {key} should be a MIDR as 0x410fd493", REMEDY)
        return midr & 0xFFFFFFFF
    return None
