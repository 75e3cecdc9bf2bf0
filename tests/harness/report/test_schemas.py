"""The published JSON Schemas are those of the documents' types."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from msgspec import inspect

from harness.cli.command_line import main
from harness.report.schemas import DOCUMENTS, document_type, full_name, schema_text
from stallscope.errors import ExitCode

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_published_schema_equals_the_generated_schema(name: str) -> None:
    published = SCHEMAS / f"{name}.json"
    assert published.read_text() == schema_text(name), (
        "write them again: .venv/bin/stallscope schema --directory docs/schemas"
    )
    jsonschema.Draft202012Validator.check_schema(json.loads(published.read_text()))


def test_no_schema_is_published_without_its_document() -> None:
    assert {path.stem for path in SCHEMAS.glob("*.json")} == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_name_is_the_short_name_with_project_and_version(name: str) -> None:
    if name.startswith("recording."):
        assert full_name(name) == "stallscope.recording/1"  # the kind is a field
    else:
        assert full_name(name).startswith(f"stallscope.{name}/")


def test_the_schema_of_a_recording_leads_to_those_of_its_kinds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["schema", "stallscope.recording/1.0"]) == ExitCode.USAGE
    assert "recording.counters, recording.idle" in " ".join(capsys.readouterr().err.split())


def test_the_command_prints_a_schema_by_either_name(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("io.curve", "stallscope.io.curve/1"):
        assert main(["schema", name]) == ExitCode.DONE
        assert capsys.readouterr().out == schema_text("io.curve")


def test_the_command_lists_the_documents(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == ExitCode.DONE
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(DOCUMENTS)


def test_an_unknown_document_is_refused_with_the_nearest_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["schema", "io.curv"]) == ExitCode.USAGE
    assert "did you mean io.curve?" in capsys.readouterr().err


def parts(kind: inspect.Type) -> Iterator[tuple[str, inspect.Type]]:
    """Yield the parts of a type with the names of fields."""
    if isinstance(kind, inspect.StructType | inspect.DataclassType):
        yield from ((f".{part.name}", part.type) for part in kind.fields)
    elif isinstance(kind, inspect.UnionType):
        yield from (("", option) for option in kind.types)
    elif isinstance(kind, inspect.TupleType):
        yield from (("[]", item) for item in kind.item_types)
    elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
        yield "[]", kind.item_type
    elif isinstance(kind, inspect.DictType):
        yield from (("{}", kind.key_type), ("{}", kind.value_type))


def unbounded(kind: inspect.Type, path: str) -> Iterator[str]:
    """Yield the paths of numbers without bounds in a type."""
    if isinstance(kind, inspect.IntType | inspect.FloatType) and (
        (kind.ge is None and kind.gt is None) or (kind.le is None and kind.lt is None)
    ):
        yield path
    for name, part in parts(kind):
        yield from unbounded(part, path + name)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_number_of_a_document_has_bounds(name: str) -> None:
    assert list(unbounded(inspect.type_info(document_type(name)), name)) == []
