"""Files of the Firefox Profiler."""

import json

import numpy as np
import pytest

from stallscope.errors import RecordingError
from tests.profile_builder import ProfileBuilder
from topdown.stacks.flame.folded import render_folded
from topdown.stacks.formats.firefox import decode_firefox, encode_firefox
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
