"""Tests of `benchmarks/repeated_recording.py`: the samples of a real recording, several times."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.repeated_recording import repeat_recording
from harness.profile.analysis import analyze
from stallscope.recordings import open_recording

BUSY = "import time\nwhile time.process_time() < 0.3: pass"


@pytest.mark.live
def test_a_repeated_recording_has_the_same_stacks_and_more_samples(tmp_path: Path) -> None:
    real, long = tmp_path / "real", tmp_path / "long"
    command = [sys.executable, "-m", "stallscope", "record", "--stacks", "fp", "-o", str(real)]
    subprocess.run([*command, "--", "/usr/bin/python3", "-c", BUSY], check=True, timeout=60)
    repeat_recording(real, long, times=5)
    once, often = (analyze(open_recording(path)) for path in (real, long))
    assert once.profile.samples > 10
    assert often.profile.samples == 5 * once.profile.samples
    # Samples from before a library was mapped have names in the copies, where it is mapped already.
    assert often.profile.unknown_share <= once.profile.unknown_share
    own = {
        profile.samples: np.bincount(
            profile.node_function[profile.weight_node], profile.weight_samples
        )
        for profile in (once.profile, often.profile)
    }
    shares = sorted(counts.max() / samples for samples, counts in own.items())
    assert shares[1] == pytest.approx(shares[0], abs=0.05)
    assert often.profile.times is not None
    assert once.profile.times is not None
    assert often.profile.times.last_ns > 4 * once.profile.times.last_ns
