"""Adding and joining stack tables."""

from topdown.stacks.formats.stack_tables import (
    LARGEST_VALUE,
    StackKey,
    StackTables,
    ValueType,
    add_values,
    joined,
    one_type_each,
)

COUNT, TIME = ValueType("samples", "count"), ValueType("cpu", "nanoseconds")
KEY = StackKey(())


def test_values_of_equal_samples_add_up_to_the_largest_number() -> None:
    samples = {KEY: (1, LARGEST_VALUE)}
    add_values(samples, KEY, (2, 5))
    assert samples == {KEY: (3, LARGEST_VALUE)}


def test_types_of_joined_tables_stand_side_by_side() -> None:
    tables = joined([StackTables((COUNT,), {KEY: (2,)}), StackTables((TIME,), {KEY: (7,)})])
    assert tables is not None
    assert (tables.value_types, tables.samples) == ((COUNT, TIME), {KEY: (2, 7)})
    assert joined([]) is None


def test_a_type_has_its_samples_that_are_not_zero() -> None:
    tables = StackTables((COUNT, TIME), {KEY: (0, 7)})
    assert list(one_type_each(tables)) == [(COUNT, {}), (TIME, {KEY: 7})]


def test_the_time_of_joined_tables_spans_all_parts() -> None:
    first = StackTables((COUNT,), {}, time_ns=100, duration_ns=10, comments=("a",))
    second = StackTables((COUNT,), {}, time_ns=200, duration_ns=20, comments=("b",))
    tables = joined([second, first])
    assert tables is not None
    assert (tables.time_ns, tables.duration_ns) == (100, 120)
    assert tables.comments == ("b", "a")
