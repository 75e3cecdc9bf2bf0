"""`harness.pack.text`."""

from harness.pack.result import PackResult, UnpackResult
from harness.pack.text import lines, unpack_lines


def test_the_text_states_what_an_archive_contains() -> None:
    result = PackResult(
        recording="r", archive="a\x1b", redacted=False, files=2, bytes=1, missing_binaries=3
    )
    text = "\n".join(lines(result, 80))
    assert "it contains host names" in text
    assert "3 binaries are not available" in text
    assert "\x1b" not in text
    shown = list(unpack_lines(UnpackResult(archive="a", recording="r", bytes=1), 80))
    assert shown[-1] == "show it with: stallscope report r"
