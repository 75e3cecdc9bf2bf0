"""Locations of a unit's addresses, from the columns that the limited process writes."""

import msgspec
import numpy as np

from stallscope.printable import MAX_NAME_LENGTH
from topdown.stacks.symbols.unit_locations import SourceLocation, UnitLocations

UNIT = UnitLocations(
    places=[[4], [2, 7], [5], [6]],
    file=[0, 1, -1, -1],
    line=[3, 9, 0, 0],
    function=[-1, 2, 0, 1],
    caller=[-1, 0, 1],
    name=[2, 3, -1],
    call_file=[-1, 0, 1],
    call_line=[0, 12, 0],
    texts=["a.c", "b.h", "outer", "middle"],
)


def test_functions_inlined_at_an_address_are_outermost_first_with_their_call_sites() -> None:
    assert dict(UNIT.locations()) == {
        4: SourceLocation("a.c:3"),
        2: SourceLocation("b.h:9", (b"middle", b"[inlined]"), ("a.c:12", None)),
        7: SourceLocation("b.h:9", (b"middle", b"[inlined]"), ("a.c:12", None)),
        6: SourceLocation(None, (b"middle",), ("a.c:12",)),
    }


def test_the_outermost_functions_of_a_deep_chain_are_kept() -> None:
    depth = 200
    unit = UnitLocations(
        places=[[0]], file=[-1], line=[0], function=[depth], caller=list(range(-1, depth)),
        name=[0] * (depth + 1), call_file=[0] * (depth + 1), call_line=list(range(depth + 1)),
        texts=["f"],
    )  # fmt: skip
    ((_, location),) = unit.locations()
    assert location.calls[0] == "f:1"
    assert len(location.inlined) == len(location.calls) == 64


def test_columns_of_the_native_reader_are_kept_by_place() -> None:
    columns = {
        "address": np.array([16, 32], np.uint64),
        **dict.fromkeys(("file", "line", "function"), np.array([0, 0])),
        **dict.fromkeys(("caller", "name", "call_file", "call_line"), np.array([-1])),
        "texts": [b"\xff" + b"a" * (2 * MAX_NAME_LENGTH)],
        "damaged": False,
        "split": True,
    }
    unit = UnitLocations.of_columns(columns, {16: [3], 32: [0, 1]})
    assert unit.places == [[3], [0, 1]]
    assert unit.texts == ["\ufffd" + "a" * (MAX_NAME_LENGTH - 1)]
    assert unit.split
    assert msgspec.json.Decoder(UnitLocations).decode(msgspec.json.encode(unit)) == unit


def test_addresses_without_functions_count_only_in_split_units() -> None:
    assert UNIT.split_addresses == 0
    split = UnitLocations(
        [[0, 1], [2]], [-1, -1], [0, 0], [-1, 0], [-1], [-1], [-1], [0], split=True
    )
    assert split.split_addresses == 2
