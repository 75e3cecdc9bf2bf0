"""Profiles as stack tables, and back."""

import math

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
from topdown.stacks.profile import Function, FunctionKind, Thread

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


def test_a_duration_that_is_not_known_stays_unknown() -> None:
    profile = ProfileBuilder().build([(FRAMES, 1)], duration_s=math.nan)
    tables = tables_of(profile)
    assert tables.duration_ns == 0
    assert math.isnan(profile_of(tables, "it").duration_s)
    known = ProfileBuilder().build([(FRAMES, 1)], duration_s=1.5)
    assert profile_of(tables_of(known), "it").duration_s == 1.5


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
