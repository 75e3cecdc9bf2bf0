"""Reading captures: recorded files, the arrays, and errors for other files."""

import gc
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from stallscope import _native
from stallscope._native import Capture, CaptureError, read_capture

CAPTURES = Path(__file__).parent.parent / "captures"
KEPT = sorted(CAPTURES.glob("*.perf"))


def require_sound(capture: Capture) -> None:
    samples, stacks = len(capture.time_ns), len(capture.stack_offset) - 1
    for column in (capture.thread, capture.cpu, capture.period, capture.event, capture.stack):
        assert column.shape == (samples,)
    assert np.all(np.diff(capture.time_ns.astype(np.int64)) >= 0)
    assert np.all(capture.stack < stacks)
    assert np.all(capture.thread < len(capture.threads))
    assert np.all(capture.event < len(capture.attributes))
    assert np.all(np.diff(capture.stack_offset.astype(np.int64)) >= 0)
    assert capture.stack_offset[-1] == len(capture.stack_frame)
    assert np.all(capture.stack_frame < len(capture.frame_kind))
    assert np.all(capture.frame_object >= -1)
    assert np.all(capture.frame_object < len(capture.objects))
    assert np.all(capture.frame_kind <= 5)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_recorded_captures_are_read_completely(path: Path) -> None:
    capture = read_capture(path)
    require_sound(capture)
    assert len(capture.time_ns) > 0
    assert capture.truncated_at is None
    assert 0 < capture.bytes_read <= path.stat().st_size  # unused sections are skipped
    assert capture.format == ("pipe" if "pipe" in path.stem else "file")
    assert capture.byte_order == ("big" if "big" in path.stem else "little")
    assert {attribute.type for attribute in capture.attributes} <= {1, 2}


@pytest.mark.parametrize(
    "path", [path for path in KEPT if "pipe" in path.stem], ids=lambda p: p.stem
)
def test_a_pipe_is_read_to_its_last_byte(path: Path, tmp_path: Path) -> None:
    """Only the formats of tracepoints are skipped; the pipe has the same samples as the file."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(path.read_bytes(),))
    writer.start()
    piped = read_capture(fifo)
    writer.join()
    passed_over = path.stat().st_size - piped.bytes_read
    assert passed_over > 0 if "tracepoint" in path.stem else passed_over == 0
    filed = read_capture(path)
    for name in ("time_ns", "thread", "cpu", "period", "stack", "stack_frame"):
        assert np.array_equal(getattr(piped, name), getattr(filed, name)), name


def test_every_kind_has_a_recorded_capture() -> None:
    assert len(KEPT) >= 12


def test_a_capture_names_host_and_command() -> None:
    capture = read_capture(CAPTURES / "file.perf")
    assert capture.architecture == "x86_64"
    assert capture.command_line[1] == "record"
    assert capture.host_name
    assert capture.kernel_release
    assert capture.clock_id is None
    assert read_capture(CAPTURES / "fields.perf").clock_id == 1
    (attribute,) = capture.attributes
    assert (attribute.name, attribute.frequency_hz, attribute.period) == ("cpu-clock", 25, 0)


def test_frames_are_offsets_in_their_files() -> None:
    capture = read_capture(CAPTURES / "file.perf")
    (busy,) = [entry for entry in capture.objects if entry.path.endswith(b"/busy")]
    index = capture.objects.index(busy)
    assert len(busy.build_id) == 20
    assert not busy.kernel
    leaves = capture.stack_frame[capture.stack_offset[:-1]]
    assert set(capture.frame_object[leaves].tolist()) == {index}
    inside = capture.frame_address[capture.frame_object == index]
    assert np.all(inside >= busy.page_offset)
    assert np.all(inside < busy.page_offset + busy.length)


def test_arrays_outlive_the_capture() -> None:
    capture = read_capture(CAPTURES / "pipe.perf")
    first, again = capture.frame_address, capture.frame_address
    assert np.shares_memory(first, again)
    kept = first.copy()
    del capture, again
    gc.collect()
    assert first.tolist() == kept.tolist()


def test_compressed_and_plain_recordings_of_a_program_agree() -> None:
    def functions(name: str) -> set[tuple[bytes, int]]:
        capture = read_capture(CAPTURES / name)
        callers = np.setdiff1d(capture.stack_frame, capture.stack_frame[capture.stack_offset[:-1]])
        return {
            (capture.objects[capture.frame_object[frame]].path, int(capture.frame_address[frame]))
            for frame in callers
        }

    assert functions("file.perf") == functions("zstd.perf") == functions("zstd_pipe.perf")


def test_an_error_has_message_offset_and_path(tmp_path: Path) -> None:
    path = tmp_path / "x.perf"
    whole = (CAPTURES / "pipe.perf").read_bytes()
    path.write_bytes(whole[:-5])
    with pytest.raises(CaptureError, match="truncated") as caught:
        read_capture(path)
    message, offset, path_text = caught.value.args
    assert isinstance(message, str)
    assert len(whole) - 70_000 < offset < len(whole)
    assert path_text == str(path)
    capture = read_capture(path, allow_truncated=True)
    assert capture.truncated_at == offset


def test_a_file_cut_within_its_feature_sections_keeps_its_samples(tmp_path: Path) -> None:
    path = tmp_path / "x.perf"
    whole = (CAPTURES / "file.perf").read_bytes()
    complete = read_capture(CAPTURES / "file.perf")
    assert complete.records_end is not None
    path.write_bytes(whole[: complete.records_end + 100])
    capture = read_capture(path, allow_truncated=True)
    assert capture.truncated_at == complete.records_end
    assert len(capture.time_ns) == len(complete.time_ns)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "expected PERFILE2"),
        (b"\x7fELF" + bytes(200), "expected PERFILE2"),
        (b"PERFFILE" + bytes(200), "first version"),
        (b"PERFILE2" + bytes(200), "expected 16"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(CaptureError, match=words):
        read_capture(str(path))


def test_directories_and_missing_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="directory"):
        read_capture(tmp_path)
    with pytest.raises(FileNotFoundError, match="none"):
        read_capture(tmp_path / "none")
    with pytest.raises(ValueError, match="null byte"):
        read_capture("a\0b")


def test_a_fifo_is_read_while_other_threads_run(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    content = (CAPTURES / "zstd_pipe.perf").read_bytes()
    writer = threading.Thread(target=fifo.write_bytes, args=(content,))
    writer.start()
    capture = read_capture(fifo)
    writer.join()
    assert len(capture.time_ns) == len(read_capture(CAPTURES / "zstd_pipe.perf").time_ns)


def test_a_path_that_is_not_utf8_can_be_read_and_is_named_in_errors(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\n"
    Path(os.fsdecode(path)).write_bytes(b"nothing")
    with pytest.raises(CaptureError) as caught:
        read_capture(os.fsdecode(path))
    assert os.fsencode(caught.value.args[2]) == path


def test_the_native_module_has_the_version_of_the_package() -> None:
    import stallscope

    assert stallscope.__version__ == _native.VERSION
