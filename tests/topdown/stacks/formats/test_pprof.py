"""pprof: what is written is read again, by this reader and by pprof."""

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest
from google.protobuf import json_format
from hypothesis import given

from stallscope.errors import RecordingError
from tests.long_tests import long_tests
from tests.profile_builder import ProfileBuilder
from tests.topdown.stacks.formats.tables_strategy import stack_tables
from topdown.stacks.formats.pprof import _profile_class, decode_pprof, encode_pprof
from topdown.stacks.formats.profile_tables import tables_of
from topdown.stacks.formats.stack_tables import StackTables


@given(stack_tables())
def test_tables_survive_writing_and_reading(tables: StackTables) -> None:
    content = encode_pprof(tables)
    assert decode_pprof(gzip.decompress(content), "x") == tables
    assert encode_pprof(tables) == content


@pytest.mark.parametrize("content", [b"", b"\x0a", b"\xff" * 9, b"\x0a\x02\x08\x63"])
def test_malformed_messages_are_errors(content: bytes) -> None:
    with pytest.raises(RecordingError, match="is not a valid pprof profile"):
        decode_pprof(content, "x")


@pytest.mark.long
def test_pprof_shows_the_same_values(tmp_path: Path) -> None:
    if not long_tests(short=0, long=1) or shutil.which("go") is None:
        pytest.skip("needs go tool pprof: ./dev fuzz builds it")
    profile = ProfileBuilder().build([(["main", "work"], 30), (["main", "idle"], 10)])
    file = tmp_path / "cpu.pb.gz"
    file.write_bytes(encode_pprof(tables_of(profile)))
    shown = subprocess.run(
        ["go", "tool", "pprof", "-top", str(file)],
        capture_output=True,
        text=True,
        check=True,
        env={"HOME": str(tmp_path), "PATH": f"{Path(shutil.which('go') or '').parent}:/usr/bin"},
    ).stdout
    rows = [line.split() for line in shown.splitlines()]
    assert ["30ms", "75.00%", "75.00%", "30ms", "75.00%", "work"] in rows
    assert ["0", "0%", "100%", "40ms", "100%", "main"] in rows


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"location": [{"id": 1, "mapping_id": 5}]}, "there is no mapping 5"),
        ({"location": [{"id": 1, "line": [{"function_id": 6}]}]}, "there is no function 6"),
        ({"sample": [{"location_id": [7], "value": [1]}]}, "there is no location 7"),
    ],
)
def test_an_error_names_the_missing_entry(field: dict[str, object], message: str) -> None:
    profile = {"string_table": [""], "sample_type": [{"type": 0}], **field}
    content = json_format.ParseDict(profile, _profile_class()()).SerializeToString()
    with pytest.raises(RecordingError, match=message):
        decode_pprof(content, "x")
