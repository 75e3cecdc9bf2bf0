"""Managed frames read together with the samples: runtimes.jsonl of a recording.

Format stallscope.managed-frames/1.2, one JSON object per line, written while the target ran; a
recording that was killed ends within a line. Names and paths come from the target and are not
trusted.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

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
from topdown.stacks.managed.code_ranges import NO_CODE, code_ranges, fullest_names
from topdown.stacks.managed.remedies import remedy_for
from topdown.stacks.profile_warning import ProfileWarning

FILE = b"runtimes.jsonl"
FORMAT = "stallscope.managed-frames"
MAJOR = "1"
MAX_FRAMES = 8192
MAX_SEGMENTS = 1024
_SEGMENT_WORDS = 6
_WORD_LIMIT = 1 << 64
_FRAME_WORDS = 3
_MAX_REGISTER = 32
_PID_LIMIT = 1 << 31

ManagedRuns = tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.int32],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint64],
]


class Runtime(Struct, frozen=True):
    """The managed runtime of a process; ``refusal`` says why it is not read, empty if it is."""

    pid: int
    name: str  # v8, hotspot, ruby, php
    version: str
    refusal: str
    # Begin and end of the function that calls the core of an interpreter's loop, and the DWARF
    # number of the register in which the core has its program counter.
    loop: tuple[int, int, int] | None = None


class ManagedFunction(Struct, frozen=True):
    """A function of managed code; without a name, ``reason`` says why."""

    pid: int
    name: str
    file: str
    line: int
    kind: str  # interpreted, baseline, turbofan, c2, builtin, ...
    reason: str
    code: tuple[int, int] | None = None  # begin and end of an interpreter's instructions


class ManagedStacks(Struct, frozen=True):
    """Unique runs of frames, outermost first: ``offset`` int64 (n + 1,).

    Frames: ``function`` int64, index into the functions; ``line`` int64, 0: not known.
    """

    offset: npt.NDArray[np.int64]
    function: npt.NDArray[np.int64]
    line: npt.NDArray[np.int64]


class InterpreterSamples(Struct, frozen=True):
    """Samples of interpreters that keep their frames in a stack of the runtime (Ruby, PHP).

    ``stack_of``: index of the stack by time and thread. A stack consists of runs, one per call of
    the interpreter's loop, outermost first. ``offset`` int64 (n_stacks + 1,): first run of each;
    ``run`` int64: index into the ``ManagedStacks``.
    """

    stack_of: dict[tuple[int, int], int]
    offset: npt.NDArray[np.int64]
    run: npt.NDArray[np.int64]


class Interpreters(Struct, frozen=True):
    """Interpreters whose functions can be recognised by their instructions.

    ``loops`` and ``codes``: as ``read_capture`` takes them. ``code_of`` int64 (n_functions,): the
    number of a function's code, -1 without one; ``function_of`` int64 (n_functions,): the same
    function with its class in its name, if one of them has it.
    """

    loops: npt.NDArray[np.uint64]
    codes: npt.NDArray[np.uint64]
    code_of: npt.NDArray[np.int64]
    function_of: npt.NDArray[np.int64]

    @property
    def arrays(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]] | None:
        """Return loops and codes, None without loops."""
        return (self.loops, self.codes) if len(self.loops) else None


class ManagedFrames(Struct, frozen=True):
    """The managed frames of a recording.

    ``runs``: times, threads and segments of the samples, as ``read_capture`` takes them; the number
    of a segment is an index into ``stacks``. ``failures``: the reason of samples that were not
    read, by time and thread.
    """

    runtimes: tuple[Runtime, ...]
    functions: tuple[ManagedFunction, ...]
    stacks: ManagedStacks
    runs: ManagedRuns
    failures: dict[tuple[int, int], str]
    warnings: tuple[ProfileWarning, ...]
    interpreted: InterpreterSamples
    interpreters: Interpreters


def read_managed_frames(recording: Path) -> ManagedFrames | None:
    """Return the managed frames of a recording, None if it has none.

    From a damaged file the part before the damage is returned, with a warning.
    """
    try:
        with open_in_root(recording, FILE) as file:
            return _read(file)
    except MissingFileError:
        return None
    except RefusedFileError as error:
        warning = ProfileWarning("runtime-frames-refused", printable(error.message))
        return _Collector().frames((warning,))


def _read(file: RegularFile) -> ManagedFrames:
    collector = _Collector()
    damage = read_entries(file, FORMAT, MAJOR, collector.add)
    if not damage:
        return collector.frames(())
    message = f"{damage}: only the managed frames before it are shown"
    return collector.frames((ProfileWarning("runtime-frames-damaged", message),))


class _Collector(Struct):
    """Collects the entries of the file."""

    runtimes: dict[int, Runtime] = field(default_factory=dict)
    functions: list[ManagedFunction] = field(default_factory=list)
    function_at: dict[int, int] = field(default_factory=dict)
    stack_at: dict[int, int] = field(default_factory=dict)
    offset: list[int] = field(default_factory=lambda: [0])
    frames_of: list[tuple[int, int]] = field(default_factory=list)
    samples: list[tuple[int, int, list[list[int]]]] = field(default_factory=list)
    failures: dict[tuple[int, int], str] = field(default_factory=dict)
    runs_of: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def add(self, entry: dict[str, object]) -> None:
        """Add the entry of a line; raises DamagedLineError. Unknown entries are ignored."""
        if "t" in entry:
            self._add_sample(entry)
        elif "frames" in entry:
            self._add_stack(entry)
        elif "function" in entry:
            self._add_function(entry)
        elif "runtime" in entry:
            pid = count_of(entry, "runtime")
            name, version, refusal = (
                printable(text_of(entry, key)[:MAX_NAME_LENGTH])
                for key in ("name", "version", "refusal")
            )
            self.runtimes[pid] = Runtime(pid, name, version, refusal, _loop(entry))

    def _add_sample(self, entry: dict[str, object]) -> None:
        moment = count_of(entry, "t"), count_of(entry, "tid")
        if "failed" in entry:
            self.failures[moment] = printable(text_of(entry, "failed")[:MAX_NAME_LENGTH])
            return
        listed = entry.get("segments")
        if not isinstance(listed, list) or len(listed) > MAX_SEGMENTS:
            raise DamagedLineError(f"expected at most {MAX_SEGMENTS} segments")
        self.samples.append((*moment, [self._segment(segment) for segment in listed]))
        if entry.get("runs"):
            self.runs_of[moment] = self._runs(entry["runs"])

    def _runs(self, listed: object) -> tuple[int, ...]:
        """Return the runs of a sample, outermost first."""
        if not isinstance(listed, list) or len(listed) > MAX_SEGMENTS:
            raise DamagedLineError(f"expected at most {MAX_SEGMENTS} runs")
        if any(not isinstance(stack, int) or stack not in self.stack_at for stack in listed):
            raise DamagedLineError("unknown stack number")
        return tuple(self.stack_at[stack] for stack in reversed(listed))

    def _interpreted(self) -> InterpreterSamples:
        numbers: dict[tuple[int, ...], int] = {}
        stack_of = {
            moment: numbers.setdefault(runs, len(numbers)) for moment, runs in self.runs_of.items()
        }
        return InterpreterSamples(
            stack_of,
            np.append(0, np.cumsum([len(runs) for runs in numbers])).astype(np.int64),
            np.array([run for runs in numbers for run in runs], np.int64),
        )

    def _segment(self, listed: object) -> list[int]:
        words = _counts(listed, _SEGMENT_WORDS)
        if words is None:
            raise DamagedLineError("malformed segment")
        *registers, stack = words
        if stack not in self.stack_at:
            raise DamagedLineError("unknown stack number")
        return [*registers, self.stack_at[stack]]

    def _add_function(self, entry: dict[str, object]) -> None:
        self.function_at[count_of(entry, "function")] = len(self.functions)
        self.functions.append(
            ManagedFunction(
                count_of(entry, "pid"),
                clean(text_of(entry, "name")),
                clean(text_of(entry, "file")),
                count_of(entry, "line"),
                text_of(entry, "kind")[:MAX_NAME_LENGTH],
                printable(text_of(entry, "reason")[:MAX_NAME_LENGTH]),
                _code(entry),
            )
        )

    def _add_stack(self, entry: dict[str, object]) -> None:
        listed = entry["frames"]
        if not isinstance(listed, list) or not 0 < len(listed) <= MAX_FRAMES:
            raise DamagedLineError(f"expected 1 to {MAX_FRAMES} frames")
        for frame in reversed(listed):
            words = _counts(frame, _FRAME_WORDS)
            if words is None or words[0] not in self.function_at or words[1] >= MAX_COUNT:
                raise DamagedLineError("malformed frame")
            self.frames_of.append((self.function_at[words[0]], words[1]))
        self.offset.append(len(self.frames_of))
        self.stack_at[count_of(entry, "stack")] = len(self.offset) - 2

    def frames(self, warnings: tuple[ProfileWarning, ...]) -> ManagedFrames:
        """Return the collected frames."""
        self.samples.sort(key=lambda sample: sample[0])
        frames = np.array(self.frames_of, np.int64).reshape(-1, 2)
        segments = [segment for _, _, listed in self.samples for segment in listed]
        lengths = [len(listed) for _, _, listed in self.samples]
        return ManagedFrames(
            runtimes=tuple(self.runtimes.values()),
            functions=tuple(self.functions),
            stacks=ManagedStacks(np.array(self.offset, np.int64), frames[:, 0], frames[:, 1]),
            runs=(
                np.array([time for time, _, _ in self.samples], np.uint64),
                np.array([tid for _, tid, _ in self.samples], np.int64).astype(np.int32),
                np.append(0, np.cumsum(lengths)).astype(np.uint64),
                np.array(segments, np.uint64).reshape(-1, _SEGMENT_WORDS),
            ),
            failures=self.failures,
            warnings=(*warnings, *_refusals(self.runtimes)),
            interpreted=self._interpreted(),
            interpreters=self._interpreters(),
        )

    def _interpreters(self) -> Interpreters:
        loops = [
            (runtime.pid, *runtime.loop)
            for runtime in self.runtimes.values()
            if runtime.loop and runtime.pid < _PID_LIMIT
        ]
        pids = {pid for pid, *_ in loops}
        coded = [
            (number, (function.pid, function.code))
            for number, function in enumerate(self.functions)
            if function.code is not None and function.pid in pids
        ]
        ranges, numbers = code_ranges(function for _, function in coded)
        code_of = np.full(len(self.functions), NO_CODE, np.int64)
        code_of[[function for function, _ in coded]] = numbers
        codes = [(*item, number) for number, item in enumerate(ranges)]
        named = [
            (code, function.name, function.file)
            for code, function in zip(code_of.tolist(), self.functions, strict=True)
        ]
        return Interpreters(
            np.array(loops, np.uint64).reshape(-1, 4),
            np.array(codes, np.uint64).reshape(-1, 4),
            code_of,
            np.array(fullest_names(named), np.int64),
        )


def _loop(entry: dict[str, object]) -> tuple[int, int, int] | None:
    if "loop" not in entry:
        return None
    words = _counts(entry["loop"], 3)
    if words is None or words[2] > _MAX_REGISTER:
        raise DamagedLineError("malformed loop")
    return words[0], words[1], words[2]


def _code(entry: dict[str, object]) -> tuple[int, int] | None:
    if "code" not in entry:
        return None
    words = _counts(entry["code"], 2)
    if words is None or words[0] > words[1]:
        raise DamagedLineError("malformed code")
    return words[0], words[1]


def _counts(listed: object, length: int) -> list[int] | None:
    """Return a list of this many unsigned words, None for anything else."""
    if not isinstance(listed, list) or len(listed) != length:
        return None
    words = [word for word in listed if isinstance(word, int) and 0 <= word < _WORD_LIMIT]
    return words if len(words) == length else None


def _refusals(runtimes: dict[int, Runtime]) -> tuple[ProfileWarning, ...]:
    refused = [runtime for runtime in runtimes.values() if runtime.refusal]
    return tuple(
        ProfileWarning(
            "runtime-refused",
            f"Frames of process {runtime.pid} ({runtime.name} {runtime.version}) have no names: "
            f"{runtime.refusal}; {remedy_for(runtime.name)}",
        )
        for runtime in refused[:3]
    )
