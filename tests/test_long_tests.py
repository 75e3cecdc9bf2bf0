"""Which tests ./dev fuzz runs for longer, and how they learn of it."""

from pathlib import Path

import pytest

from tests.long_tests import VARIABLE, long_tests


@pytest.mark.parametrize(("value", "size"), [("1", 500), ("0", 10), ("", 10), (None, 10)])
def test_the_variable_chooses_the_long_size(
    monkeypatch: pytest.MonkeyPatch, value: str | None, size: int
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    assert long_tests(short=10, long=500) == size


def test_every_python_test_with_a_long_size_carries_the_mark(checkout: Path) -> None:
    """Without the mark, ./dev fuzz would not run it."""
    unmarked = [
        str(path)
        for path in (checkout / "tests").rglob("test_*.py")
        if path.name != "test_long_tests.py"
        and "long_tests(" in (text := path.read_text())
        and "mark.long" not in text
    ]
    assert not unmarked


def test_every_native_test_with_a_long_size_is_declared_long(checkout: Path) -> None:
    undeclared = [
        str(path)
        for path in (checkout / "tests" / "native").rglob("*.cpp")
        if "long_tests(" in path.read_text()
        and " LONG" not in (path.parent / "CMakeLists.txt").read_text()
    ]
    assert not undeclared
