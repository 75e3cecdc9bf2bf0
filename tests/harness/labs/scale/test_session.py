"""A run of `stallscope lab scale`: the files and the printed document have one content."""

import csv
from pathlib import Path

import pytest

from harness.labs.scale import session
from tests.documents import assert_valid
from tests.harness.labs.scale.measurements import OPTIONS, measurement


def test_every_named_file_is_written_in_its_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "measure_scale", lambda *_: measurement())
    table, document, picture = (tmp_path / f"scale.{suffix}" for suffix in ("csv", "json", "SVG"))
    session.run_scale(OPTIONS, None, (table, document, picture), as_json=True)
    printed = capsys.readouterr()
    assert_valid("lab.scale", printed.out)
    assert document.read_text() == printed.out
    assert [line for line in printed.err.splitlines() if line] == [
        f"wrote {path}" for path in (table, document, picture)
    ]
    with table.open() as file:
        assert len(list(csv.DictReader(file))) >= len(OPTIONS.points)
    assert picture.read_bytes().startswith(b"<?xml")
