"""Names say what they hold."""

import tomllib
from collections import Counter

import pytest

from tests.house.identifiers import WORDS, Introductions, refused_names

LIMITS: dict[str, int] = tomllib.loads(WORDS.read_text())["identifiers"]["limits"]


def test_no_file_has_more_refused_names_than_its_limit() -> None:
    """The limit of a file is zero, except for the files in words.toml, whose limits only shrink."""
    names = list(refused_names())
    counts = Counter(item.path for item in names)
    beyond = [
        f"{item.path}:{item.line}: {item.name!r}: {item.text}"
        for item in names
        if counts[item.path] > LIMITS.get(item.path, 0)
    ]
    assert not beyond, "\n".join(beyond)


@pytest.mark.parametrize(
    ("path", "line", "is_refused"),
    [
        ("a.py", "found = compute()", True),
        ("a.py", "found: list[int] = []", True),
        ("a.py", "for number, each in enumerate(rows):", True),
        ("a.py", "def read(found: Path, *, size: int) -> None:", True),
        ("a.py", "def found() -> int:", True),
        ("a.py", "names = [each for each in rows]", True),
        ("a.py", "first, found = pair", True),
        ("a.py", "count = 1  # found = 2", False),
        ("a.py", 'text = "found = 2"', False),
        ("a.py", "assert found == 2", False),
        ("a.py", "A page has one in each: see below.", False),
        ("a.cpp", "for (const auto& each : rows) {", True),
        ("a.cpp", "std::vector<int> found(size());", True),
        ("a.cpp", "std::uint64_t found_ = 0;", True),
        ("a.cpp", "int count = 0;  // found; later", False),
        ("a.cpp", "return found;", False),
    ],
)
def test_introductions_of_names_are_recognized(path: str, line: str, is_refused: bool) -> None:
    names = Introductions(("found", "each", "one"))
    assert bool(list(names.in_source(path, line))) is is_refused
