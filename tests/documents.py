"""Checks of the JSON that commands print against the published schemas.

    assert_valid("io.curve", process.stdout)

A house test requires one such check for every registered document.
"""

import json
from functools import cache
from pathlib import Path

import jsonschema

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


def assert_valid(name: str, printed: str) -> None:
    """Assert that a text holds documents of that name, each valid by its published schema.

    The schema of a recording.json has no kind in its name: "recording.load" is a "recording".
    """
    schema = "recording" if name.startswith("recording.") else name
    decoded = json.loads(printed)
    documents = decoded if isinstance(decoded, list) else [decoded]
    assert documents
    for document in documents:
        assert str(document["schema"]).startswith(f"stallscope.{schema}/")
        _validator(name).validate(document)


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_text()))
