"""Sizes as people write and read them."""

import pytest

from stallscope.sizes import parse_size, size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [(64, "64 B"), (4096, "4 KiB"), (1280 * 2**10, "1.25 MiB"), (2**30, "1 GiB"), (1023, "1023 B")],
)
def test_a_size_is_written_in_its_largest_unit_and_read_again(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("48K", 49152),
        ("48 KiB", 49152),
        ("1g", 2**30),
        (" 8M ", 2**23),
        ("2kb", 2048),
        ("1T", 2**40),
    ],
)
def test_what_is_a_size(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "1.5M", "1P", "4096 4", "9" * 40, "4Ki", "\uff10"])
def test_what_is_none(text: str) -> None:
    assert parse_size(text) is None
