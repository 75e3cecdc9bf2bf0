"""Readers in a limited process: their output, and the limit that ended them."""

import os
import resource
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from stallscope.errors import StallscopeError
from topdown.stacks.symbols.limited_reader import LimitedReader, read_limited
from topdown.stacks.symbols.reading_limits import ReadingBudget, ReadingLimits

LIMITS = ReadingLimits(memory_bytes=64 << 20, cpu_s=0.2, wall_s=5.0, output_bytes=1 << 20)


def echo(request: bytes):
    yield request
    if request == b"memory":
        yield bytes(256 << 20)
    elif request == b"output":
        while True:
            yield bytes(1 << 16)
    elif request == b"error":
        raise StallscopeError("a damaged file")
    elif request == b"defect":
        raise ZeroDivisionError
    elif request == b"crash":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), signal.SIGSEGV)
    elif request == b"time":
        while True:
            pass
    yield b"."


def test_outputs_are_returned_in_order_from_one_process() -> None:
    def numbers(request: bytes):
        yield b"%d %s" % (os.getpid(), request)

    with LimitedReader(numbers, LIMITS) as reader:
        texts = [reader.output(b"%d" % number).content.split() for number in range(5)]
    assert [text[1] for text in texts] == [b"0", b"1", b"2", b"3", b"4"]
    assert {int(text[0]) for text in texts} != {os.getpid()}
    assert len({text[0] for text in texts}) == 1


@pytest.mark.parametrize(
    ("request_name", "failure"),
    [
        (b"memory", "the limit of 64 MiB of memory was reached"),
        (b"output", "the limit of 1 MiB of names was reached"),
        (b"error", "a damaged file"),
        (b"defect", "its reader failed: ZeroDivisionError"),
        (b"crash", "its reader ended unexpectedly (status -11)"),
        (b"time", "the limit of 0.2 s of CPU time was reached"),
    ],
)
def test_a_failure_names_the_limit_and_later_requests_succeed(request_name, failure) -> None:
    with LimitedReader(echo, LIMITS) as reader:
        output = reader.output(request_name)
        assert output.failure == failure
        assert output.content.startswith(request_name)
        after = reader.output(b"after")
    assert (after.content, after.failure) == (b"after.", "")


def test_a_reader_that_waits_is_ended_after_its_time() -> None:
    def waits(_request: bytes):
        yield b"start"
        time.sleep(60)

    limits = ReadingLimits(wall_s=0.2)
    with LimitedReader(waits, limits) as reader:
        output = reader.output(b"")
    assert output.content == b"start"
    assert output.failure == "the time limit of 0.2 s was reached"


def test_all_files_share_a_budget() -> None:
    budget = ReadingBudget(cpu_s=0.3)
    with LimitedReader(echo, LIMITS, budget) as reader:
        failures = [reader.output(b"time").failure for _ in range(4)]
    assert failures[:2] == ["the limit of 0.2 s of CPU time was reached"] * 2
    assert failures[2:] == ["the limit on CPU time for all files was reached"] * 2


def test_the_process_has_no_descriptors_of_its_parent(tmp_path) -> None:
    def descriptors():
        for link in Path("/proc/self/fd").iterdir():
            with suppress(FileNotFoundError):  # that of the directory itself
                yield os.fsencode(link.readlink()) + b" "

    with (tmp_path / "secret").open("w"):
        content = read_limited(descriptors).content
    assert b"secret" not in content
    assert b"/dev/null" in content


def test_the_process_ends_with_the_reader() -> None:
    with LimitedReader(lambda _: iter([b"%d" % os.getpid()]), LIMITS) as reader:
        pid = int(reader.output(b"").content)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    forgotten = LimitedReader(lambda _: iter([b"%d" % os.getpid()]), LIMITS)
    pid = int(forgotten.output(b"").content)
    del forgotten
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
