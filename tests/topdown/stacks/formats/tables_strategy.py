"""Random stack tables: everything that both pprof and OTLP can express."""

from hypothesis import strategies as st

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

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
NAME = TEXT.filter(bool)
POSITIVE = st.integers(1, 2**62)
UNSIGNED = st.integers(0, 2**62)
MAPPINGS = st.builds(
    Mapping, st.one_of(NAME, st.just("[kernel]")), TEXT, UNSIGNED, UNSIGNED, UNSIGNED
)
FUNCTIONS = st.builds(SourceFunction, TEXT, TEXT, TEXT, st.integers(0, 10**6))
LINES = st.builds(SourceLine, FUNCTIONS, st.integers(0, 10**6), st.integers(0, 500))
LOCATIONS = st.builds(
    Location,
    st.lists(LINES, max_size=3).map(tuple),
    st.none() | MAPPINGS,
    UNSIGNED,
    st.sampled_from(["", "native", "kernel", "jvm", "own type"]),
).filter(lambda location: location != Location(()))
LABELS = st.one_of(
    st.builds(Label, NAME, NAME),
    st.builds(Label, NAME, POSITIVE, TEXT),
).filter(lambda label: label.key not in ("timestamp", "trace_id", "span_id"))
LINKS = st.tuples(
    st.binary(min_size=16, max_size=16).map(lambda value: Label("trace_id", value.hex())),
    st.binary(min_size=8, max_size=8).map(lambda value: Label("span_id", value.hex())),
)
KEYS = st.builds(
    lambda locations, labels, link, times: StackKey(locations, (*labels, *link), times),
    st.lists(LOCATIONS, max_size=4).map(tuple),
    st.lists(LABELS, max_size=3, unique=True).map(tuple),
    st.just(()) | LINKS,
    st.lists(POSITIVE, max_size=2).map(tuple),
)
TYPES = st.builds(ValueType, NAME, TEXT)


@st.composite
def stack_tables(draw: st.DrawFn) -> StackTables:
    types = draw(st.lists(TYPES, min_size=1, max_size=3, unique=True))
    values = st.tuples(*(UNSIGNED for _ in types)).filter(any)
    return StackTables(
        value_types=tuple(types),
        samples=draw(st.dictionaries(KEYS, values, max_size=5)),
        period_type=draw(st.none() | TYPES),
        period=draw(UNSIGNED),
        time_ns=draw(UNSIGNED),
        duration_ns=draw(UNSIGNED),
        attributes=draw(st.lists(st.builds(Label, NAME, NAME), max_size=2, unique=True).map(tuple)),
        default_type=draw(st.sampled_from(["", *(kind.name for kind in types)])),
        comments=draw(st.lists(NAME, max_size=2).map(tuple)),
    )
