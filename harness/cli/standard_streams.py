"""Standard output and standard error of the process.

Standard output that cannot be written raises an OutputError; a closed pipe stays a BrokenPipeError.
Messages that standard error does not accept are dropped, because nothing could report that.
"""

import io
import os
import select
import sys

from stallscope.errors import OutputError

STDOUT, STDERR = 1, 2
REMEDY = "free some space there, or send standard output elsewhere"


class OutputStream(io.FileIO):
    """The descriptor of standard output; write() waits if it is non-blocking and full."""

    def write(self, data: object, /) -> int:
        """Return the number of bytes written; OutputError if they cannot be written."""
        try:
            while (written := super().write(data)) is None:  # type: ignore[arg-type]
                _wait_until_writable(self.fileno())
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(
                f"cannot write to standard output: {error.strerror}", REMEDY
            ) from error
        return written


class MessageStream(io.FileIO):
    """The descriptor of standard error."""

    def write(self, data: object, /) -> int:
        """Return the number of bytes, which are dropped if they cannot be written."""
        try:
            while (written := super().write(data)) is None:  # type: ignore[arg-type]
                _wait_until_writable(self.fileno())
        except OSError:
            return memoryview(data).nbytes  # type: ignore[arg-type]
        return written


def _wait_until_writable(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    poll.poll()


def open_standard_streams() -> None:
    """Open standard streams that the caller closed as /dev/null, and let them escape any name.

    Otherwise the next file that is opened gets the descriptor and is written to as stdout. A stream
    that another program has replaced, such as a test's, only escapes names.
    """
    while (descriptor := os.open("/dev/null", os.O_RDWR)) <= STDERR:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name, number, kind in (
        ("stdout", STDOUT, OutputStream),
        ("stderr", STDERR, MessageStream),
    ):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115
        elif stream is getattr(sys, f"__{name}__") and _writes_to(stream, number):
            setattr(sys, name, _checked(stream, kind(number, "wb", closefd=False)))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _writes_to(stream: object, number: int) -> bool:
    """Return whether a stream is Python's own for that descriptor, and not replaced before."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # PYTHONUNBUFFERED leaves out the buffer
    return type(raw) is io.FileIO and raw.fileno() == number


def _checked(stream: io.TextIOWrapper, raw: io.FileIO) -> io.TextIOWrapper:
    """Return a stream with the format of another one that writes to ``raw``."""
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
    )


def abandon_stdout() -> None:
    """Keep Python from reporting again, at exit, output that cannot be written."""
    with open("/dev/null", "wb") as nowhere:
        os.dup2(nowhere.fileno(), STDOUT)
