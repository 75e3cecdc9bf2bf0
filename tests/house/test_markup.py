"""Pages are made from templates, which escape every text: no module builds markup in strings."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGES = ("stallscope", "topdown", "cstates", "ioprobe", "harness", "benchmarks")
# Modules that write markup without a template, with the reason.
EXCEPTIONS = {
    "topdown/stacks/flame/svg.py": "an SVG file with a line per frame; the package has no templates"
}
# Modules that may declare a computed text to be markup.
MARKUP_SOURCES = {
    "harness/page/document.py": "it renders the templates",
    "harness/page/inline_svg.py": "it serializes a parsed picture of matplotlib",
    "harness/diff/session.py": "it embeds a picture of topdown/stacks/flame/svg.py",
    "harness/labs/stages/panel.py": "it embeds a picture of topdown/stacks/flame/svg.py",
}

# A closing tag, a tag with an attribute, an element without content, or a tag that is no usual word.
TAG = re.compile(
    r"</[a-z]\w*>|<[a-z]\w*\s+[\w-]+=|<[a-z]\w*\s*/>|<!doctype"
    r"|<(b|br|dd|div|dl|dt|em|h[1-6]|hr|i|li|ol|p|pre|span|strong|td|th|tr|ul)>"
)
START_OF_TAG = re.compile(r"<[a-z/!]")


@cache
def modules(root: Path) -> dict[str, str]:
    """Return the sources of all modules."""
    return {
        str(path.relative_to(root)): path.read_text()
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the strings of a module that are not docstrings."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in documentation:
            yield node


def lines_with_tags(source: str) -> list[int]:
    if not START_OF_TAG.search(source):  # parsing is expensive
        return []
    return [node.lineno for node in strings(ast.parse(source)) if TAG.search(str(node.value))]


def lines_with_computed_markup(source: str) -> list[int]:
    """Return the lines that declare something else than a literal to be markup."""
    if "Markup" not in source:
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] == "Markup"
        and any(not isinstance(argument, ast.Constant) for argument in node.args)
    ]


def test_no_module_builds_markup_in_strings(checkout: Path) -> None:
    wrong = [
        f"{name}:{line}: a tag in a string; write a Jinja2 template beside the module"
        for name, source in modules(checkout).items()
        if name not in EXCEPTIONS
        for line in lines_with_tags(source)
    ]
    assert not wrong, "\n".join(wrong)


def test_only_rendered_templates_are_markup(checkout: Path) -> None:
    wrong = [
        f"{name}:{line}: a computed text becomes markup without escaping"
        for name, source in modules(checkout).items()
        if name not in MARKUP_SOURCES
        for line in lines_with_computed_markup(source)
    ]
    assert not wrong, "\n".join(wrong)


def test_exceptions_are_still_necessary(checkout: Path) -> None:
    sources = modules(checkout)
    assert all(lines_with_tags(sources[name]) for name in EXCEPTIONS)
    assert all(lines_with_computed_markup(sources[name]) for name in MARKUP_SOURCES)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("x = f'<li class=\"{style}\">{text}'", [1]),
        ("x = '<b>' + name + '</b>'", [1, 1]),
        ("x = 'a<br/>b'", [1]),
        ("def f():\n    '''Return <b>markup</b>.'''", []),
        ("x = 'a < b > c, <not counted>, 1<<2'", []),
    ],
)
def test_tags_are_recognised_in_strings_and_not_in_documentation(
    source: str, lines: list[int]
) -> None:
    assert lines_with_tags(source) == lines


def test_joined_markup_and_literal_markup_are_distinguished() -> None:
    assert lines_with_computed_markup("Markup(f'<b>{x}</b>')") == [1]
    assert lines_with_computed_markup("Markup().join(x); Markup('&middot;')") == []
