"""Typed documents: what is written is read back, and errors name the wrong field."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.documents import (
    UNSET,
    Count,
    Document,
    Record,
    Share,
    UnsetType,
    decode,
    encode,
    field,
    json_schema,
    read_bounded,
    read_document,
    schema_name,
)
from stallscope.errors import RecordingError


class Depth(Record, frozen=True, kw_only=True):
    depth: Count
    iops: float | None
    share: Share = 0.0
    recording: str | UnsetType = UNSET


class Curve(Document, frozen=True, kw_only=True, tag="stallscope.test.curve/1"):
    path: str
    points: tuple[Depth, ...]
    intervals: dict[str, tuple[float, float] | None] = field(default_factory=dict)


CURVE = Curve(path="/srv", points=(Depth(depth=1, iops=2.5),), intervals={"knee": (1, 2)})
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.builds(
        Curve,
        path=st.text(st.characters(exclude_categories=["Cs"])),
        points=st.lists(
            st.builds(
                Depth,
                depth=st.integers(0, 2**63 - 1),
                iops=st.none() | FINITE,
                share=st.floats(0, 1),
            )
        ).map(tuple),
        intervals=st.dictionaries(st.sampled_from("abc"), st.none() | st.tuples(FINITE, FINITE)),
    )
)
def test_decoding_returns_the_encoded_document(curve: Curve) -> None:
    assert decode(encode(curve), Curve, "test") == curve


def test_the_schema_name_is_the_first_field() -> None:
    assert encode(CURVE).startswith('{"schema":"stallscope.test.curve/1",')
    assert schema_name(Curve) == schema_name(CURVE) == "stallscope.test.curve/1"


def test_an_unset_field_is_left_out_and_a_missing_value_is_null() -> None:
    points = json.loads(encode(Curve(path="p", points=(Depth(depth=1, iops=None),))))["points"]
    assert points == [{"depth": 1, "iops": None, "share": 0.0}]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_written_as_null(value: float) -> None:
    assert json.loads(encode(Depth(depth=1, iops=value)))["iops"] is None


def test_a_name_that_is_not_utf8_is_escaped_and_stays_readable() -> None:
    text = encode(Curve(path=os.fsdecode(b"/srv/\xff"), points=()))
    assert decode(text, Curve, "test").path == "/srv/\\xff"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "missing required field `path`"),
        ("[]", "Expected `object`, got `array`"),
        ('{"schema": "stallscope.other/1"}', "at `$.schema`"),
        ('{"path": "p", "points": [{"depth": -1, "iops": null}]}', "at `$.points[0].depth`"),
        ('{"path": "p", "points": [{"depth": 1, "iops": 1e999}]}', "at `$.points[0].iops`"),
        ('{"path": "p", "points": [{"depth": 1e400, "iops": 1}]}', "at `$.points[0].depth`"),
        ('{"path": "p", "points": [{"depth": 1, "iops": "2"}]}', "Expected `float | null`"),
        ('{"path": "p", "points": [{"depth": 1, "iops": NaN}]}', "is not JSON"),
        ("{", "is not JSON"),
        ("[" * 100_000, "Expected `object`"),
        (b'{"path": "\xff"}', "is not JSON"),
    ],
)
def test_an_invalid_document_is_refused_with_the_path_of_the_field(
    text: str | bytes, message: str
) -> None:
    with pytest.raises(RecordingError) as refused:
        decode(text, Curve, "curve.json")
    assert message in refused.value.message
    assert refused.value.message.startswith("curve.json")
    assert refused.value.remedy


def test_unknown_fields_of_a_newer_minor_version_are_ignored() -> None:
    fields = {**json.loads(encode(CURVE)), "newer": [1, 2, 3]}
    assert decode(json.dumps(fields), Curve, "test") == CURVE


def test_the_json_schema_accepts_documents_and_refuses_invalid_documents() -> None:
    schema = json_schema(Curve)
    document = json.loads(encode(CURVE))
    jsonschema.validate(document, schema)
    for wrong in ({**document, "path": 1}, {**document, "schema": "other"}, {"path": "p"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "curve.json"
    path.write_text(encode(CURVE))
    assert read_document(path, Curve) == CURVE
    with pytest.raises(RecordingError, match="larger than 10 bytes"):
        read_bounded(path, 10)


def test_pipes_and_missing_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("pipe", "not a regular file"), ("none", "No such file")):
        with pytest.raises(RecordingError, match=message) as refusal:
            read_document(tmp_path / name, Curve)
        assert refusal.value.remedy.startswith("check its name")


def test_numbers_of_numpy_are_written_as_numbers() -> None:
    point = Depth(depth=int(np.int64(4)), iops=np.float64(2.5))
    assert json.loads(encode(point))["iops"] == 2.5


@pytest.mark.parametrize("number", ["1e400", "9" * 400, "NaN", "Infinity", "true", '"1"'])
def test_a_number_that_is_not_finite_is_rejected(number: str) -> None:
    with pytest.raises(RecordingError):
        decode(number, float, "a file")


class Renamed(Document, frozen=True, tag="stallscope.test.renamed/1"):
    """A document whose keys had other names."""

    FORMER_KEYS: ClassVar[Mapping[str, str]] = {"most_iops": "max_iops"}

    max_iops: float
    title: str = ""


@pytest.mark.parametrize("key", ["max_iops", "most_iops"])
def test_former_keys_are_read_and_strings_are_left_alone(key: str) -> None:
    title = 'says "most_iops": 2'
    text = json.dumps({"schema": "stallscope.test.renamed/1", key: 7.0, "title": title})
    assert decode(text, Renamed, "a file") == Renamed(7.0, title)
