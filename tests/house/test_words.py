"""Texts for readers are in plain technical English."""

import tomllib
from pathlib import Path

import pytest

from tests.house.words import Occurrence, occurrences, words

LIMITS: dict[str, int] = tomllib.loads((Path(__file__).parent / "words.toml").read_text())["limits"]


@pytest.fixture(scope="module")
def by_place() -> dict[str, list[Occurrence]]:
    places: dict[str, list[Occurrence]] = {}
    for occurrence in occurrences():
        places.setdefault(occurrence.place, []).append(occurrence)
    return places


def test_no_text_has_more_listed_expressions_than_its_limit(
    by_place: dict[str, list[Occurrence]],
) -> None:
    """The limit of a place is zero, except for the places in words.toml, whose limits only shrink."""
    beyond = [
        f"{item.place}:{item.line}: {item.expression!r} (write: {item.write}): {item.text}"
        for place, items in by_place.items()
        if len(items) > LIMITS.get(place, 0)
        for item in items
    ]
    assert not beyond, "\n".join(beyond)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("Readings of each depth, taken anew.", "anew"),
        ("Give a simulated run up after so many seconds.", "so many"),
        ("Where closing states does nothing here, take a way that does.", "a way that does"),
        ("nan is no amount of anything", None),
        ("The file is no recording.", "is no "),
        ("There is no counter.", None),
        ("Number of measurements per depth, in random order.", None),
        ("A tree of its own", "of its own"),
        ("Return what is to be shown", "is to be"),
    ],
)
def test_listed_expressions_are_found(text: str, expression: str | None) -> None:
    matches = [match[0] for pattern, _ in words() for match in pattern.finditer(text)]
    assert (expression in matches) if expression else not matches, matches
