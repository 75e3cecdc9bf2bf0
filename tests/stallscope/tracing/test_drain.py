"""The thread that copies trace buffers into files."""

import os
from pathlib import Path

from stallscope.tracing.drain import Drain, read_pages
from stallscope.tracing.instance import TraceInstance

PAGE = 4096


def buffers_of(folder: Path, pages: dict[int, int]) -> TraceInstance:
    """Create the buffers of an instance, with this number of pages by CPU."""
    (folder / "buffer_subbuf_size_kb").write_text("4\n")
    for cpu, count in pages.items():
        buffer = folder / "per_cpu" / f"cpu{cpu}"
        buffer.mkdir(parents=True)
        (buffer / "trace_pipe_raw").write_bytes(bytes([cpu + 1]) * (PAGE * count))
    return TraceInstance(folder)


def test_the_pages_of_every_cpu_are_copied(tmp_path: Path) -> None:
    instance = buffers_of(tmp_path, {0: 3, 1: 1})
    drain = Drain(instance, tmp_path)
    drain.start()
    drain.finish()
    copied = {cpu: file.read() for cpu, file in drain.pages.items()}
    drain.close()
    assert copied == {0: b"\x01" * 3 * PAGE, 1: b"\x02" * PAGE}
    assert drain.error is None
    assert not drain.full


def test_a_short_page_is_padded_and_the_number_of_pages_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "raw"
    path.write_bytes(b"a" * (2 * PAGE + 10))
    descriptor = os.open(path, os.O_RDONLY)
    assert len(read_pages(descriptor, PAGE, 2)) == 2 * PAGE
    assert read_pages(descriptor, PAGE) == b"a" * 10 + bytes(PAGE - 10)
    assert read_pages(descriptor, PAGE) == b""
    os.close(descriptor)
