"""Profiles as stack tables, and back."""

import math

from stallscope.errors import RecordingError
from topdown.stacks.formats.profile_builder import ProfileBuilder, kind_of
from topdown.stacks.formats.stack_tables import (
    Label,
    Location,
    Mapping,
    SourceFunction,
    SourceLine,
    StackKey,
    StackTables,
    ValueType,
    add_values,
)
from topdown.stacks.profile import (
    UNKNOWN_SCOPE,
    Function,
    FunctionKind,
    Profile,
    SampleSource,
    Thread,
)
from topdown.stacks.profile_warning import ProfileWarning

# OpenTelemetry's semantic conventions for profile.frame.type.
FRAME_TYPES = {
    FunctionKind.KERNEL: "kernel",
    FunctionKind.PYTHON: "cpython",
    FunctionKind.JAVASCRIPT: "v8js",
    FunctionKind.JAVA: "jvm",
    FunctionKind.RUBY: "ruby",
    FunctionKind.PHP: "php",
    FunctionKind.USER: "native",
    FunctionKind.UNKNOWN: "native",
}
_KINDS = {text: kind for kind, text in FRAME_TYPES.items() if kind != FunctionKind.UNKNOWN}
_SOURCE_KINDS = (
    FunctionKind.PYTHON,
    FunctionKind.JAVASCRIPT,
    FunctionKind.RUBY,
    FunctionKind.PHP,
)  # their module is a source file
_UNITS = {"ns": "nanoseconds"}
_COUNT = ValueType("samples", "count")
# Keys of labels in pprof files of other tools and in OpenTelemetry's conventions.
_PROCESS_KEYS = ("process.executable.name", "comm", "process")
_THREAD_KEYS = ("thread.name", "thread", "thread_name")
_PID_KEYS = ("process.pid", "pid")
_TID_KEYS = ("thread.id", "tid", "thread_id")
_TIME_KEYS = ("end_timestamp_ns", "timestamp_ns")  # numbers in ns since 1970


def tables_of(profile: Profile, *, time_ns: int = 0) -> StackTables:
    """Return the samples of a profile; ``time_ns``: its start since 1970, 0 if not known."""
    stacks = _Stacks(profile)
    unit = _UNITS.get(profile.source.unit, profile.source.unit)
    weight = ValueType(profile.source.event, unit)
    samples: dict[StackKey, tuple[int, ...]] = {}
    rows = zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_samples.tolist(),
        profile.weight_value.tolist(),
        strict=True,
    )
    for node, thread, count, value in rows:
        labels = _thread_labels(profile.threads[thread])
        add_values(samples, StackKey(stacks.locations(node), labels), (count, value))
    return StackTables(
        value_types=(_COUNT, weight),
        samples=samples,
        period_type=weight,
        period=_period(profile.source),
        time_ns=time_ns,
        duration_ns=round(profile.duration_s * 1e9) if math.isfinite(profile.duration_s) else 0,
        comments=(profile.title,) if profile.title else (),
    )


def profile_of(tables: StackTables, title: str, value_type: str = "") -> Profile:
    """Return the profile of a type of value.

    By default it is the type that the file names, or the last one, as for pprof. RecordingError if
    there is no such type.
    """
    column = _column(tables, value_type or tables.default_type, title)
    counts = _counts_of(tables, column)
    builder = ProfileBuilder()
    numbers: dict[Location, tuple[int, ...]] = {}
    negative = 0
    for key, values in tables.samples.items():
        value = values[column]
        if value <= 0:
            negative += value < 0
            continue
        frames: list[int] = []
        for location in reversed(key.locations):
            functions = numbers.get(location)
            if functions is None:
                functions = numbers[location] = tuple(_functions(builder, location))
            frames += functions
        samples = max(0, values[counts]) if counts is not None else 1
        thread = builder.thread(_thread((*tables.attributes, *key.labels)))
        node = builder.add(frames, thread, samples=samples, value=value)
        times_ns = key.times_ns or _times_of_labels(key.labels)
        for time_ns, part in zip(times_ns, _parts(value, len(times_ns)), strict=True):
            builder.track.add(time_ns, node=node, thread=thread, value=part)
    kind = tables.value_types[column]
    unit = "ns" if kind.unit in ("nanoseconds", "ns") else kind.unit or "events"
    period = tables.period if tables.period_type == kind and tables.period > 0 else None
    source = SampleSource(kind.name or "samples", "measured", unit, None, period, UNKNOWN_SCOPE)
    duration_s = tables.duration_ns / 1e9 if tables.duration_ns else math.nan
    warnings: tuple[ProfileWarning, ...] = ()
    if negative:
        message = f"{negative:,} stacks with a negative value are left out, as of a difference"
        warnings = (ProfileWarning("import", message),)
    return builder.build(source, title, duration_s=duration_s, warnings=warnings)


def _times_of_labels(labels: tuple[Label, ...]) -> tuple[int, ...]:
    return tuple(
        label.value
        for label in labels
        if label.key in _TIME_KEYS and isinstance(label.value, int) and label.value > 0
    )[:1]


def _parts(value: int, count: int) -> list[int]:
    """Return a value divided by the times at which it was sampled; the sum is the value."""
    return [value * (n + 1) // count - value * n // count for n in range(count)]


def _column(tables: StackTables, value_type: str, title: str) -> int:
    names = [kind.name for kind in tables.value_types]
    if value_type in names:
        return names.index(value_type)
    if value_type and value_type != tables.default_type:
        raise RecordingError(
            f"{title} has no type of value {value_type}", f"its types: {', '.join(names)}"
        )
    return len(names) - 1


def _counts_of(tables: StackTables, column: int) -> int | None:
    """Return the column that counts the samples of a column: itself, or the nearest before it.

    A heap profile has the types inuse_objects, inuse_space, alloc_objects, alloc_space.
    """
    counts = [n for n, kind in enumerate(tables.value_types) if kind.unit == "count"]
    before = [n for n in counts if n <= column]
    return max(before) if before else min(counts, default=None)


def _period(source: SampleSource) -> int:
    if source.period:
        return source.period
    return round(1e9 / source.frequency_hz) if source.frequency_hz and source.unit == "ns" else 0


class _Stacks:
    """The locations of nodes; an inlined function shares the location of its caller."""

    def __init__(self, profile: Profile) -> None:
        self._parent = profile.node_parent.tolist()
        self._function = profile.node_function.tolist()
        self._functions = profile.functions
        self._known: dict[int, tuple[Location, ...]] = {}

    def locations(self, node: int) -> tuple[Location, ...]:
        """Return the locations from a node to the root."""
        path = []
        while node > 0 and node not in self._known:
            path.append(node)
            node = self._parent[node]
        locations = self._known.get(node, ())
        for step in reversed(path):
            function = self._functions[self._function[step]]
            line = SourceLine(_source_function(function))
            if function.kind == FunctionKind.INLINED and locations:
                outer = locations[0]
                inner = Location((line, *outer.lines), outer.mapping, 0, outer.frame_type)
                locations = (inner, *locations[1:])
            else:
                frame_type = FRAME_TYPES.get(function.kind, "")
                locations = (Location((line,), _mapping(function), 0, frame_type), *locations)
            self._known[step] = locations
        return locations


def _source_function(function: Function) -> SourceFunction:
    if function.kind in _SOURCE_KINDS:
        return SourceFunction(function.name, function.name, function.module)
    return SourceFunction(function.name, function.name)


def _mapping(function: Function) -> Mapping | None:
    if function.kind in _SOURCE_KINDS or not function.module:
        return None
    return Mapping(function.module)


def _thread_labels(thread: Thread) -> tuple[Label, ...]:
    return (
        Label("process.executable.name", thread.process_name),
        Label("process.pid", thread.pid),
        Label("thread.id", thread.tid),
        Label("thread.name", thread.thread_name),
    )


def _thread(labels: tuple[Label, ...]) -> Thread:
    values = {label.key: label.value for label in labels}
    process = next((str(values[key]) for key in _PROCESS_KEYS if key in values), "")
    thread = next((str(values[key]) for key in _THREAD_KEYS if key in values), process)
    return Thread(_number(values, _PID_KEYS), _number(values, _TID_KEYS), process or thread, thread)


def _number(values: dict[str, str | int], keys: tuple[str, ...]) -> int:
    for key in keys:
        value = values.get(key)
        if isinstance(value, int):
            return value
        if isinstance(value, str) and value.isdecimal() and len(value) < 18:
            return int(value)
    return 0


def _functions(builder: ProfileBuilder, location: Location) -> list[int]:
    """Return the functions of a location, the outermost first."""
    path = location.mapping.path if location.mapping is not None else ""
    if not location.lines:
        name = f"{path.rsplit('/', 1)[-1]}+{location.address:#x}" if path else "[unknown]"
        return [builder.function(name, path, FunctionKind.UNKNOWN)]
    functions = []
    for depth, line in enumerate(reversed(location.lines)):
        function = line.function
        kind = _KINDS.get(location.frame_type, kind_of(function.name, path))
        if kind == FunctionKind.USER:
            kind = kind_of(function.name, path)
        if depth:
            kind = FunctionKind.INLINED
        module = function.file if kind in _SOURCE_KINDS or not path else path
        functions.append(builder.function(function.name or "[unknown]", module, kind))
    return functions
