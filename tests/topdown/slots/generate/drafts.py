"""From a draft to a model, as the generator does it."""

from typing import Any

from topdown.slots.generate.draft import document
from topdown.slots.model import Model, parse_model

ENTRY = {"title": "Test", "aliases": [], "width": 4, "match": []}


def model_from(made: Any) -> Model:
    return parse_model(document("test", ENTRY, made), "test", "test.json")
