"""OTLP profiles: the ProfilesData message of opentelemetry-proto, with its dictionary.

Each type of value is a Profile of one scope. Labels of samples are their attributes, and a link to
a span is the labels trace_id and span_id. Attributes of the resource apply to all samples.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

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
    joined,
    one_type_each,
)
from topdown.stacks.formats.table_numbers import StringTable, TableNumbers

if TYPE_CHECKING:
    from opentelemetry.proto.profiles.v1development.profiles_pb2 import ProfilesData

_BUILD_ID = "process.executable.build_id.gnu"
_FRAME_TYPE = "profile.frame.type"
_COMMENT = "pprof.profile.comment"
_DEFAULT_TYPE = "pprof.scope.default_sample_type"
_TRACE, _SPAN = "trace_id", "span_id"


def decode_otlp(content: bytes, name: str) -> StackTables:
    """Return the tables of a message; RecordingError if it is malformed or has no profile."""
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - start-up stays light
    from opentelemetry.proto.profiles.v1development import profiles_pb2  # noqa: PLC0415

    message = profiles_pb2.ProfilesData()
    try:
        message.ParseFromString(content)
        tables = joined(_Reader(message).tables())
    except (DecodeError, IndexError, ValueError) as error:
        raise RecordingError(
            f"{name} is not a valid OTLP profile: {error}", "write it again, or copy it again"
        ) from error
    if tables is None:
        raise RecordingError(
            f"{name} has no OTLP profile", "export profiles, not metrics, traces or logs"
        )
    return tables


class _Reader:
    """Resolves the numbers of a message."""

    def __init__(self, message: "ProfilesData") -> None:
        self._message = message
        dictionary = message.dictionary
        self._strings = dictionary.string_table
        self._attributes = [self._attribute(row) for row in dictionary.attribute_table]
        self._mappings = [self._mapping(row) for row in dictionary.mapping_table]
        self._functions = [self._function(row) for row in dictionary.function_table]
        self._locations = [self._location(row) for row in dictionary.location_table]
        self._stacks = [
            tuple(self._item(self._locations, number) for number in row.location_indices)
            for row in dictionary.stack_table
        ]
        self._links = dictionary.link_table

    @staticmethod
    def _item(table: Any, number: int) -> Any:  # noqa: ANN401 - of any table
        if not 0 <= number < len(table):
            raise ValueError(f"there is no entry {number} in a table of {len(table)}")
        return table[number]

    def _text(self, number: int) -> str:
        return str(self._item(self._strings, number)) if number or self._strings else ""

    def _attribute(self, row: Any) -> Label:  # noqa: ANN401
        return Label(
            self._text(row.key_strindex), self._value(row.value), self._text(row.unit_strindex)
        )

    def _key_value(self, row: Any) -> Label:  # noqa: ANN401
        key = self._text(row.key_strindex) if row.key_strindex else row.key
        return Label(key, self._value(row.value))

    def _value(self, value: Any) -> str | int:  # noqa: ANN401
        kind = value.WhichOneof("value")
        if kind == "int_value":
            return int(value.int_value)
        if kind == "string_value":
            return str(value.string_value)
        if kind == "string_value_strindex":
            return self._text(value.string_value_strindex)
        return "" if kind is None else str(getattr(value, kind))

    def _labels(self, numbers: Iterable[int]) -> tuple[Label, ...]:
        return tuple(self._item(self._attributes, number) for number in numbers)

    def _mapping(self, row: Any) -> Mapping:  # noqa: ANN401
        values = {label.key: str(label.value) for label in self._labels(row.attribute_indices)}
        return Mapping(
            self._text(row.filename_strindex),
            values.get(_BUILD_ID, ""),
            row.memory_start,
            row.memory_limit,
            row.file_offset,
        )

    def _function(self, row: Any) -> SourceFunction:  # noqa: ANN401
        return SourceFunction(
            self._text(row.name_strindex),
            self._text(row.system_name_strindex),
            self._text(row.filename_strindex),
            row.start_line,
        )

    def _location(self, row: Any) -> Location:  # noqa: ANN401
        values = {label.key: str(label.value) for label in self._labels(row.attribute_indices)}
        lines = tuple(
            SourceLine(self._item(self._functions, line.function_index), line.line, line.column)
            for line in row.lines
        )
        mapping = self._item(self._mappings, row.mapping_index) if row.mapping_index else None
        return Location(lines, mapping, row.address, values.get(_FRAME_TYPE, ""))

    def _type(self, row: Any) -> ValueType:  # noqa: ANN401
        return ValueType(self._text(row.type_strindex), self._text(row.unit_strindex))

    def tables(self) -> Iterable[StackTables]:
        for resource in self._message.resource_profiles:
            attributes = tuple(map(self._key_value, resource.resource.attributes))
            for scope in resource.scope_profiles:
                own = {
                    label.key: label.value for label in map(self._key_value, scope.scope.attributes)
                }
                default_type = str(own.get(_DEFAULT_TYPE, ""))
                for profile in scope.profiles:
                    tables = self._profile(profile, attributes)
                    yield replace(tables, default_type=default_type)

    def _profile(self, profile: Any, attributes: tuple[Label, ...]) -> StackTables:  # noqa: ANN401
        samples: dict[StackKey, tuple[int, ...]] = {}
        for row in profile.samples:
            labels = self._labels(row.attribute_indices)
            if row.link_index:
                link = self._item(self._links, row.link_index)
                labels += (Label(_TRACE, link.trace_id.hex()), Label(_SPAN, link.span_id.hex()))
            key = StackKey(
                self._item(self._stacks, row.stack_index) if row.stack_index else (),
                labels,
                tuple(row.timestamps_unix_nano),
            )
            for part, value in _timed_values(key, row.values):
                add_values(samples, part, (value,))
        period = self._type(profile.period_type)
        comments = (
            str(label.value)
            for label in self._labels(profile.attribute_indices)
            if label.key == _COMMENT
        )
        return StackTables(
            value_types=(self._type(profile.sample_type),),
            samples=samples,
            period_type=period if period != ValueType("", "") else None,
            period=profile.period,
            time_ns=profile.time_unix_nano,
            duration_ns=profile.duration_nano,
            attributes=attributes,
            comments=tuple(comments),
        )


def _timed_values(key: StackKey, values: Sequence[int]) -> Iterable[tuple[StackKey, int]]:
    """Yield a sample with its value; one per time if the times have different values.

    Without values, each time is one occurrence.
    """
    if len(values) > 1 and len(values) == len(key.times_ns) and len(set(values)) > 1:
        for time_ns, value in zip(key.times_ns, values, strict=True):
            yield replace(key, times_ns=(time_ns,)), value
        return
    yield key, sum(values) if values else len(key.times_ns)


def encode_otlp(tables: StackTables) -> bytes:
    """Return the profiles as a message; the same tables give the same bytes."""
    return _Writer(tables).message().SerializeToString(deterministic=True)


class _Writer:
    """Fills the dictionary in the order of the first use; entry 0 of each table is empty."""

    def __init__(self, tables: StackTables) -> None:
        from opentelemetry.proto.profiles.v1development import profiles_pb2  # noqa: PLC0415

        self._tables = tables
        self._message = profiles_pb2.ProfilesData()
        self._dictionary = self._message.dictionary
        self._strings = StringTable()
        self._text = self._strings.number
        self._attributes = TableNumbers(self._add_attribute)
        self._mappings = TableNumbers(self._add_mapping)
        self._functions = TableNumbers(self._add_function)
        self._locations = TableNumbers(self._add_location)
        self._stacks = TableNumbers(self._add_stack)
        self._links = TableNumbers(self._add_link)
        for table in (
            self._dictionary.mapping_table,
            self._dictionary.location_table,
            self._dictionary.function_table,
            self._dictionary.link_table,
            self._dictionary.attribute_table,
            self._dictionary.stack_table,
        ):
            table.add()

    def _add_attribute(self, label: Label, _number: int) -> None:
        row = self._dictionary.attribute_table.add(
            key_strindex=self._text(label.key), unit_strindex=self._text(label.unit)
        )
        _set_value(row.value, label.value)

    def _add_mapping(self, mapping: Mapping, _number: int) -> None:
        row = self._dictionary.mapping_table.add(
            memory_start=mapping.begin,
            memory_limit=mapping.end,
            file_offset=mapping.file_offset,
            filename_strindex=self._text(mapping.path),
        )
        if mapping.build_id:
            label = Label(_BUILD_ID, mapping.build_id)
            row.attribute_indices.append(self._attributes.number(label))

    def _add_function(self, function: SourceFunction, _number: int) -> None:
        self._dictionary.function_table.add(
            name_strindex=self._text(function.name),
            system_name_strindex=self._text(function.system_name),
            filename_strindex=self._text(function.file),
            start_line=function.line,
        )

    def _add_location(self, location: Location, _number: int) -> None:
        row = self._dictionary.location_table.add(
            mapping_index=self._mappings.number(location.mapping), address=location.address
        )
        for line in location.lines:
            function = self._functions.number(line.function)
            row.lines.add(function_index=function, line=line.line, column=line.column)
        if location.frame_type:
            label = Label(_FRAME_TYPE, location.frame_type)
            row.attribute_indices.append(self._attributes.number(label))

    def _add_stack(self, locations: tuple[Location, ...], _number: int) -> None:
        self._dictionary.stack_table.add(
            location_indices=[self._locations.number(location) for location in locations]
        )

    def _add_link(self, link: tuple[bytes, bytes], _number: int) -> None:
        self._dictionary.link_table.add(trace_id=link[0], span_id=link[1])

    def _link(self, labels: dict[str, str | int]) -> int:
        """Return the number of the link that the last two labels are; 0 if they are none."""
        if list(labels)[-2:] != [_TRACE, _SPAN]:
            return 0
        trace, span = str(labels[_TRACE]), str(labels[_SPAN])
        try:
            identifiers = (bytes.fromhex(trace), bytes.fromhex(span))
        except ValueError:
            return 0
        if [part.hex() for part in identifiers] != [trace, span]:
            return 0
        return self._links.number(identifiers)

    def message(self) -> "ProfilesData":
        tables = self._tables
        resource = self._message.resource_profiles.add()
        for label in tables.attributes:
            _set_value(resource.resource.attributes.add(key=label.key).value, label.value)
        scope = resource.scope_profiles.add()
        scope.scope.name = "stallscope"
        if tables.default_type:
            default_type = scope.scope.attributes.add(key=_DEFAULT_TYPE)
            _set_value(default_type.value, tables.default_type)
        for value_type, samples in one_type_each(tables):
            self._add_profile(scope.profiles.add(), value_type, samples)
        self._dictionary.string_table.extend(self._strings.texts)
        return self._message

    def _add_profile(
        self,
        profile: Any,  # noqa: ANN401
        value_type: ValueType,
        samples: dict[StackKey, int],
    ) -> None:
        tables = self._tables
        self._set_type(profile.sample_type, value_type)
        if tables.period_type is not None:
            self._set_type(profile.period_type, tables.period_type)
        profile.period = tables.period
        profile.time_unix_nano = tables.time_ns
        profile.duration_nano = tables.duration_ns
        profile.attribute_indices.extend(
            self._attributes.number(Label(_COMMENT, text)) for text in tables.comments
        )
        for key, value in samples.items():
            link = self._link({label.key: label.value for label in key.labels})
            labels = key.labels[:-2] if link else key.labels
            profile.samples.add(
                stack_index=self._stacks.number(key.locations or None),
                values=[value],
                attribute_indices=[self._attributes.number(label) for label in labels],
                link_index=link,
                timestamps_unix_nano=key.times_ns,
            )

    def _set_type(self, row: Any, value_type: ValueType) -> None:  # noqa: ANN401
        row.type_strindex = self._text(value_type.name)
        row.unit_strindex = self._text(value_type.unit)


def _set_value(row: Any, value: str | int) -> None:  # noqa: ANN401
    if isinstance(value, str):
        row.string_value = value.encode("utf-8", "replace").decode()
    else:
        row.int_value = value
