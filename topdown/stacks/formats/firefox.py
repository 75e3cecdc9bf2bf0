"""Files of the Firefox Profiler (profiler.firefox.com): its processed format, version 49.

Each thread has its own tables of strings, functions, frames and stacks. Samples have the times of
the recording if it has them; otherwise they follow each other, and `meta.stallscope` says that
these times are not measured. Weights of time are in ms.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeVar

import msgspec

from stallscope.errors import RecordingError
from topdown.stacks.formats.profile_builder import ProfileBuilder, kind_of
from topdown.stacks.formats.profile_tables import FRAME_TYPES
from topdown.stacks.formats.thread_stacks import StackRow, ThreadStacks, thread_stacks
from topdown.stacks.profile import UNKNOWN_SCOPE, FunctionKind, Profile, SampleSource, Thread
from topdown.stacks.profile_warning import ProfileWarning

Entry = TypeVar("Entry")
VERSION = 49
_CATEGORIES = (
    ("User", "yellow"),
    ("Kernel", "orange"),
    ("Managed", "blue"),
    ("Other", "grey"),
)
_MANAGED = (
    FunctionKind.PYTHON,
    FunctionKind.JAVASCRIPT,
    FunctionKind.JAVA,
    FunctionKind.RUBY,
    FunctionKind.PHP,
)
_NS_PER_MS = 1e6
_LATEST_MS = 1e12  # 31 years
_UNITS = {"tracing-ms": "ns", "bytes": "bytes"}  # of other weights: samples
_LIBRARY = 1  # the type of a resource that is a library


def _category(kind: FunctionKind) -> int:
    if kind in (FunctionKind.USER, FunctionKind.INLINED):
        return 0
    if kind == FunctionKind.KERNEL:
        return 1
    return 2 if kind in _MANAGED else 3


def encode_firefox(profile: Profile, product: str, start_ms: float = 0.0) -> bytes:
    """Return the profile as a file; ``start_ms``: its start since 1970."""
    in_time = profile.source.unit == "ns"
    interval_ms = 1000 / profile.source.frequency_hz if profile.source.frequency_hz else 1.0
    content = {
        "meta": {
            "interval": interval_ms,
            "startTime": start_ms,
            "product": product,
            "processType": 0,
            "version": 24,
            "preprocessedProfileVersion": VERSION,
            "stackwalk": 1,
            "debug": False,
            "symbolicated": True,
            "usesOnlyOneStackType": True,
            "doesNotUseFrameImplementation": True,
            "sourceCodeIsNotOnSearchfox": True,
            "categories": [
                {"name": name, "color": color, "subcategories": ["Other"]}
                for name, color in _CATEGORIES
            ],
            "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs"},
            "markerSchema": [],
            "stallscope": {"hasTimes": profile.times is not None},
            "extensions": {"id": [], "name": [], "baseURL": [], "length": 0},
        },
        "libs": [],
        "pages": [],
        "counters": [],
        "profilerOverhead": [],
        "threads": [
            _Thread(profile, stacks).document(in_time=in_time) for stacks in thread_stacks(profile)
        ],
    }
    return msgspec.json.encode(content)


class _Thread:
    """The tables of a thread; numbers are given in the order of the first use."""

    def __init__(self, profile: Profile, stacks: ThreadStacks) -> None:
        self._profile = profile
        self._stacks = stacks
        self._strings: dict[str, int] = {}
        self._functions: dict[int, int] = {}
        self._resources: dict[str, int] = {}
        self._nodes: dict[tuple[int | None, int], int] = {}
        self._prefixes: list[int | None] = []
        self._frames: list[int] = []

    def _text(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _stack(self, functions: tuple[int, ...]) -> int | None:
        """Return the number of a stack; it and its callers are added if they are new."""
        number: int | None = None
        for depth in range(1, len(functions) + 1):
            key = (number, functions[depth - 1])
            child = self._nodes.get(key)
            if child is None:
                child = self._nodes[key] = len(self._frames)
                self._prefixes.append(number)
                function = self._functions.setdefault(key[1], len(self._functions))
                self._frames.append(function)
            number = child
        return number

    def document(self, *, in_time: bool) -> dict[str, Any]:
        """Return the thread as the format has it."""
        profile, stacks = self._profile, self._stacks
        thread = profile.threads[stacks.thread]
        samples = self._samples(in_time=in_time)
        functions = [profile.functions[number] for number in self._functions]
        categories = [_category(function.kind) for function in functions]
        resources = [
            self._resources.setdefault(function.module, len(self._resources))
            if function.module
            else -1
            for function in functions
        ]
        count = len(functions)
        function_table = {
            "length": count,
            "name": [self._text(function.name) for function in functions],
            "isJS": [function.kind == FunctionKind.JAVASCRIPT for function in functions],
            "relevantForJS": [False] * count,
            "resource": resources,
            "fileName": [
                self._text(function.module) if function.kind in _MANAGED else None
                for function in functions
            ],
            "lineNumber": [None] * count,
            "columnNumber": [None] * count,
        }
        resource_names = [self._text(name) for name in self._resources]
        return {
            "name": thread.thread_name,
            "isMainThread": thread.pid == thread.tid,
            "processType": "default",
            "processName": thread.process_name,
            "processStartupTime": 0,
            "processShutdownTime": None,
            "registerTime": 0,
            "unregisterTime": None,
            "pausedRanges": [],
            "pid": str(thread.pid),
            "tid": thread.tid,
            "samples": samples,
            "markers": _empty_table("category", "data", "endTime", "name", "phase", "startTime"),
            "stackTable": {
                "length": len(self._frames),
                "prefix": self._prefixes,
                "frame": self._frames,
                "category": [categories[frame] for frame in self._frames],
                "subcategory": [0] * len(self._frames),
            },
            "frameTable": {
                "length": count,
                "address": [-1] * count,
                "inlineDepth": [0] * count,
                "category": categories,
                "subcategory": [0] * count,
                "func": list(range(count)),
                "nativeSymbol": [None] * count,
                "innerWindowID": [None] * count,
                "implementation": [FRAME_TYPES.get(function.kind) for function in functions],
                "line": [None] * count,
                "column": [None] * count,
            },
            "funcTable": function_table,
            "resourceTable": {
                "length": len(resource_names),
                "lib": [None] * len(resource_names),
                "name": resource_names,
                "host": [None] * len(resource_names),
                "type": [_LIBRARY] * len(resource_names),
            },
            "nativeSymbols": _empty_table("libIndex", "address", "name", "functionSize"),
            "stringArray": list(self._strings),
        }

    def _samples(self, *, in_time: bool) -> dict[str, Any]:
        rows = self._timed_rows()
        numbers = [self._stack(row.functions) for _, row in rows]
        times = [time_ns / _NS_PER_MS for time_ns, _ in rows]
        weights = [row.value / _NS_PER_MS if in_time else row.value for _, row in rows]
        return {
            "length": len(rows),
            "stack": numbers,
            "timeDeltas": [
                time - before for before, time in zip([0.0, *times], times, strict=False)
            ],
            "weight": weights,
            "weightType": "tracing-ms" if in_time else "samples",
        }

    def _timed_rows(self) -> list[tuple[int, StackRow]]:
        """Return the samples with their times; without times each stack follows the one before."""
        rows, times = self._stacks.rows, self._profile.times
        if times is None:
            timed = []
            time_ns = 0
            for row in rows:
                timed.append((time_ns, row))
                time_ns += row.value
            return timed
        by_node = {row.node: row for row in rows}
        selected = times.thread == self._stacks.thread
        columns = zip(
            times.time_ns[selected].tolist(),
            times.node[selected].tolist(),
            times.value[selected].tolist(),
            strict=True,
        )
        return [
            (time_ns, StackRow(node, by_node[node].functions, 1, value))
            for time_ns, node, value in columns
            if value > 0 and node in by_node
        ]


def _empty_table(*columns: str) -> dict[str, Any]:
    return {"length": 0, **{column: [] for column in columns}}


class _Samples(msgspec.Struct):
    length: int
    stack: list[int | None]
    weight: list[float] | None = None
    weight_type: str = msgspec.field(default="samples", name="weightType")
    time: list[float | None] | None = None
    time_deltas: list[float] | None = msgspec.field(default=None, name="timeDeltas")


class _StackTable(msgspec.Struct):
    prefix: list[int | None]
    frame: list[int]


class _FrameTable(msgspec.Struct):
    func: list[int]


class _FunctionTable(msgspec.Struct):
    name: list[int]
    resource: list[int] = msgspec.field(default_factory=list)


class _ResourceTable(msgspec.Struct):
    name: list[int]


class _ReadThread(msgspec.Struct, kw_only=True):
    name: str
    pid: str | int = ""
    tid: str | int = 0
    process_name: str | None = msgspec.field(default=None, name="processName")
    samples: _Samples
    stack_table: _StackTable = msgspec.field(name="stackTable")
    frame_table: _FrameTable = msgspec.field(name="frameTable")
    function_table: _FunctionTable = msgspec.field(name="funcTable")
    resource_table: _ResourceTable = msgspec.field(name="resourceTable")
    strings: list[str] = msgspec.field(name="stringArray")


class _OwnMeta(msgspec.Struct):
    has_times: bool = msgspec.field(default=True, name="hasTimes")


class _Meta(msgspec.Struct):
    interval: float = 1.0
    stallscope: _OwnMeta = msgspec.field(default_factory=_OwnMeta)


class _File(msgspec.Struct):
    meta: _Meta
    threads: list[_ReadThread]


def decode_firefox(content: bytes, name: str) -> Profile:
    """Return the samples of all threads of a file; RecordingError if it is malformed."""
    try:
        file = msgspec.json.decode(content, type=_File)
        return _profile(file, name)
    except (msgspec.DecodeError, IndexError, ValueError) as error:
        raise RecordingError(
            f"{name} is not a file of the Firefox Profiler that can be read: {error}",
            f"version {VERSION} of the format and older ones are read, newer ones are not",
        ) from error


def _profile(file: _File, name: str) -> Profile:
    builder = ProfileBuilder()
    units = [_unit(thread.samples) for thread in file.threads]
    # Without weights a sample is the interval of the timer, unless other threads count samples.
    unit = next((unit for unit in units if unit is not None), "ns")
    left_out = 0
    for thread, own_unit in zip(file.threads, units, strict=True):
        if own_unit in (None, unit):
            _add_thread(builder, thread, file.meta, unit)
        else:
            left_out += 1
    warnings: tuple[ProfileWarning, ...] = ()
    if left_out:
        message = f"{left_out:,} threads whose weights are not {unit} are left out"
        warnings = (ProfileWarning("import", message),)
    event = "time" if unit == "ns" else unit
    source = SampleSource(event, "measured", unit, None, None, UNKNOWN_SCOPE)
    return builder.build(source, name, warnings=warnings)


def _unit(samples: _Samples) -> str | None:
    """Return the unit of the weights; None if there are none."""
    if samples.weight is None:
        return None
    return _UNITS.get(samples.weight_type, "samples")


def _add_thread(builder: ProfileBuilder, thread: _ReadThread, meta: _Meta, unit: str) -> None:
    nodes = _read_nodes(builder, thread)
    process = thread.process_name or thread.name
    number = builder.thread(Thread(_number(thread.pid), _number(thread.tid), process, thread.name))
    weights = thread.samples.weight
    usual = meta.interval if unit == "ns" else 1.0
    factor = _NS_PER_MS if unit == "ns" else 1.0
    if weights is not None and len(weights) != len(thread.samples.stack):
        raise ValueError("there are not as many weights as samples")
    times_ns = _times_ns(thread.samples) if meta.stallscope.has_times else None
    for index, stack in enumerate(thread.samples.stack):
        value = round((usual if weights is None else weights[index]) * factor)
        if stack is not None and value > 0:
            node = _entry(nodes, stack)
            builder.add_at(node, number, samples=1, value=value)
            time_ns = None if times_ns is None else times_ns[index]
            if time_ns is not None:
                builder.track.add(time_ns, node=node, thread=number, value=value)


def _times_ns(samples: _Samples) -> list[int | None] | None:
    """Return the time of each sample since the start of the recording; None without times."""
    times = samples.time
    if times is None:
        if samples.time_deltas is None:
            return None
        times = list(accumulate(samples.time_deltas))
    if len(times) != len(samples.stack):
        raise ValueError("there are not as many times as samples")
    return [
        None if time is None else round(min(max(time, -_LATEST_MS), _LATEST_MS) * _NS_PER_MS)
        for time in times
    ]


def _read_nodes(builder: ProfileBuilder, thread: _ReadThread) -> list[int]:
    """Return the node of each entry of the stack table."""
    functions = []
    resources = thread.function_table.resource
    for index, text in enumerate(thread.function_table.name):
        resource = resources[index] if index < len(resources) else -1
        names, strings = thread.resource_table.name, thread.strings
        module = _entry(strings, _entry(names, resource)) if resource >= 0 else ""
        name = _entry(strings, text)
        functions.append(builder.function(name, module, kind_of(name, module)))
    nodes: list[int] = []
    table = thread.stack_table
    for index, (prefix, frame) in enumerate(zip(table.prefix, table.frame, strict=True)):
        if prefix is not None and not 0 <= prefix < index:
            raise ValueError("a stack precedes its caller")
        caller = 0 if prefix is None else nodes[prefix]
        function = _entry(functions, _entry(thread.frame_table.func, frame))
        nodes.append(builder.node(caller, function))
    return nodes


def _entry(table: Sequence[Entry], number: int) -> Entry:
    if not 0 <= number < len(table):
        raise ValueError(f"there is no entry {number} in a table of {len(table)}")
    return table[number]


def _number(text: str | int) -> int:
    if isinstance(text, int):
        return text
    digits = text.split(".")[0]
    return int(digits) if digits.isdecimal() and len(digits) < 18 else 0
