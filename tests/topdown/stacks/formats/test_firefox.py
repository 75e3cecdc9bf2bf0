"""Files of the Firefox Profiler."""

import json
import tracemalloc

import numpy as np
import pytest

from stallscope.errors import RecordingError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.flame.folded import render_folded
from topdown.stacks.formats.firefox import decode_firefox, encode_firefox
from topdown.stacks.formats.profile_builder import MAX_DEPTH
from topdown.stacks.profile import Function, FunctionKind, Thread
from topdown.stacks.sample_times import SampleTimes

ROWS = [
    (["main", Function("read", "[kernel]", FunctionKind.KERNEL)], 3, 0),
    (["main"], 2, 1),
]
THREADS = (Thread(1, 1, "it", "main"), Thread(1, 2, "it", "worker"))


def test_stacks_threads_and_weights_are_read_again() -> None:
    profile = ProfileBuilder().build(ROWS, threads=THREADS)
    again = decode_firefox(encode_firefox(profile, "stallscope 1"), "x")
    assert int(again.weight_value.sum()) == 5_000_000
    assert set(again.threads) == set(THREADS)
    assert {function.name for function in again.functions} == {"all", "main", "read"}
    assert render_folded(again) == "it;main 1\nit;main;read 1\n"


def test_samples_have_the_times_and_weights_of_the_recording() -> None:
    times = SampleTimes(
        np.array([1_000_000, 4_000_000], np.int64),
        np.array([2, 2], np.int32),
        np.array([0, 0], np.int32),
        np.array([2_000_000, 1_000_000], np.int64),
    )
    profile = ProfileBuilder().build(ROWS, threads=THREADS, times=times)
    file = json.loads(encode_firefox(profile, "stallscope 1", 5.0))
    samples = file["threads"][0]["samples"]
    assert samples["timeDeltas"] == [1.0, 3.0]
    assert (samples["weight"], samples["weightType"]) == ([2.0, 1.0], "tracing-ms")
    assert file["meta"]["startTime"] == 5.0


def test_times_are_read_again_only_if_they_are_measured() -> None:
    times = SampleTimes(
        np.array([1_000_000, 2_000_000, 4_000_000], np.int64),
        np.array([2, 1, 2], np.int32),
        np.array([0, 1, 0], np.int32),
        np.array([2_000_000, 2_000_000, 1_000_000], np.int64),
    )
    profile = ProfileBuilder().build(ROWS, threads=THREADS, times=times)
    again = decode_firefox(encode_firefox(profile, "stallscope 1"), "x")
    assert again.times is not None
    assert again.times.time_ns.tolist() == [0, 1_000_000, 3_000_000]
    assert again.times.value.tolist() == [2_000_000, 2_000_000, 1_000_000]
    assert again.duration_s == 0.003
    untimed = ProfileBuilder().build(ROWS, threads=THREADS)
    assert decode_firefox(encode_firefox(untimed, "stallscope 1"), "x").times is None


def test_tables_of_a_thread_have_their_stated_lengths() -> None:
    file = json.loads(encode_firefox(ProfileBuilder().build(ROWS, threads=THREADS), "x"))
    for thread in file["threads"]:
        for table in ("stackTable", "frameTable", "funcTable", "resourceTable", "samples"):
            length = thread[table]["length"]
            for name, column in thread[table].items():
                if isinstance(column, list):
                    assert len(column) == length, (table, name)
        assert max(thread["funcTable"]["name"]) < len(thread["stringArray"])


def test_a_deep_stack_is_written(tmp_path: object) -> None:
    deep = [Function(f"f{depth}", "", FunctionKind.USER) for depth in range(3000)]
    again = decode_firefox(encode_firefox(ProfileBuilder().build([(deep, 1)]), "x"), "x")
    assert len(again.node_parent) == 3001


@pytest.mark.parametrize("text", [b"{}", b'{"meta":{},"threads":[1]}', b"\xff"])
def test_malformed_files_are_errors(text: bytes) -> None:
    with pytest.raises(RecordingError, match="cannot be read|can be read"):
        decode_firefox(text, "x")


def file_of(threads: list[dict[str, object]], depth: int = 1) -> bytes:
    """Return a file whose threads share one stack of ``depth`` frames of the function f."""
    tables = {
        "stackTable": {"prefix": [None, *range(depth - 1)], "frame": [0] * depth},
        "frameTable": {"func": [0]},
        "funcTable": {"name": [0], "resource": [-1]},
        "resourceTable": {"name": []},
        "stringArray": ["f"],
    }
    rows = [{"name": "t", "pid": "1", "tid": 1, **tables, "samples": row} for row in threads]
    return json.dumps({"meta": {"interval": 10.0}, "threads": rows}).encode()


def test_a_sample_without_weight_counts_once_beside_counted_samples() -> None:
    counted = {"length": 1, "stack": [0], "weight": [3], "weightType": "samples"}
    profile = decode_firefox(file_of([counted, {"length": 1, "stack": [0]}]), "x")
    assert (profile.source.unit, profile.weight_value.tolist()) == ("samples", [4])
    alone = decode_firefox(file_of([{"length": 1, "stack": [0]}]), "x")
    assert (alone.source.unit, alone.weight_value.tolist()) == ("ns", [10_000_000])


def test_weights_of_another_unit_are_left_out_with_a_warning() -> None:
    timed = {"length": 1, "stack": [0], "weight": [3], "weightType": "tracing-ms"}
    allocated = {"length": 1, "stack": [0], "weight": [4096], "weightType": "bytes"}
    profile = decode_firefox(file_of([allocated, timed]), "x")
    assert (profile.source.unit, profile.weight_value.tolist()) == ("bytes", [4096])
    assert "1 threads whose weights are not bytes are left out" in profile.warnings[0].message


def test_a_stack_table_of_a_long_chain_takes_memory_by_its_length() -> None:
    tracemalloc.start()
    content = file_of([{"length": 1, "stack": [19_999]}], depth=20_000)
    profile = decode_firefox(content, "x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 << 20  # 20,000 stacks as lists of frames take 1.6 GB
    assert len(profile.node_parent) == MAX_DEPTH + 1
    assert "frames deeper than 8,192 are left out" in profile.warnings[0].message


@pytest.mark.parametrize("stack", [-1, 1])
def test_numbers_outside_of_a_table_are_errors(stack: int) -> None:
    with pytest.raises(RecordingError, match=f"there is no entry {stack}"):
        decode_firefox(file_of([{"length": 1, "stack": [stack]}]), "x")
