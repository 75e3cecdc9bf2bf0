"""Identities of files."""

import os
from pathlib import Path

from stallscope.regular_file import open_regular
from topdown.stacks.symbols.file_identity import host_identity


def test_another_file_at_the_same_path_has_no_identity(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    with open_regular(tmp_path / "a") as file:
        assert host_identity(file, os.fsencode(tmp_path / "b")) is None
        assert host_identity(file, os.fsencode(tmp_path / "none")) is None
        assert host_identity(file, None) is None
