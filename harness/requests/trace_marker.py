"""Marks of requests from trace_marker while a block runs, through a private tracefs instance."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from harness.cli.outputs import write_whole
from stallscope.errors import UnableError
from stallscope.tracing.drain import Drain
from stallscope.tracing.event_format import read_event_format
from stallscope.tracing.instance import TraceInstance, open_instance, tracefs
from stallscope.tracing.ring_pages import ring_events
from topdown.requests.marks import HEAD, HEAD_BYTES, TRACE_FILE
from topdown.requests.trace_marks import TEXT_OFFSET, trace_marks

_PRINT = "ftrace/print"
_COPY = "options/copy_trace_marker"


@dataclass(slots=True)
class TraceMarks:
    """The marks of a block that has ended, as the content of a file, and lost events."""

    content: bytes = b""
    marks: int = 0
    losses: int = 0
    warnings: list[str] = field(default_factory=list)

    def keep(self, recording: Path) -> None:
        """Write the marks into a recording."""
        write_whole(recording / TRACE_FILE, [HEAD.ljust(HEAD_BYTES, b"\0"), self.content])


@contextmanager
def trace_marker() -> Iterator[TraceMarks]:
    """Collect what is written to trace_marker during the block; the marks are complete after it.

    Other readers of the trace buffer are not disturbed. Raises UnableError, without running the
    block, if this user or kernel cannot.
    """
    root = tracefs()
    print_format = read_event_format(root / "events", _PRINT)
    if print_format is None:
        raise UnableError(f"this kernel has no event {_PRINT}", "mark requests with the header")
    marks = TraceMarks()
    with ExitStack() as stack:
        instance = stack.enter_context(open_instance(root, {}))
        _copy_marks(instance)
        # The files have no names: nothing remains if the process is killed.
        drain = Drain(instance, Path(tempfile.gettempdir()))
        stack.callback(drain.close)
        drain.start()
        instance.write("tracing_on", "1")
        try:
            yield marks
        finally:
            instance.write("tracing_on", "0")
            drain.finish()
            offset = print_format.fields.get("buf", (TEXT_OFFSET, 0, 0))[0]
            pages = (ring_events(file, cpu, drain.page_bytes) for cpu, file in drain.pages.items())
            records, marks.losses = trace_marks(
                chain.from_iterable(pages), print_format.number, offset
            )
            marks.content, marks.marks = records.tobytes(), len(records)


def _copy_marks(instance: TraceInstance) -> None:
    """Let the instance see what is written to the trace_marker of the whole system."""
    try:
        instance.write(_COPY, "1")
    except UnableError as error:
        raise UnableError(
            "this kernel does not copy marks of trace_marker into private trace buffers",
            "use Linux 6.16 or newer, or mark requests with stallscope_request.h",
        ) from error
