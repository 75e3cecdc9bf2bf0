"""Identifiers in Python and C++ that words.toml refuses: they do not say what they hold.

`python -m tests.house.identifiers` lists the occurrences.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
WORDS = Path(__file__).with_name("words.toml")
TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//.*| # .*')


@dataclass(frozen=True)
class RefusedName:
    """An occurrence of a refused name where it is introduced."""

    path: str
    line: int
    name: str
    text: str


class Introductions:
    """Patterns of Python and C++ that introduce a name: assignments, loops, parameters, declarations."""

    def __init__(self, names: tuple[str, ...]) -> None:
        name = rf"({'|'.join(map(re.escape, names))})"
        before, after = r"(?:\w+, )*\(?", r"(?:, \w+)*\)?"
        self._name = re.compile(rf"\b{name}_?\b")
        self._python = [
            re.compile(rf"\bfor {before}{name}\b{after} in\b"),
            re.compile(rf"^\s*{before}{name}\b{after}\s*(?::[^=\n]+)?=(?!=)"),
            re.compile(rf"^\s*(?:async )?(?:def|class) {name}\b"),
            re.compile(
                rf"^\s*(?:def \w+\()?(?:[\w\s:,|\[\]=*.]*, )?{name}: (?=[\w\[\]|., ]+[,)=])"
            ),
            re.compile(rf"\bas {name}\s*[:,)]|\({name} :=|\blambda {before}{name}\b"),
        ]
        self._cpp = [re.compile(rf"\b(?!return\b)[a-z_][\w:<>]*[&*>]* {name}_?(?= ?[=;,{{(:)])")]

    def in_source(self, path: str, source: str) -> Iterator[RefusedName]:
        """Yield the occurrences in a file."""
        patterns = self._python if path.endswith(".py") else self._cpp
        for number, line in enumerate(source.splitlines(), 1):
            if not self._name.search(line) or line.lstrip().startswith(("#", "//", '"""', "*")):
                continue
            code = TEXT.sub('""', line)
            for pattern in patterns:
                if match := pattern.search(code):
                    name = next(filter(None, match.groups()))
                    yield RefusedName(path, number, name, line.strip())
                    break


def refused_names() -> Iterator[RefusedName]:
    """Yield the occurrences in all files of the repository."""
    introductions = Introductions(tuple(tomllib.loads(WORDS.read_text())["identifiers"]["refused"]))
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.cpp", "*.hpp"],
        cwd=CHECKOUT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for path in listed.stdout.splitlines():
        if (file := CHECKOUT / path).exists():
            yield from introductions.in_source(path, file.read_text())


if __name__ == "__main__":
    for item in refused_names():
        sys.stdout.write(f"{item.path}:{item.line}: {item.name}: {item.text}\n")
