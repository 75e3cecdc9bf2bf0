"""Tests of `harness/profile/record_result.py`."""

import subprocess
import sys

from harness.profile.record_result import FlightRecording, RecordResult
from stallscope.documents import decode, encode


def test_a_result_is_read_as_it_was_written() -> None:
    flight = FlightRecording(
        recording="r", trigger=None, trigger_ns=None, from_ns=1, samples=2, overwritten_samples=0
    )
    result = RecordResult(
        recording="r",
        samples=2,
        lost=0,
        complete=True,
        end="duration",
        target_status=None,
        flight=(flight,),
    )
    assert decode(encode(result), RecordResult, "result") == result


def test_a_recorder_starts_without_numpy() -> None:
    modules = "harness.profile.group_recorder, harness.profile.record_result"
    code = f"import sys, {modules}; print('numpy' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert printed.stdout == b"False\n"
