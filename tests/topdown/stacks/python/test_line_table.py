"""Lines of code objects, compared with the running interpreter's own tables."""

import argparse
import ast
import asyncio.base_events
import dataclasses
import inspect
import types
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topdown.stacks.python.line_table import decode_lines

MODULES = (argparse, ast, asyncio.base_events, dataclasses, inspect)


def all_code(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


def assert_same_lines(code: types.CodeType) -> None:
    table = decode_lines(code.co_linetable, code.co_firstlineno)
    expected = [position[0] for position in code.co_positions()]
    assert [table.line_at(2 * unit) for unit in range(len(expected))] == expected, code
    assert table.line_at(2 * len(expected)) is None


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_lines_of_real_code_agree_with_the_interpreter(module: types.ModuleType) -> None:
    codes = list(all_code(compile(inspect.getsource(module), "m.py", "exec")))
    assert len(codes) > 10
    for code in codes:
        assert_same_lines(code)


STATEMENTS = st.sampled_from(
    (
        "a = [x for x in range(3)]",
        "with a as b: pass",
        "try: a()\nexcept E: b()\nfinally: c()",
        "f(1,\n\n  2,\n g(3))",
        "def f(x=1): return (lambda: x)",
        "class C:\n  def m(self):\n    yield 1\n    await_ = 2",
        "x = 1" + " + 1" * 60,
        "for i in a:\n  if i: break\nelse: pass",
        "assert a, (b,\n\n\n\n c)",
    )
)


@given(st.lists(st.tuples(STATEMENTS, st.integers(0, 300)), min_size=1, max_size=12))
def test_lines_of_generated_code_agree_with_the_interpreter(parts: list[tuple[str, int]]) -> None:
    source = "".join("\n" * gap + statement + "\n" for statement, gap in parts)
    for code in all_code(compile(source, "m.py", "exec")):
        assert_same_lines(code)


@given(st.binary(max_size=300), st.integers(-(2**31), 2**31))
def test_damaged_tables_give_ascending_offsets(table: bytes, first_line: int) -> None:
    lines = decode_lines(table, first_line)
    assert list(lines.starts) == sorted(set(lines.starts))
    assert len(lines.starts) == len(lines.lines) <= len(table) + 1
    assert lines.line_at(-1) is None


def test_a_cut_table_keeps_its_complete_entries() -> None:
    code = compile("a = 1\nb = 2\n", "m.py", "exec")
    cut = decode_lines(code.co_linetable[:-1], code.co_firstlineno)
    assert cut.line_at(0) == next(code.co_positions())[0]
    assert cut.line_at(10_000) is None
