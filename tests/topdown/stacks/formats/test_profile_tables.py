"""Profiles as stack tables, and back."""

import math

import pytest
from msgspec.structs import replace

from stallscope.errors import RecordingError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.flame.folded import render_folded
from topdown.stacks.formats.profile_tables import profile_of, tables_of
from topdown.stacks.formats.stack_tables import (
    Label,
    Location,
    Mapping,
    SourceFunction,
    SourceLine,
    StackKey,
    StackTables,
    ValueType,
)
from topdown.stacks.profile import Function, FunctionKind, Profile, Thread

FRAMES = [
    Function("main", "/bin/it", FunctionKind.USER),
    Function("loop", "/src/it.py", FunctionKind.PYTHON),
    Function("run", "Main", FunctionKind.JAVA),
    Function("outer", "/bin/it", FunctionKind.USER),
    Function("middle", "/bin/it", FunctionKind.INLINED),
    Function("inner", "/bin/it", FunctionKind.INLINED),
    Function("read", "[kernel]", FunctionKind.KERNEL),
]


def test_functions_kinds_threads_and_weights_survive() -> None:
    threads = (Thread(7, 7, "it", "main"), Thread(7, 8, "it", "worker"))
    profile = ProfileBuilder().build([(FRAMES, 3, 0), (FRAMES[:2], 2, 1)], threads=threads)
    again = profile_of(tables_of(profile), "it")
    assert render_folded(again) == render_folded(profile)
    assert set(again.functions) == set(profile.functions)
    assert again.threads == threads
    assert (again.samples, int(again.weight_value.sum())) == (5, 5_000_000)
    assert (again.source.event, again.source.unit) == ("cpu-clock", "ns")


def timed_profile(key: StackKey, value: int) -> Profile:
    return profile_of(StackTables((ValueType("cpu", "nanoseconds"),), {key: (value,)}), "it")


def test_a_sample_with_several_times_is_divided() -> None:
    stack = (Location((SourceLine(SourceFunction("f")),)),)
    times = timed_profile(StackKey(stack, (), (30, 10, 20)), 100).times
    assert times is not None
    assert times.time_ns.tolist() == [0, 10, 20]
    assert int(times.value.sum()) == 100
    label = Label("end_timestamp_ns", 1_700_000_000_000_000_000)
    times = timed_profile(StackKey(stack, (label,)), 7).times
    assert times is not None
    assert times.begin_ns == label.value
    assert timed_profile(StackKey(stack), 7).times is None


def test_an_inlined_function_shares_the_location_of_its_caller() -> None:
    profile = ProfileBuilder().build([(FRAMES, 1)])
    (key,) = tables_of(profile).samples
    names = [[line.function.name for line in location.lines] for location in key.locations]
    assert names == [["read"], ["inner", "middle", "outer"], ["run"], ["loop"], ["main"]]


def test_labels_of_other_tools_name_threads_and_addresses_name_functions() -> None:
    location = Location((), Mapping("/lib/x.so"), 0x1234)
    named = Location((SourceLine(SourceFunction("f"), 3),))
    key = StackKey((location, named), (Label("tid", 12, ""), Label("thread", "io")))
    tables = StackTables(
        (ValueType("samples", "count"), ValueType("alloc", "bytes")), {key: (2, 4096)}
    )
    profile = profile_of(tables, "x")
    assert (profile.source.event, profile.source.unit) == ("alloc", "bytes")
    assert profile.threads == (Thread(0, 12, "io", "io"),)
    shown = render_folded(profile_of(tables, "x", "samples"))
    assert shown.endswith(" 2\n")
    assert {function.kind for function in profile.functions if "1234" in function.name} == {
        FunctionKind.UNKNOWN
    }


HEAP = StackTables(
    (
        ValueType("alloc_objects", "count"),
        ValueType("alloc_space", "bytes"),
        ValueType("inuse_objects", "count"),
        ValueType("inuse_space", "bytes"),
    ),
    {
        StackKey(()): (100, 4096, 2, 64),
        StackKey((), (Label("tid", 2),)): (0, -5, -1, -32),
    },
    default_type="alloc_space",
)


def test_the_file_names_the_type_that_is_shown_first() -> None:
    assert profile_of(HEAP, "x").source.event == "alloc_space"
    assert profile_of(replace(HEAP, default_type=""), "x").source.event == "inuse_space"


def test_samples_are_those_of_the_type() -> None:
    assert profile_of(HEAP, "x").samples == 100
    assert profile_of(HEAP, "x", "inuse_space").samples == 2


def test_an_unknown_type_is_an_error_and_negative_values_are_reported() -> None:
    with pytest.raises(RecordingError, match="has no type of value cpu") as raised:
        profile_of(HEAP, "x", "cpu")
    assert "alloc_objects, alloc_space" in raised.value.remedy
    (warning,) = profile_of(HEAP, "x").warnings
    assert "1 stacks with a negative value" in warning.message


def test_the_duration_is_not_known_without_a_statement() -> None:
    assert math.isnan(profile_of(HEAP, "x").duration_s)
    timed = replace(HEAP, duration_ns=2_000_000_000)
    assert profile_of(timed, "x").duration_s == 2.0
    assert tables_of(profile_of(HEAP, "x")).duration_ns == 0
