"""Texts for readers that contain an expression of words.toml.

`python -m tests.house.words` lists the occurrences, `--count` only their number per file.
"""

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ("stallscope", "topdown", "cstates", "ioprobe", "harness")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
C_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FENCE = re.compile(r"```.*?```", re.DOTALL)


@dataclass(frozen=True)
class Text:
    """A text that a reader sees, with its place: a path and a line, or a command."""

    place: str
    line: int
    text: str


@dataclass(frozen=True)
class Occurrence:
    """An expression to replace, with its place and what to write."""

    place: str
    line: int
    expression: str
    write: str
    text: str


def words() -> list[tuple[re.Pattern[str], str]]:
    """The expressions of words.toml with what to write instead."""
    entries = tomllib.loads((Path(__file__).parent / "words.toml").read_text())["word"]
    return [
        (re.compile(entry["pattern"], re.IGNORECASE | re.MULTILINE), entry["write"])
        for entry in entries
    ]


def help_texts() -> Iterator[Text]:
    """The help of every command and of its options."""
    import click

    from harness.cli.command_line import group

    def walk(command: click.Command, name: str) -> Iterator[Text]:
        context = click.Context(command, info_name=name)
        yield Text(f"help: {name}", 0, command.get_help(context))
        if isinstance(command, click.Group):
            for verb in command.list_commands(context):
                inner = command.get_command(context, verb)
                assert inner is not None
                yield from walk(inner, f"{name} {verb}")

    for text in walk(group, "stallscope"):
        yield Text(text.place, 0, re.sub(r"\s+", " ", text.text))


def pages() -> Iterator[Text]:
    """The paragraphs of README, docs and their like, without code blocks."""
    files = [CHECKOUT / name for name in PAGES] + sorted((CHECKOUT / "docs").rglob("*.md"))
    for path in files:
        if not path.exists():
            continue
        plain = FENCE.sub(lambda block: "\n" * block[0].count("\n"), path.read_text())
        line = 1
        for paragraph in re.split(r"(\n\n+)", plain):
            if paragraph.strip():
                place = str(path.relative_to(CHECKOUT))
                yield Text(place, line, re.sub(r"`[^`]*`|\s+", " ", paragraph.strip()))
            line += paragraph.count("\n")


def _docstrings(tree: ast.AST) -> set[int]:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, holders) and node.body and isinstance(node.body[0], ast.Expr)
    }


def python_messages() -> Iterator[Text]:
    """The string literals of the packages that are sentences: messages and page texts."""
    for package in PACKAGES:
        for path in sorted((CHECKOUT / package).rglob("*.py")):
            tree = ast.parse(path.read_text())
            docstrings = _docstrings(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr):
                    parts = [
                        part.value if isinstance(part, ast.Constant) else "X"
                        for part in node.values
                    ]
                    text = "".join(map(str, parts))
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    text = node.value
                else:
                    continue
                if text.count(" ") >= 2 and id(node) not in docstrings:
                    yield Text(str(path.relative_to(CHECKOUT)), node.lineno, text)


def native_messages() -> Iterator[Text]:
    """The string literals of the native code that are sentences."""
    for path in sorted((CHECKOUT / "native").rglob("*.[ch]pp")):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if line.lstrip().startswith(("//", "#")):
                continue
            for match in C_STRING.finditer(line):
                if match[1].count(" ") >= 2:
                    yield Text(str(path.relative_to(CHECKOUT)), number, match[1])


def occurrences() -> list[Occurrence]:
    """Every occurrence in help texts, pages and messages, without duplicates."""
    listed = words()
    unique: dict[tuple[str, int, str], Occurrence] = {}
    for source in (help_texts, pages, python_messages, native_messages):
        for text in source():
            for pattern, write in listed:
                for match in pattern.finditer(text.text):
                    around = text.text[max(0, match.start() - 40) : match.end() + 40]
                    occurrence = Occurrence(text.place, text.line, match[0], write, around)
                    unique.setdefault((text.place, text.line, around), occurrence)
    return list(unique.values())


def main() -> int:
    """Print the occurrences; returns 1 if there are any."""
    listed = occurrences()
    if "--count" in sys.argv:
        for place, number in Counter(item.place for item in listed).most_common():
            print(f"{number:5} {place}")
    else:
        for item in listed:
            print(
                f"{item.place}:{item.line}: {item.expression!r} (write: {item.write}): {item.text}"
            )
    print(f"{len(listed)} occurrences", file=sys.stderr)
    return bool(listed)


if __name__ == "__main__":
    sys.exit(main())
