"""Folded stacks, parsed as flamegraph.pl does."""

import re
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from topdown.stacks.flame.folded import render_folded
from topdown.stacks.profile import Function, FunctionKind, Profile, Thread


def parsed(text: str) -> dict[tuple[str, ...], int]:
    """Stacks to counts: the last space ends the stack, ``;`` separates frames."""
    stacks: dict[tuple[str, ...], int] = {}
    for line in text.splitlines():
        match = re.fullmatch(r"(.*) (\d+)", line)
        assert match, line
        stacks[tuple(match[1].split(";"))] = int(match[2])
    return stacks


def test_folded_text(profile_of: Callable[..., Profile]) -> None:
    threads = (Thread(1, 1, "srv", "srv"), Thread(1, 2, "srv", "bio"), Thread(9, 9, "x y", "x"))
    rows = [(("main", "f"), 3), (("main", "f"), 2, 1), (("main",), 4, 2), ((), 1)]
    text = render_folded(profile_of(rows, threads=threads))
    assert text == "srv 1\nsrv;main;f 5\nx y;main 4\n"


def test_the_outermost_frame_of_a_truncated_chain_is_its_reason(
    profile_of: Callable[..., Profile],
) -> None:
    cut = Function("[truncated: beyond the copied stack]", "", FunctionKind.TRUNCATED)
    run = Function("run", "/srv/app.py", FunctionKind.PYTHON)
    text = render_folded(profile_of([((cut, "main", run), 2), (("main", run), 1)]))
    assert text == "it;[truncated: beyond the copied stack];main;run 2\nit;main;run 1\n"


def test_an_empty_profile_gives_an_empty_text(profile_of: Callable[..., Profile]) -> None:
    assert render_folded(profile_of([])) == ""


def test_names_cannot_forge_frames_or_lines(profile_of: Callable[..., Profile]) -> None:
    name = "a;b\nroot;evil 99\r\x00\u2028\u202e"
    (stack,) = parsed(render_folded(profile_of([((name, ""), 7)])))
    assert len(stack) == 3
    assert stack[2] == "[unknown]"
    assert stack[1].startswith("a:b")


names = st.text(max_size=12)


@given(st.lists(st.tuples(st.lists(names, max_size=5), st.integers(1, 1000)), max_size=12))
def test_every_sample_is_counted_and_every_frame_is_a_field(
    profile_of: Callable[..., Profile], rows: list[Any]
) -> None:
    text = render_folded(profile_of([(tuple(frames), samples) for frames, samples in rows]))
    text.encode("utf-8")
    stacks = parsed(text)
    assert sum(stacks.values()) == sum(samples for _, samples in rows)
    assert {len(stack) for stack in stacks} == {1 + len(frames) for frames, _ in rows}
