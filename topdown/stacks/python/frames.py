"""Python frames read together with the samples: python.jsonl of a recording.

Format stallscope.python-frames/1.0, one JSON object per line, written while the target ran; a
recording that was killed ends within a line. Names and paths come from the target and are not
trusted.
"""

import base64
import binascii
from collections.abc import Iterable
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
from topdown.stacks.json_lines import (
    MAX_COUNT,
    DamagedLineError,
    clean,
    count_of,
    read_entries,
    text_of,
)
from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.python.line_table import LineTable, decode_lines

FILE = b"python.jsonl"
FORMAT = "stallscope.python-frames"
MAJOR = "1"
MAX_FRAMES = 1024


@dataclass(frozen=True, slots=True)
class PythonCode:
    """A code object: its qualified name, its file, and the location table of its instructions."""

    name: str
    file: str
    first_line: int
    table: bytes

    def lines(self) -> LineTable:
        """Return the source lines of the instructions."""
        return decode_lines(self.table, self.first_line)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The CPython interpreter of a process: its version, and how its frames were read."""

    pid: int
    version: str
    how: (
        str  # "offsets" (read), "trampoline" (names its functions by perf trampolines) or "refused"
    )
    why: str


@dataclass(frozen=True, slots=True)
class PythonStacks:
    """Unique stacks of Python frames. A stack consists of runs; a run is one call from C.

    Everything is ordered outermost first. ``run_offset`` int64 (n_stacks + 1,): first run of each
    stack. ``frame_offset`` int64 (n_runs + 1,): first frame of each run. Frames: ``code`` int64,
    index into the codes; ``instruction`` int64, byte offset.
    """

    run_offset: npt.NDArray[np.int64]
    frame_offset: npt.NDArray[np.int64]
    code: npt.NDArray[np.int64]
    instruction: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PythonFrames:
    """The Python frames of a recording. Snapshots are arrays (n_snapshots,) by ascending time.

    ``time_ns`` uint64: time of the sample; ``tid`` int64; ``stack`` int64: index of the stack;
    ``gil`` int8: 1 held, 0 not held, -1 not known.
    """

    codes: tuple[PythonCode, ...]
    stacks: PythonStacks
    time_ns: npt.NDArray[np.uint64]
    tid: npt.NDArray[np.int64]
    stack: npt.NDArray[np.int64]
    gil: npt.NDArray[np.int8]
    interpreters: tuple[Interpreter, ...]
    torn: int  # reads aborted because the stack changed
    late: int  # samples that were too old when they were processed
    warnings: tuple[ProfileWarning, ...]


def read_python_frames(recording: Path) -> PythonFrames | None:
    """Return the Python frames of a recording, None if it has none.

    From a damaged file the part before the damage is returned, with a warning.
    """
    try:
        with open_in_root(recording, FILE) as file:
            return _read(file)
    except MissingFileError:
        return None
    except RefusedFileError as error:
        warning = ProfileWarning("python-frames-refused", f"{printable(error.message)}")
        return _FrameCollector().frames((warning,))


def _read(file: RegularFile) -> PythonFrames:
    collector = _FrameCollector()
    damage = read_entries(file, FORMAT, MAJOR, collector.add)
    if not damage:
        return collector.frames(())
    message = f"{damage}: only the Python frames before it are shown"
    return collector.frames((ProfileWarning("python-frames-damaged", message),))


@dataclass(slots=True)
class _FrameCollector:
    """Collects the entries of the file."""

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

    def add(self, entry: dict[str, object]) -> None:
        """Add the entry of a line; raises DamagedLineError. Unknown entries are ignored."""
        if "t" in entry:
            self._add_snapshot(entry)
        elif "frames" in entry:
            self._add_stack(entry)
        elif "code" in entry:
            self._add_code(entry)
        elif "interpreter" in entry:
            pid = count_of(entry, "interpreter")
            texts = [text_of(entry, key)[:MAX_NAME_LENGTH] for key in ("version", "how", "why")]
            self.interpreters[pid] = Interpreter(pid, *texts)
        elif isinstance(counts := entry.get("counts"), dict):
            self.counts = counts

    def _add_snapshot(self, entry: dict[str, object]) -> None:
        gil = entry.get("gil")
        stack = self.stack_at.get(count_of(entry, "stack"))
        if stack is None:
            raise DamagedLineError("unknown stack number")
        held = -1 if gil is None else int(gil is True)
        self.snapshots.append((count_of(entry, "t"), count_of(entry, "tid"), stack, held))

    def _add_code(self, entry: dict[str, object]) -> None:
        try:
            table = base64.b64decode(text_of(entry, "table"), validate=True)
        except binascii.Error as error:
            raise DamagedLineError("the location table is not base64") from error
        line = entry.get("line")
        self.code_at[count_of(entry, "code")] = len(self.codes)
        self.codes.append(
            PythonCode(
                clean(text_of(entry, "name")),
                clean(text_of(entry, "file")),
                line if isinstance(line, int) else 0,
                table,
            )
        )

    def _add_stack(self, entry: dict[str, object]) -> None:
        """Add a stack, listed leaf first; each run ends with the frame that C code entered."""
        listed = entry["frames"]
        if not isinstance(listed, list) or not 0 < len(listed) <= MAX_FRAMES:
            raise DamagedLineError(f"expected 1 to {MAX_FRAMES} frames")
        try:
            frames = [
                self.known_frames.get(tuple(frame)) or self._frame(frame)
                for frame in reversed(listed)
            ]
        except TypeError as error:
            raise DamagedLineError("malformed frame") from error
        if not frames[0][2]:
            raise DamagedLineError("the outermost frame has no entry from C")
        first = len(self.frames_of)
        entries = [first + index for index, frame in enumerate(frames) if frame[2]]
        self.frames_of += [frame[:2] for frame in frames]
        self.frame_offset += [*entries[1:], len(self.frames_of)]
        self.run_offset.append(self.run_offset[-1] + len(entries))
        self.stack_at[count_of(entry, "stack")] = len(self.run_offset) - 2

    def _frame(self, listed: object) -> tuple[int, int, bool]:
        if (
            not isinstance(listed, list)
            or len(listed) != 3
            or not all(isinstance(part, int) for part in listed)
            or not 0 <= listed[1] < MAX_COUNT
            or listed[0] not in self.code_at
        ):
            raise DamagedLineError("malformed frame")
        frame = self.code_at[listed[0]], listed[1], bool(listed[2])
        self.known_frames[tuple(listed)] = frame
        return frame

    def frames(self, warnings: tuple[ProfileWarning, ...]) -> PythonFrames:
        """Return the collected frames."""
        rows = np.array(self.snapshots, np.int64).reshape(-1, 4)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        frames = np.array(self.frames_of, np.int64).reshape(-1, 2)
        read_counts = [
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
            torn=read_counts[0],
            late=read_counts[1],
            warnings=(*warnings, *_refusals(self.interpreters.values())),
        )


def _refusals(interpreters: Iterable[Interpreter]) -> tuple[ProfileWarning, ...]:
    refused = [interpreter for interpreter in interpreters if interpreter.how == "refused"]
    if not refused:
        return ()
    reasons = sorted({printable(interpreter.why) for interpreter in refused})
    processes = "one process" if len(refused) == 1 else f"{len(refused)} processes"
    return (
        ProfileWarning(
            "python-refused",
            f"Python frames of {processes} were not read: {'; '.join(reasons[:3])}",
        ),
    )
