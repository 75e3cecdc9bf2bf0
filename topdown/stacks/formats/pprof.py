"""Profiles of pprof: the message of github.com/google/pprof, compressed by gzip.

The message types are made of a table at run time. Fields: name, number, type, "repeated" or not.
"""

import gzip
from functools import cache
from typing import Any, TypeVar

import msgspec

from stallscope.errors import RecordingError
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
from topdown.stacks.formats.table_numbers import StringTable, TableNumbers

Entry = TypeVar("Entry")
_PACKAGE = "perftools.profiles"
_INT64, _UINT64, _BOOL, _STRING = 3, 4, 8, 9  # FieldDescriptorProto.Type
_MESSAGES: dict[str, tuple[tuple[str, int, int | str, bool], ...]] = {
    "ValueType": (("type", 1, _INT64, False), ("unit", 2, _INT64, False)),
    "Sample": (
        ("location_id", 1, _UINT64, True),
        ("value", 2, _INT64, True),
        ("label", 3, "Label", True),
    ),
    "Label": (
        ("key", 1, _INT64, False),
        ("str", 2, _INT64, False),
        ("num", 3, _INT64, False),
        ("num_unit", 4, _INT64, False),
    ),
    "Mapping": (
        ("id", 1, _UINT64, False),
        ("memory_start", 2, _UINT64, False),
        ("memory_limit", 3, _UINT64, False),
        ("file_offset", 4, _UINT64, False),
        ("filename", 5, _INT64, False),
        ("build_id", 6, _INT64, False),
        ("has_functions", 7, _BOOL, False),
        ("has_filenames", 8, _BOOL, False),
        ("has_line_numbers", 9, _BOOL, False),
        ("has_inline_frames", 10, _BOOL, False),
    ),
    "Location": (
        ("id", 1, _UINT64, False),
        ("mapping_id", 2, _UINT64, False),
        ("address", 3, _UINT64, False),
        ("line", 4, "Line", True),
        ("is_folded", 5, _BOOL, False),
    ),
    "Line": (
        ("function_id", 1, _UINT64, False),
        ("line", 2, _INT64, False),
        ("column", 3, _INT64, False),
    ),
    "Function": (
        ("id", 1, _UINT64, False),
        ("name", 2, _INT64, False),
        ("system_name", 3, _INT64, False),
        ("filename", 4, _INT64, False),
        ("start_line", 5, _INT64, False),
    ),
    "Profile": (
        ("sample_type", 1, "ValueType", True),
        ("sample", 2, "Sample", True),
        ("mapping", 3, "Mapping", True),
        ("location", 4, "Location", True),
        ("function", 5, "Function", True),
        ("string_table", 6, _STRING, True),
        ("drop_frames", 7, _INT64, False),
        ("keep_frames", 8, _INT64, False),
        ("time_nanos", 9, _INT64, False),
        ("duration_nanos", 10, _INT64, False),
        ("period_type", 11, "ValueType", False),
        ("period", 12, _INT64, False),
        ("comment", 13, _INT64, True),
        ("default_sample_type", 14, _INT64, False),
        ("doc_url", 15, _INT64, False),
    ),
}
# A comment that holds what pprof has no field for, as JSON.
_EXTENSION = "stallscope.pprof-extension/1 "
_TIME_KEY = "timestamp"
_TIME_UNIT = "nanoseconds since 1970"


class _Extension(msgspec.Struct, omit_defaults=True):
    """Attributes of all samples, and the types of frames of locations, by id.

    ``frame_types`` has only types that do not follow from the mapping; None if no type is known.
    """

    attributes: tuple[Label, ...] = ()
    frame_types: dict[str, list[int]] | None = None

    def types(self) -> dict[int, str]:
        """Return the types by location."""
        rows = (self.frame_types or {}).items()
        return {number: name for name, numbers in rows for number in numbers}


def _usual_type(mapping: Mapping | None) -> str:
    return "kernel" if mapping is not None and mapping.path == "[kernel]" else "native"


@cache
def _profile_class() -> Any:  # noqa: ANN401 - a class that protobuf makes
    from google.protobuf import (  # noqa: PLC0415 - start-up stays light
        descriptor_pb2,
        descriptor_pool,
        message_factory,
    )

    file = descriptor_pb2.FileDescriptorProto(
        name="stallscope/pprof.proto", package=_PACKAGE, syntax="proto3"
    )
    types = descriptor_pb2.FieldDescriptorProto.Type
    for message, fields in _MESSAGES.items():
        entry = file.message_type.add(name=message)
        for name, number, kind, repeated in fields:
            field = entry.field.add(name=name, number=number)
            field.label = field.LABEL_REPEATED if repeated else field.LABEL_OPTIONAL
            if isinstance(kind, str):
                field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                field.type = types.ValueType(kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Profile"))


def decode_pprof(content: bytes, name: str) -> StackTables:
    """Return the tables of a message that is not compressed; RecordingError if it is malformed."""
    from google.protobuf.message import DecodeError  # noqa: PLC0415

    message = _profile_class()()
    try:
        message.ParseFromString(content)
        return _Reader(message).tables()
    except (DecodeError, ValueError) as error:
        raise RecordingError(
            f"{name} is not a valid pprof profile: {error}", "write it again, or copy it again"
        ) from error


class _Reader:
    """Resolves the numbers of a message."""

    def __init__(self, message: Any) -> None:  # noqa: ANN401
        self._message = message
        self._strings = message.string_table
        self._mappings = {row.id: self._mapping(row) for row in message.mapping}
        self._functions = {row.id: self._function(row) for row in message.function}
        comments = [self._text(number) for number in message.comment]
        self._extension = _Extension()
        for text in comments:
            if text.startswith(_EXTENSION):
                self._extension = msgspec.json.decode(
                    text.removeprefix(_EXTENSION), type=_Extension
                )
        self._comments = tuple(text for text in comments if not text.startswith(_EXTENSION))
        types = self._extension.types()
        self._locations = {
            row.id: self._location(row, types.get(row.id)) for row in message.location
        }

    def _text(self, number: int) -> str:
        if not 0 <= number < max(1, len(self._strings)):
            raise ValueError(f"there is no string {number}")
        return str(self._strings[number]) if self._strings else ""

    def _type(self, row: Any) -> ValueType:  # noqa: ANN401
        return ValueType(self._text(row.type), self._text(row.unit))

    def _mapping(self, row: Any) -> Mapping:  # noqa: ANN401
        return Mapping(
            self._text(row.filename),
            self._text(row.build_id),
            row.memory_start,
            row.memory_limit,
            row.file_offset,
        )

    def _function(self, row: Any) -> SourceFunction:  # noqa: ANN401
        return SourceFunction(
            self._text(row.name),
            self._text(row.system_name),
            self._text(row.filename),
            row.start_line,
        )

    def _location(self, row: Any, frame_type: str | None) -> Location:  # noqa: ANN401
        lines = tuple(
            SourceLine(
                _entry(self._functions, "function", line.function_id), line.line, line.column
            )
            for line in row.line
        )
        mapping = _entry(self._mappings, "mapping", row.mapping_id) if row.mapping_id else None
        if frame_type is None:
            is_known = self._extension.frame_types is not None
            frame_type = _usual_type(mapping) if is_known else ""
        return Location(lines, mapping, row.address, frame_type)

    def _label(self, row: Any) -> Label:  # noqa: ANN401
        key = self._text(row.key)
        if row.str:
            return Label(key, self._text(row.str))
        if row.num or row.num_unit:
            return Label(key, row.num, self._text(row.num_unit))
        return Label(key, 0) if key in _NUMBERS else Label(key, "")

    def tables(self) -> StackTables:
        message = self._message
        types = tuple(self._type(row) for row in message.sample_type)
        if not types:
            raise ValueError("it has no type of samples")
        samples: dict[StackKey, tuple[int, ...]] = {}
        for row in message.sample:
            if len(row.value) != len(types):
                raise ValueError(f"a sample has {len(row.value)} values for {len(types)} types")
            labels = [self._label(label) for label in row.label]
            times = [label for label in labels if label.key == _TIME_KEY and label.unit]
            key = StackKey(
                tuple(_entry(self._locations, "location", number) for number in row.location_id),
                tuple(label for label in labels if label not in times),
                tuple(int(label.value) for label in times),
            )
            add_values(samples, key, tuple(row.value))
        period = self._type(message.period_type) if message.HasField("period_type") else None
        return StackTables(
            value_types=types,
            samples=samples,
            period_type=period,
            period=message.period,
            time_ns=message.time_nanos,
            duration_ns=message.duration_nanos,
            attributes=self._extension.attributes,
            comments=self._comments,
            default_type=self._text(message.default_sample_type),
        )


def _entry(table: dict[int, Entry], name: str, number: int) -> Entry:
    if number not in table:
        raise ValueError(f"there is no {name} {number}")
    return table[number]


_NUMBERS = ("process.pid", "thread.id", "pid", "tid")


def encode_pprof(tables: StackTables) -> bytes:
    """Return the profile as a compressed message; the same tables give the same bytes."""
    return gzip.compress(_Writer(tables).message().SerializeToString(deterministic=True), mtime=0)


class _Writer:
    """Numbers strings, mappings, functions and locations in the order of their first use."""

    def __init__(self, tables: StackTables) -> None:
        self._tables = tables
        self._message = _profile_class()()
        self._strings = StringTable()
        self._text = self._strings.number
        self._mappings = TableNumbers(self._add_mapping)
        self._functions = TableNumbers(self._add_function)
        self._locations = TableNumbers(self._add_location)

    def _type(self, value_type: ValueType) -> dict[str, int]:
        return {"type": self._text(value_type.name), "unit": self._text(value_type.unit)}

    def _add_mapping(self, mapping: Mapping, number: int) -> None:
        self._message.mapping.add(
            id=number,
            memory_start=mapping.begin,
            memory_limit=mapping.end,
            file_offset=mapping.file_offset,
            filename=self._text(mapping.path),
            build_id=self._text(mapping.build_id),
            has_functions=True,
        )

    def _add_function(self, function: SourceFunction, number: int) -> None:
        self._message.function.add(
            id=number,
            name=self._text(function.name),
            system_name=self._text(function.system_name),
            filename=self._text(function.file),
            start_line=function.line,
        )

    def _add_location(self, location: Location, number: int) -> None:
        mapping = self._mappings.number(location.mapping)
        row = self._message.location.add(id=number, mapping_id=mapping, address=location.address)
        for line in location.lines:
            function = self._functions.number(line.function)
            row.line.add(function_id=function, line=line.line, column=line.column)

    def _label(self, label: Label) -> dict[str, int]:
        key = self._text(label.key)
        if isinstance(label.value, str):
            return {"key": key, "str": self._text(label.value)}
        return {"key": key, "num": label.value, "num_unit": self._text(label.unit)}

    def message(self) -> Any:  # noqa: ANN401
        message, tables = self._message, self._tables
        for value_type in tables.value_types:
            message.sample_type.add(**self._type(value_type))
        for key, values in tables.samples.items():
            row = message.sample.add(
                location_id=[self._locations.number(location) for location in key.locations],
                value=values,
            )
            for label in key.labels:
                row.label.add(**self._label(label))
            for time_ns in key.times_ns:
                row.label.add(**self._label(Label(_TIME_KEY, time_ns, _TIME_UNIT)))
        if tables.period_type is not None:
            for name, number in self._type(tables.period_type).items():
                setattr(message.period_type, name, number)
            message.period_type.SetInParent()
        message.period = tables.period
        message.time_nanos = tables.time_ns
        message.duration_nanos = tables.duration_ns
        message.default_sample_type = self._text(tables.default_type)
        message.comment.extend(self._text(text) for text in (*tables.comments, *self._extension()))
        message.string_table.extend(self._strings.texts)
        return message

    def _extension(self) -> tuple[str, ...]:
        types: dict[str, list[int]] = {}
        for location, number in self._locations.numbers.items():
            if location.frame_type != _usual_type(location.mapping):
                types.setdefault(location.frame_type, []).append(number)
        has_types = any(location.frame_type for location in self._locations.numbers)
        if not has_types and not self._tables.attributes:
            return ()
        extension = _Extension(self._tables.attributes, types if has_types else None)
        return (_EXTENSION + msgspec.json.encode(extension).decode(),)
