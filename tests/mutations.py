"""Damaged input for property tests: JSON documents with changed values, and garbled bytes."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

# Values at the edges of what a field may hold, and of other types.
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    3,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**64,
    10**400,
    0.0,
    -0.5,
    0.999,
    1.5,
    1e-300,
    1e18,
    1.7e308,
    -1.7e308,
    "",
    "0",
    "9" * 400,
    "x" * 3000,
    "\x1b]0;title\x07\u202e<script>\ud800",
    "../../etc/passwd",
    [],
    [[]],
    {},
    {"value": 1},
)
Path = tuple[str | int, ...]


def paths(document: Any, prefix: Path = ()) -> Iterator[Path]:
    """Yield the path of every value in a document except the document itself."""
    items = enumerate(document) if isinstance(document, list) else ()
    if isinstance(document, dict):
        items = document.items()
    for key, value in items:
        yield (*prefix, key)
        yield from paths(value, (*prefix, key))


@st.composite
def mutated_json(draw: st.DrawFn, document: Any) -> bytes:
    """Return a document with one to four changes: values, types, and lengths of lists."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        places = list(paths(changed))
        if not places:
            break
        _change(draw, changed, draw(st.sampled_from(places)))
    text = json.dumps(changed).encode()
    # A number beyond the range of a double, which json.dumps does not write.
    return text.replace(b"1.7e+308", b"1e999") if draw(st.integers(0, 30)) == 0 else text


def _change(draw: st.DrawFn, document: Any, place: Path) -> None:
    parent = document
    for key in place[:-1]:
        parent = parent[key]
    key = place[-1]
    value = parent[key]
    kind = draw(st.sampled_from(("value", "scale", "remove", "repeat", "empty", "same")))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "scale" and is_number and abs(value) < 2**64:
        parent[key] = value * draw(st.sampled_from((-1, 0, 1000, 10**9, 1e-9)))
    elif kind == "remove":
        del parent[key]
    elif kind == "repeat" and isinstance(value, list) and value:
        parent[key] = value * draw(st.sampled_from((2, 5)))
    elif kind == "empty" and isinstance(value, list | dict | str):
        parent[key] = type(value)()
    elif kind == "same" and isinstance(parent, list):
        parent[:] = [value] * len(parent)
    else:
        # A copy, because later changes may change it.
        parent[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))


@st.composite
def garbled(draw: st.DrawFn, content: bytes) -> bytes:
    """Return bytes that are cut off, or have parts replaced, inserted, removed or repeated."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(changed)))
        end = min(len(changed), start + draw(st.integers(0, 40)))
        kind = draw(st.sampled_from(("cut", "replace", "remove", "repeat", "number", "line")))
        if kind == "cut":
            del changed[start:]
        elif kind == "replace":
            changed[start:end] = draw(st.binary(max_size=20))
        elif kind == "remove":
            del changed[start:end]
        elif kind == "repeat":
            changed[start:start] = changed[start:end] * draw(st.sampled_from((1, 3, 200)))
        elif kind == "number":
            changed[start:end] = draw(st.sampled_from(NUMBERS))
        else:
            lines = changed.splitlines(keepends=True)
            place = draw(st.integers(0, max(0, len(lines) - 1)))
            lines[place:place] = lines[draw(st.integers(0, max(0, len(lines) - 1))) :][:1]
            changed = bytearray(b"".join(lines))
    return bytes(changed)


NUMBERS = tuple(
    text.encode()
    for text in (
        "-1", "0", "9" * 400, "18446744073709551616", "1e999", "nan", "inf", "-0.0", "1e308", "0x",
        "1_000", "١٢٣", "",
    )
)  # fmt: skip
