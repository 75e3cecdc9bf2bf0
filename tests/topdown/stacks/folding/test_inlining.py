"""Inlined functions in chains."""

import os
from collections import Counter

from topdown.stacks.folding.fold import FoldOptions, fold
from topdown.stacks.profile import FunctionKind
from topdown.stacks.symbols.symbolizer import Symbolizer

USER = 0


def short(name: str) -> str:
    """A function's name without its scope and parameters."""
    return name.split("(", maxsplit=1)[0].rsplit("::", maxsplit=1)[-1]


def test_inlined_functions_are_children_of_the_function_that_contains_them(
    shop, sources, programs, made
):
    """Every address of outer(), as addr2line sees it."""
    address = made.symbol_addresses(programs.full)["_ZN4shop5outerEi"]
    offset = made.file_offset(programs, "_ZN4shop5outerEi") - 1
    frames = [(0, offset + step, USER) for step in range(40)]
    objects = [made.Object(os.fsencode(programs.full), programs.build_id)]
    stacks = [[index] for index in range(len(frames))]
    capture = made.Capture(frames, stacks, [(i, 0, 1) for i in range(len(frames))], objects)
    capture.stack_end[:] = 1  # complete
    profile = fold(capture, Symbolizer(sources), FoldOptions(lines=1000))
    # addr2line shows the symbol's name for the innermost function: only its callers are compared.
    expected: Counter[tuple[str, ...]] = Counter()
    for step in range(40):
        text = made.run("addr2line", "-ifC", "-e", programs.full, hex(address + step))
        expected[tuple(short(name) for name in text.splitlines()[2::2][::-1])] += 1
    counts: Counter[tuple[str, ...]] = Counter()
    for path, samples in made.paths(profile).items():
        counts[tuple(short(name) for name in path.split(";")[:-1])] += samples
    assert counts == expected
    assert {len(path) for path in counts} == {0, 1, 2}
    inlined = [f for f in profile.functions if f.kind == FunctionKind.INLINED]
    assert {short(f.name) for f in inlined} == {"innermost", "middle"}
    assert all("shop.cc:" in line for f in inlined for line, _ in f.lines)
    assert sum(count for f in profile.functions for _, count in f.lines) == 40
    alone = fold(capture, Symbolizer(sources), FoldOptions(inlined=1000))
    assert made.paths(alone) == made.paths(profile)
    assert not any(function.lines for function in alone.functions)
