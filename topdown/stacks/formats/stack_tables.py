"""Sampled stacks with everything that pprof and OTLP profiles can say about them.

Both formats are read into these tables and written from them, so that a conversion keeps values,
labels, addresses, lines, mappings and attributes. Samples with equal stack, labels and times are
one sample, and a value of 0 is the same as none: the formats cannot express the difference, because
OTLP has one list of samples per type of value.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace


class ValueType(Struct, frozen=True):
    """What a value counts: ("cpu", "nanoseconds"), ("samples", "count")."""

    name: str
    unit: str


class Mapping(Struct, frozen=True):
    """A file that was mapped; addresses in the memory of the process."""

    path: str
    build_id: str = ""
    begin: int = 0
    end: int = 0
    file_offset: int = 0


class SourceFunction(Struct, frozen=True):
    """A function: name, linkage name, source file, and the line where it begins."""

    name: str
    system_name: str = ""
    file: str = ""
    line: int = 0


class SourceLine(Struct, frozen=True):
    """A line of a function; 0: not known."""

    function: SourceFunction
    line: int = 0
    column: int = 0


class Location(Struct, frozen=True):
    """A code location: functions inlined there come first, the innermost one first of all.

    ``frame_type``: as in OpenTelemetry's conventions, "native", "kernel", "jvm"; empty if unknown.
    """

    lines: tuple[SourceLine, ...]
    mapping: Mapping | None = None
    address: int = 0
    frame_type: str = ""


class Label(Struct, frozen=True):
    """A property of a sample, or of all: a text, or a number with its unit."""

    key: str
    value: str | int
    unit: str = ""


class StackKey(Struct, frozen=True):
    """The identity of a sample: stack, leaf first, labels, and times in ns since 1970."""

    locations: tuple[Location, ...]
    labels: tuple[Label, ...] = ()
    times_ns: tuple[int, ...] = ()


class StackTables(Struct, frozen=True):
    """Samples by stack, with one value per type; ``attributes`` are those of all samples.

    ``default_type``: name of the type that viewers show first; empty: the last one.
    """

    value_types: tuple[ValueType, ...]
    samples: dict[StackKey, tuple[int, ...]]
    period_type: ValueType | None = None
    period: int = 0
    time_ns: int = 0
    duration_ns: int = 0
    attributes: tuple[Label, ...] = ()
    comments: tuple[str, ...] = ()
    default_type: str = ""


LARGEST_VALUE = (1 << 63) - 1


def add_values(
    samples: dict[StackKey, tuple[int, ...]], key: StackKey, values: tuple[int, ...]
) -> None:
    """Add the values of a sample, at most to the largest 64-bit number."""
    known = samples.get(key)
    if known is not None:
        values = tuple(min(a + b, LARGEST_VALUE) for a, b in zip(known, values, strict=True))
    samples[key] = values


def one_type_each(tables: StackTables) -> Iterable[tuple[ValueType, dict[StackKey, int]]]:
    """Yield each type of value with its samples that are not 0."""
    for column, value_type in enumerate(tables.value_types):
        yield (
            value_type,
            {key: values[column] for key, values in tables.samples.items() if values[column]},
        )


def joined(parts: Iterable[StackTables]) -> StackTables | None:
    """Return tables with the types of all parts side by side; None without parts.

    Attributes that not all parts have become labels of the samples. The time is that from the first
    begin to the last end.
    """
    rows = list(parts)
    common = {label for row in rows[:1] for label in row.attributes}
    for row in rows:
        common &= set(row.attributes)
    result: StackTables | None = None
    for row in rows:
        part = _labelled(row, common)
        result = part if result is None else _joined(result, part)
    return result


def _labelled(part: StackTables, common: set[Label]) -> StackTables:
    """Return a part whose attributes beyond the common ones are labels of its samples."""
    added = tuple(label for label in part.attributes if label not in common)
    if not added:
        return part
    samples: dict[StackKey, tuple[int, ...]] = {}
    for key, values in part.samples.items():
        add_values(samples, replace(key, labels=(*added, *key.labels)), values)
    attributes = tuple(label for label in part.attributes if label in common)
    return replace(part, samples=samples, attributes=attributes)


def _joined(left: StackTables, right: StackTables) -> StackTables:
    types = left.value_types + tuple(
        value_type for value_type in right.value_types if value_type not in left.value_types
    )
    padding = (0,) * (len(types) - len(left.value_types))
    samples = {key: values + padding for key, values in left.samples.items()}
    for key, values in right.samples.items():
        row = [0] * len(types)
        for value_type, value in zip(right.value_types, values, strict=True):
            row[types.index(value_type)] = value
        add_values(samples, key, tuple(row))
    begin_ns = min((part.time_ns for part in (left, right) if part.time_ns), default=0)
    ends_ns = [part.time_ns + part.duration_ns for part in (left, right) if part.duration_ns]
    has_times = all(part.time_ns for part in (left, right) if part.duration_ns)
    duration_ns = max(ends_ns) - begin_ns if ends_ns and has_times else left.duration_ns
    return replace(
        left,
        value_types=types,
        samples=samples,
        comments=left.comments
        + tuple(text for text in right.comments if text not in left.comments),
        time_ns=begin_ns,
        duration_ns=duration_ns,
        default_type=left.default_type or right.default_type,
    )
