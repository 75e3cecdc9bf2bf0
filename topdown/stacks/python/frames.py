"""Python frames that were read beside the samples: python.jsonl of a recording.

Format stallscope.python-frames/1.0, one JSON object a line, written while the target ran; a
recording that was killed ends within a line. The texts are the target's own.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stallscope.printable import MAX_NAME_LENGTH, printable
from stallscope.regular_file import (
    MissingFileError,
    RefusedFileError,
    RegularFile,
    open_in_root,
)
from topdown.stacks.profile import ProfileWarning
from topdown.stacks.python.line_table import LineTable, decode_lines

FILE = b"python.jsonl"
FORMAT = "stallscope.python-frames"
MAJOR = "1"
FILE_AT_MOST = 2 << 30
FRAMES_AT_MOST = 1024
_BLOCK = 4 << 20
_LINE_AT_MOST = 8 << 20
_COUNT_AT_MOST = 1 << 62
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class PythonCode:
    """A code object: its qualified name, its file, and where its instructions stand in it."""

    name: str
    file: str
    first_line: int
    table: bytes

    def lines(self) -> LineTable:
        """Return the lines of its instructions."""
        return decode_lines(self.table, self.first_line)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A process's CPython: its version, and whether and how its frames were read."""

    pid: int
    version: str
    how: str  # "offsets" (read), "trampoline" (it names its functions itself) or "refused"
    why: str


@dataclass(frozen=True, slots=True)
class PythonStacks:
    """Unique stacks of Python frames, each made of runs: what one call from C evaluates.

    Outermost first throughout. ``run_offset`` int64 (n_stacks + 1,): the runs of a stack.
    ``frame_offset`` int64 (n_runs + 1,): the frames of a run. Frames: ``code`` int64, index into
    the codes; ``instruction`` int64, byte offset.
    """

    run_offset: npt.NDArray[np.int64]
    frame_offset: npt.NDArray[np.int64]
    code: npt.NDArray[np.int64]
    instruction: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PythonFrames:
    """What was read. Snapshots, by rising time, arrays (n_snapshots,).

    ``time_ns`` uint64: of the sample each belongs to; ``tid`` int64; ``stack`` int64;
    ``gil`` int8: 1 held, 0 not, -1 not known.
    """

    codes: tuple[PythonCode, ...]
    stacks: PythonStacks
    time_ns: npt.NDArray[np.uint64]
    tid: npt.NDArray[np.int64]
    stack: npt.NDArray[np.int64]
    gil: npt.NDArray[np.int8]
    interpreters: tuple[Interpreter, ...]
    torn: int  # reads given up since the stack changed meanwhile
    late: int  # samples that were too old to be read for
    warnings: tuple[ProfileWarning, ...]


def read_python_frames(recording: Path) -> PythonFrames | None:
    """Return what a recording holds of Python frames, None where it has no such file.

    A damaged file gives what stands before the damage, and one warning.
    """
    try:
        with open_in_root(recording, FILE) as file:
            return _read(file)
    except MissingFileError:
        return None
    except RefusedFileError as error:
        warning = ProfileWarning("python-frames-refused", f"{printable(error.message)}")
        return _Gathered().frames((warning,))


class _DamagedLineError(ValueError):
    """A line that does not say what it should."""


def _read(file: RegularFile) -> PythonFrames:
    gathered = _Gathered()
    number = 1
    try:
        for number, line in enumerate(_lines(file), 1):
            entry = json.loads(line)
            if not isinstance(entry, dict):
                raise _DamagedLineError("no object")
            _check_format(entry) if number == 1 else gathered.take(entry)
    except (ValueError, RecursionError) as error:
        said = printable(str(error))[:200]
        return gathered.frames(
            (
                ProfileWarning(
                    "python-frames-damaged",
                    f"{printable(file.name)}: line {number} makes no sense ({said}): only the "
                    "Python frames before it are shown",
                ),
            )
        )
    return gathered.frames(())


def _check_format(entry: dict[str, object]) -> None:
    name, _, version = str(entry.get("format")).partition("/")
    if name != FORMAT or version.partition(".")[0] != MAJOR:
        raise _DamagedLineError(f"the format should be {FORMAT}/{MAJOR}.x")


def _lines(file: RegularFile) -> Iterator[bytes]:
    """Yield whole lines; what follows the last newline was still being written."""
    rest = b""
    size = min(file.size, FILE_AT_MOST)
    for offset in range(0, size, _BLOCK):
        *whole, rest = (rest + file.read(offset, min(_BLOCK, size - offset))).split(b"\n")
        yield from whole
        if len(rest) > _LINE_AT_MOST:
            raise _DamagedLineError("it is too long")


@dataclass(slots=True)
class _Gathered:
    """The entries of the file, as they come."""

    codes: list[PythonCode] = field(default_factory=list)
    code_at: dict[int, int] = field(default_factory=dict)
    stack_at: dict[int, int] = field(default_factory=dict)
    run_offset: list[int] = field(default_factory=lambda: [0])
    frame_offset: list[int] = field(default_factory=lambda: [0])
    frames_of: list[tuple[int, int]] = field(default_factory=list)
    known_frames: dict[tuple[int, ...], tuple[int, int, bool]] = field(default_factory=dict)
    snapshots: list[tuple[int, int, int, int]] = field(default_factory=list)
    interpreters: dict[int, Interpreter] = field(default_factory=dict)
    counts: dict[str, object] = field(default_factory=dict)

    def take(self, entry: dict[str, object]) -> None:
        """Take one line's object; _DamagedLineError where it makes no sense. Unknown ones pass."""
        if "t" in entry:
            self._take_snapshot(entry)
        elif "frames" in entry:
            self._take_stack(entry)
        elif "code" in entry:
            self._take_code(entry)
        elif "interpreter" in entry:
            pid = _count(entry, "interpreter")
            said = [_text(entry, key)[:MAX_NAME_LENGTH] for key in ("version", "how", "why")]
            self.interpreters[pid] = Interpreter(pid, *said)
        elif isinstance(counts := entry.get("counts"), dict):
            self.counts = counts

    def _take_snapshot(self, entry: dict[str, object]) -> None:
        gil = entry.get("gil")
        stack = self.stack_at.get(_count(entry, "stack"))
        if stack is None:
            raise _DamagedLineError("its stack is not known")
        held = -1 if gil is None else int(gil is True)
        self.snapshots.append((_count(entry, "t"), _count(entry, "tid"), stack, held))

    def _take_code(self, entry: dict[str, object]) -> None:
        try:
            table = base64.b64decode(_text(entry, "table"), validate=True)
        except binascii.Error as error:
            raise _DamagedLineError("its table is no base64") from error
        line = entry.get("line")
        self.code_at[_count(entry, "code")] = len(self.codes)
        self.codes.append(
            PythonCode(
                _clean(_text(entry, "name")),
                _clean(_text(entry, "file")),
                line if isinstance(line, int) else 0,
                table,
            )
        )

    def _take_stack(self, entry: dict[str, object]) -> None:
        """Take a stack, which stands leaf first; each run ends with the frame entered from C."""
        listed = entry["frames"]
        if not isinstance(listed, list) or not 0 < len(listed) <= FRAMES_AT_MOST:
            raise _DamagedLineError("it has no frames, or too many")
        try:
            frames = [
                self.known_frames.get(tuple(one)) or self._frame(one) for one in reversed(listed)
            ]
        except TypeError as error:
            raise _DamagedLineError("a frame makes no sense") from error
        if not frames[0][2]:
            raise _DamagedLineError("its outermost frame was entered from nowhere")
        first = len(self.frames_of)
        entries = [first + place for place, frame in enumerate(frames) if frame[2]]
        self.frames_of += [frame[:2] for frame in frames]
        self.frame_offset += [*entries[1:], len(self.frames_of)]
        self.run_offset.append(self.run_offset[-1] + len(entries))
        self.stack_at[_count(entry, "stack")] = len(self.run_offset) - 2

    def _frame(self, listed: object) -> tuple[int, int, bool]:
        if (
            not isinstance(listed, list)
            or len(listed) != 3
            or not all(isinstance(part, int) for part in listed)
            or not 0 <= listed[1] < _COUNT_AT_MOST
            or listed[0] not in self.code_at
        ):
            raise _DamagedLineError("a frame makes no sense")
        frame = self.code_at[listed[0]], listed[1], bool(listed[2])
        self.known_frames[tuple(listed)] = frame
        return frame

    def frames(self, warnings: tuple[ProfileWarning, ...]) -> PythonFrames:
        """Return all that was taken."""
        rows = np.array(self.snapshots, np.int64).reshape(-1, 4)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        frames = np.array(self.frames_of, np.int64).reshape(-1, 2)
        counted = [
            value if isinstance(value, int) and value >= 0 else 0
            for value in (self.counts.get("torn"), self.counts.get("late"))
        ]
        return PythonFrames(
            codes=tuple(self.codes),
            stacks=PythonStacks(
                np.array(self.run_offset, np.int64),
                np.array(self.frame_offset, np.int64),
                frames[:, 0],
                frames[:, 1],
            ),
            time_ns=rows[:, 0].astype(np.uint64),
            tid=rows[:, 1],
            stack=rows[:, 2],
            gil=rows[:, 3].astype(np.int8),
            interpreters=tuple(self.interpreters.values()),
            torn=counted[0],
            late=counted[1],
            warnings=(*warnings, *_refusals(self.interpreters.values())),
        )


def _refusals(interpreters: Iterable[Interpreter]) -> tuple[ProfileWarning, ...]:
    found = [one for one in interpreters if one.how == "refused"]
    if not found:
        return ()
    reasons = sorted({printable(one.why) for one in found})
    processes = "one process" if len(found) == 1 else f"{len(found)} processes"
    return (
        ProfileWarning(
            "python-refused",
            f"the Python frames of {processes} were not read: {'; '.join(reasons[:3])}",
        ),
    )


def _count(entry: dict[str, object], key: str) -> int:
    value = entry.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _COUNT_AT_MOST:
        raise _DamagedLineError(f"{key} should be a count")
    return value


def _text(entry: dict[str, object], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise _DamagedLineError(f"{key} should be a text")
    return value


def _clean(text: str) -> str:
    """Return a text without lone surrogates, which stand for bytes that were no text."""
    return _SURROGATE.sub("\ufffd", text[:MAX_NAME_LENGTH])
