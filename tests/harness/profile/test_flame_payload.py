"""The data of the page, decoded as the page decodes it."""

import base64
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.profile import flame_payload
from topdown.stacks.flame.layout import flame_tree
from topdown.stacks.profile import Function, FunctionKind, Profile, Thread


def integers(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0
    assert shift == 0


def sections(payload: dict[str, str]) -> list[bytes]:
    data = base64.b64decode(payload["data"], validate=True)
    if payload["encoding"] == "deflate-raw+base64":
        data = zlib.decompress(data, -15)
    strings = []
    while data:
        at = next(n for n, byte in enumerate(data) if byte < 128) + 1
        (length,) = integers(data[:at])
        strings.append(data[at : at + length])
        data = data[at + length :]
    return strings


def stacks(profile: Profile) -> dict[tuple[str, ...], tuple[int, int]]:
    """A map from (thread, frames) to samples and value, from the data of the page."""
    payload = dict(flame_payload.encode(profile, flame_tree(profile)))
    text, *columns = sections(payload)
    text_of_page = json.loads(text)
    pops, functions, steps, threads, samples, residuals = [list(integers(c)) for c in columns]
    assert len(pops) == len(functions) == text_of_page["nodes"]
    path: list[str] = []
    paths = []
    for pop, function in zip(pops, functions, strict=True):
        path = [
            *path[: len(path) - pop],
            text_of_page["names"][text_of_page["function_name"][function]],
        ]
        paths.append(path)
    result: dict[tuple[str, ...], tuple[int, int]] = {}
    node = 0
    for step, thread, count, residual in zip(steps, threads, samples, residuals, strict=True):
        node += step
        value = count * text_of_page["period"] + (residual >> 1 ^ -(residual & 1))
        key = (text_of_page["threads"][thread][3], *paths[node])
        assert key not in result
        result[key] = (count, value)
    return result


@given(st.lists(st.integers(0, 2**63 - 1), max_size=30))
def test_varints_read_back(values: list[int]) -> None:
    encoded = flame_payload.varints(np.array(values, dtype=np.uint64))
    assert list(integers(encoded)) == values


def test_every_sample_is_carried(profile_of: Callable[..., Profile]) -> None:
    threads = (Thread(1, 1, "it", "cool"), Thread(1, 2, "it", "hot"))
    rows = [(("main", "f"), 3, 0), (("main", "f"), 90, 1), (("main",), 4, 0), ((), 1, 1)]
    assert stacks(profile_of(rows, threads=threads)) == {
        ("cool", "all", "main", "f"): (3, 3_000_000),
        ("hot", "all", "main", "f"): (90, 90_000_000),
        ("cool", "all", "main"): (4, 4_000_000),
        ("hot", "all"): (1, 1_000_000),
    }


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abcd"), max_size=6), st.integers(1, 10**6)),
        max_size=15,
        unique_by=lambda row: tuple(row[0]),
    )
)
def test_any_tree_reads_back(profile_of: Callable[..., Profile], rows: list[Any]) -> None:
    counts = stacks(profile_of([(tuple(frames), count) for frames, count in rows]))
    assert counts == {
        ("main", "all", *frames): (count, count * 1_000_000) for frames, count in rows
    }


def test_names_are_carried_once_and_cut(profile_of: Callable[..., Profile]) -> None:
    inlined = Function("f", "/bin/it", FunctionKind.INLINED, (("f.c:1", 3),) * 9)
    profile = profile_of([(("f", inlined), 1), (("x" * 20_000,), 1)])
    payload = dict(flame_payload.encode(profile, flame_tree(profile)))
    text_of_page = json.loads(sections(payload)[0])
    assert sorted(map(len, text_of_page["names"]))[:2] == [1, 3]
    assert max(map(len, text_of_page["names"])) < 4200
    assert [len(lines) for _, lines in text_of_page["lines"]] == [5]


def test_large_profiles_are_deflated(profile_of: Callable[..., Profile], monkeypatch: Any) -> None:
    profile = profile_of([(("main", "f"), 3)])
    plain = stacks(profile)
    monkeypatch.setattr(flame_payload, "DEFLATE_FROM_BYTES", 1)
    payload = flame_payload.encode(profile, flame_tree(profile))
    assert payload["encoding"] == "deflate-raw+base64"
    assert stacks(profile) == plain
