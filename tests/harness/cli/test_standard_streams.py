"""Standard streams: a full device, a closed pipe, a pipe that does not block."""

import fcntl
import os
import threading

import pytest

from harness.cli.standard_streams import MessageStream, OutputStream
from stallscope.errors import OutputError


def test_output_to_a_full_device_is_an_error_with_a_remedy() -> None:
    with OutputStream("/dev/full", "wb") as stream, pytest.raises(OutputError) as raised:
        stream.write(b"text")
    assert raised.value.exit_code == 6
    assert "No space left on device" in raised.value.message


def test_messages_to_a_full_device_are_dropped() -> None:
    with MessageStream("/dev/full", "wb") as stream:
        assert stream.write(b"text") == 4


def test_a_closed_pipe_stays_a_broken_pipe() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with OutputStream(writer, "wb") as stream, pytest.raises(BrokenPipeError):
        stream.write(b"text")


def test_a_full_pipe_that_does_not_block_is_waited_for() -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
    while True:
        try:
            os.write(writer, bytes(4096))
        except BlockingIOError:
            break
    drain = threading.Thread(target=os.read, args=(reader, 1 << 20))
    with OutputStream(writer, "wb") as stream:
        drain.start()
        assert stream.write(b"text") == 4
    drain.join(60)
    os.close(reader)
