"""Stacks as a table."""

import importlib.util

import pytest

from stallscope.errors import UnableError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.formats.stack_frame import parquet_bytes, stack_frame

PROFILE = ProfileBuilder().build([(["main", "a;b"], 3), (["main"], 2)])


def test_a_row_per_stack_and_thread() -> None:
    frame = stack_frame(PROFILE)
    rows = frame[["process", "stack", "leaf", "module", "samples", "value", "unit"]]
    assert rows.to_numpy().tolist() == [
        ["it", "main;a:b", "a;b", "/bin/it", 3, 3_000_000, "ns"],
        ["it", "main", "main", "/bin/it", 2, 2_000_000, "ns"],
    ]


def test_parquet_needs_pyarrow() -> None:
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(UnableError, match="needs pyarrow"):
            parquet_bytes(PROFILE)
    else:
        assert parquet_bytes(PROFILE).startswith(b"PAR1")
