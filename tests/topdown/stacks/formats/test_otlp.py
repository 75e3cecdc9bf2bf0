"""OTLP profiles: what is written is read again, also by way of pprof."""

import gzip

import pytest
from hypothesis import given
from opentelemetry.proto.profiles.v1development import profiles_pb2

from stallscope.errors import RecordingError
from tests.topdown.stacks.formats.tables_strategy import stack_tables
from topdown.stacks.formats.otlp import decode_otlp, encode_otlp
from topdown.stacks.formats.pprof import decode_pprof, encode_pprof
from topdown.stacks.formats.profile_tables import profile_of
from topdown.stacks.formats.stack_tables import Label, StackTables


def sorted_samples(tables: StackTables) -> object:
    """Return what the tables say, without the order of samples, which differs by type."""
    return (
        tables.value_types, tables.samples, tables.period_type, tables.period, tables.time_ns,
        tables.duration_ns, tables.attributes, tables.comments, tables.default_type,
    )  # fmt: skip


@given(stack_tables())
def test_nothing_is_lost_on_the_way_to_pprof_and_back(tables: StackTables) -> None:
    otlp = decode_otlp(encode_otlp(tables), "x")
    assert sorted_samples(otlp) == sorted_samples(tables)
    pprof = decode_pprof(gzip.decompress(encode_pprof(otlp)), "x")
    assert sorted_samples(decode_otlp(encode_otlp(pprof), "x")) == sorted_samples(tables)


@given(stack_tables())
def test_the_dictionary_follows_the_rules_of_the_format(tables: StackTables) -> None:
    message = profiles_pb2.ProfilesData.FromString(encode_otlp(tables))
    dictionary = message.dictionary
    assert dictionary.string_table[0] == ""
    for table in (
        dictionary.mapping_table,
        dictionary.location_table,
        dictionary.function_table,
        dictionary.link_table,
        dictionary.attribute_table,
        dictionary.stack_table,
    ):
        assert table[0] == type(table[0])()
        rows = [row.SerializeToString(deterministic=True) for row in table]
        assert len(set(rows)) == len(rows), "the entries are distinct"


def test_profiles_of_several_resources_are_joined() -> None:
    message = profiles_pb2.ProfilesData()
    message.dictionary.string_table.extend(["", "samples", "count"])
    for value in (2, 3):
        profile = message.resource_profiles.add().scope_profiles.add().profiles.add()
        profile.sample_type.type_strindex, profile.sample_type.unit_strindex = 1, 2
        profile.samples.add(values=[value])
    tables = decode_otlp(message.SerializeToString(), "x")
    assert list(tables.samples.values()) == [(5,)]


@pytest.mark.parametrize("content", [b"\x0a", b"\xff" * 9])
def test_malformed_messages_are_errors(content: bytes) -> None:
    with pytest.raises(RecordingError, match="is not a valid OTLP profile"):
        decode_otlp(content, "x")


def test_numbers_outside_of_a_table_and_missing_profiles_are_errors() -> None:
    message = profiles_pb2.ProfilesData()
    message.dictionary.string_table.append("")
    with pytest.raises(RecordingError, match="has no OTLP profile"):
        decode_otlp(message.SerializeToString(), "x")
    profile = message.resource_profiles.add().scope_profiles.add().profiles.add()
    profile.samples.add(stack_index=7, values=[1])
    with pytest.raises(RecordingError, match="no entry 7"):
        decode_otlp(message.SerializeToString(), "x")


def test_attributes_of_resources_stay_with_their_samples() -> None:
    message = profiles_pb2.ProfilesData()
    strings = ["", "samples", "count", "process.executable.name", "redis-server"]
    message.dictionary.string_table.extend(strings)
    for name in ("nginx", ""):
        resource = message.resource_profiles.add()
        resource.resource.attributes.add(key="os").value.string_value = "linux"
        process = resource.resource.attributes.add(key_strindex=3)
        if name:
            process.value.string_value = name
        else:
            process.value.string_value_strindex = 4
        profile = resource.scope_profiles.add().profiles.add()
        profile.sample_type.type_strindex, profile.sample_type.unit_strindex = 1, 2
        profile.samples.add(values=[2])
    tables = decode_otlp(message.SerializeToString(), "x")
    assert tables.attributes == (Label("os", "linux"),)
    processes = [thread.process_name for thread in profile_of(tables, "x").threads]
    assert processes == ["nginx", "redis-server"]
