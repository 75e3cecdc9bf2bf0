"""The file of a self-test that a model is verified by."""

from pathlib import Path

import pytest

from topdown.slots.verification import verification_of


def test_a_file_without_a_self_test_is_refused(tmp_path: Path) -> None:
    (tmp_path / "skl.json").write_text('{"schema": "other/1"}')
    with pytest.raises(Exception, match="schema"):
        verification_of("skl", tmp_path)
    assert not verification_of("zen4", tmp_path).verified
