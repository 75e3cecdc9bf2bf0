"""Whether a file of Python frames has an interpreter."""

from pathlib import Path

from harness.profile.python_file import has_no_interpreter


def test_a_file_with_a_heading_and_counts_only_has_none(tmp_path: Path) -> None:
    file = tmp_path / "python.jsonl"
    assert has_no_interpreter(file)
    file.write_text('{"format":"x"}\n{"counts":{}}\n')
    assert has_no_interpreter(file)
    file.write_text('{"format":"x"}\n{"interpreter":1}\n{"counts":{}}\n')
    assert not has_no_interpreter(file)


def test_a_link_is_read_by_the_reader_that_refuses_it(tmp_path: Path) -> None:
    file = tmp_path / "python.jsonl"
    file.symlink_to("/dev/zero")
    assert not has_no_interpreter(file)
