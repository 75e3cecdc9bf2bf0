"""Every registered document has a test that validates real output by its published schema."""

import ast
from collections.abc import Iterator
from pathlib import Path

from harness.report.schemas import DOCUMENTS

TESTS = Path(__file__).parents[1]


def validated_names() -> Iterator[str]:
    """Yield the first argument of each call of assert_valid, and the names of parametrized rows."""
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text()
        if "assert_valid" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "assert_valid":
                yield from strings(node.args[0])
            elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
                yield from strings(node.elts[0])


def strings(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_every_document_is_validated_by_its_schema() -> None:
    assert set(DOCUMENTS) - set(validated_names()) == set()
