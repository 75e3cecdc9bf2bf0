"""Lines of the collector: joined from pieces, and limited in time after Ctrl-C."""

import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from stallscope import collector_lines
from stallscope.collector_lines import CollectorLines
from stallscope.errors import UnableError


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The reading end and the writing end; a test closes the writing end."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def test_lines_are_joined_from_pieces_and_the_last_one_may_be_cut(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b"first\nback")
    with closing(CollectorLines(reading, stop=lambda: None)) as lines:
        iterator = iter(lines)
        assert next(iterator) == b"first"
        os.write(writing, b"up\nlast")
        os.close(writing)
        assert list(iterator) == [b"backup", b"last"]


def test_an_interrupt_calls_stop_and_then_limits_the_lines(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = pipe
    monkeypatch.setattr(collector_lines, "FORWARD_AFTER_S", 0.0)
    monkeypatch.setattr(collector_lines, "STOP_LIMIT_S", 0.01)
    stops: list[str] = []
    with closing(CollectorLines(reading, stop=lambda: stops.append("stop"))) as lines:
        lines.interrupt()
        with pytest.raises(UnableError, match="did not end"):
            list(lines)
    assert stops == ["stop"]
    os.close(writing)


def test_a_collector_that_ends_on_its_own_is_not_stopped(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b"last")
    os.close(writing)
    with closing(CollectorLines(reading, stop=lambda: pytest.fail("stopped"))) as lines:
        lines.interrupt()
        assert list(lines) == [b"last"]
