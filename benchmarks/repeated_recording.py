"""A long recording made from a short real one: its records again and again, at later times.

Samples and context switches repeat; records of threads and mappings stand once, before them, and
ends of threads after them. So a repeated recording has as many distinct stacks as the real one.
Only what `stallscope report` and `flame` read is repeated (samples.perf and recording.json): totals
of the kernel would not fit.

    repeat_recording(Path("real"), Path("long"), times=1000)
"""

import json
import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

_MAGIC_BYTES = 16
_EXIT, _SAMPLE, _SWITCH, _SWITCH_CPU_WIDE = 4, 9, 14, 15
_HEADER_ATTR, _HEADER_TRACING_DATA = 64, 66
_REPEATED = (_SAMPLE, _SWITCH, _SWITCH_CPU_WIDE)
_TASK_TIME_OFFSET = 24  # in the record of a thread's end, which holds its time twice
# Fields of a sample before its time, and of another record's end after it, by bits of sample_type.
_IP, _TID, _TIME, _ID, _STREAM_ID, _CPU, _IDENTIFIER = 1, 2, 4, 64, 512, 128, 1 << 16
_BLOCK_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class _TimedRecords:
    words: npt.NDArray[np.uint64]
    times: npt.NDArray[np.int64]  # indices of the times in ``words``

    def shifted(self, shifts_ns: npt.NDArray[np.uint64]) -> bytes:
        """Return one copy of the records for each shift."""
        copies = np.tile(self.words, (len(shifts_ns), 1))
        copies[:, self.times] += shifts_ns[:, None]
        return copies.tobytes()


@dataclass(frozen=True, slots=True)
class _Records:
    first: bytes
    repeated: _TimedRecords
    last: _TimedRecords


def repeat_recording(real: Path, directory: Path, times: int) -> None:
    """Write a recording with the samples of a real one, ``times`` times."""
    manifest = json.loads((real / "recording.json").read_text())
    directory.mkdir()
    for entry in real.iterdir():
        if entry.is_dir():
            shutil.copytree(entry, directory / entry.name)
        elif entry.name == "kallsyms":
            shutil.copy(entry, directory)
    capture = (real / "samples.perf").read_bytes()
    records = _split(capture)
    clocks = manifest["clocks"]
    length_ns = clocks["end_monotonic_ns"] - clocks["start_monotonic_ns"]
    with (directory / "samples.perf").open("wb") as file:
        file.write(capture[:_MAGIC_BYTES] + records.first)
        copies = max(1, _BLOCK_BYTES // records.repeated.words.nbytes)
        for begin in range(0, times, copies):
            numbers = np.arange(begin, min(begin + copies, times), dtype=np.uint64)
            file.write(records.repeated.shifted(numbers * np.uint64(length_ns)))
        file.write(records.last.shifted(np.array([(times - 1) * length_ns], np.uint64)))
        size = file.tell()
    clocks["end_monotonic_ns"] = clocks["start_monotonic_ns"] + length_ns * times
    manifest["samples"] *= times
    manifest["files"] = [
        {**entry, "bytes": size} if entry["name"] == "samples.perf" else entry
        for entry in manifest["files"]
        if (directory / entry["name"]).exists()
    ]
    manifest["counter"] = None
    (directory / "recording.json").write_text(json.dumps(manifest))


def _split(capture: bytes) -> _Records:
    sample_type = 0
    first = bytearray()
    timed: dict[bool, tuple[bytearray, list[int]]] = {
        True: (bytearray(), []),
        False: (bytearray(), []),
    }
    for kind, start, end in _records(capture):
        if kind == _HEADER_ATTR:
            sample_type = struct.unpack_from("<Q", capture, start + 8 + 24)[0]
        if kind in (*_REPEATED, _EXIT):
            content, times = timed[kind in _REPEATED]
            offsets = [_time_offset(kind, sample_type, end - start)]
            if kind == _EXIT:
                offsets.append(_TASK_TIME_OFFSET)
            times += [(len(content) + offset) // 8 for offset in offsets]
            content += capture[start:end]
        else:
            first += capture[start:end]
    repeated, last = (
        _TimedRecords(np.frombuffer(bytes(content), np.uint64), np.array(times, np.int64))
        for content, times in (timed[True], timed[False])
    )
    return _Records(bytes(first), repeated, last)


def _records(capture: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, start and end of each record."""
    start = _MAGIC_BYTES
    while start < len(capture):
        kind, _, size = struct.unpack_from("<IHH", capture, start)
        end = start + size
        if kind == _HEADER_TRACING_DATA:
            end += -(-struct.unpack_from("<I", capture, start + 8)[0] // 8) * 8
        yield kind, start, end
        start = end


def _time_offset(kind: int, sample_type: int, size: int) -> int:
    """Return the offset of the time in a record; all events have the same fields around it."""
    assert sample_type & _TIME
    before, after = _IDENTIFIER | _IP | _TID, _ID | _STREAM_ID | _CPU | _IDENTIFIER
    if kind == _SAMPLE:
        return 8 + 8 * (sample_type & before).bit_count()
    return size - 8 * ((sample_type & after).bit_count() + 1)
