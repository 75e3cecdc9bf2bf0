"""stallscope-kernels mix: output, end, and its shares as perf measures them."""

import itertools
import json
import os
import shutil
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.chance import five_standard_errors
from tests.live.known_programs import run_kernels
from tests.peers import run_peer

FUNCTIONS = {"hot_arithmetic", "chase_pointers", "mispredict_branches", "mostly_sleeping"}


def test_every_line_is_a_snapshot_and_time_never_decreases(kernels: Path) -> None:
    result = run_kernels(kernels, "mix", "--duration", "0.3", "--interval-ms", "20")
    assert result.returncode == 0
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) >= 2
    for before, after in itertools.pairwise(lines):
        assert after["schema"] == "stallscope.kernels.mix/1"
        assert after["time_ns"] > before["time_ns"]
        assert set(after["cpu_ns"]) == FUNCTIONS
        assert set(after["threads"]) == {"arithmetic", "pointers", "branches", "sleeper"}
        assert all(after["cpu_ns"][name] >= before["cpu_ns"][name] for name in FUNCTIONS)
        assert sum(after["cpu_ns"].values()) == sum(after["threads"].values())


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_after_a_last_line(kernels: Path, ending: signal.Signals) -> None:
    with subprocess.Popen(
        [kernels, "mix", "--duration", "0", "--interval-ms", "500"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert first["pid"] == process.pid
        process.send_signal(ending)
        last = json.loads(process.stdout.read().splitlines()[-1])
        assert last["time_ns"] > first["time_ns"]
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], "name a kernel, or mix"),
        (["mix", "--duration", "-1"], "--duration"),
        (["mix", "--duration", "soon"], "--duration"),
        (["mix", "--threads", "0"], "--threads"),
        (["mix", "--interval-ms", "0"], "--interval-ms"),
        (["mix", "--colour"], "--colour"),
        (["mixture"], "mixture"),
    ],
)
def test_an_invalid_option_is_named(kernels: Path, arguments: list[str], names: str) -> None:
    result = run_kernels(kernels, *arguments)
    assert result.returncode == 2
    assert names in result.stderr
    assert result.stdout == ""


def test_the_program_ends_when_its_output_is_closed(kernels: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run(
            [kernels, "mix", "--duration", "0"],
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    assert result.returncode == 6
    assert "standard output: Broken pipe" in result.stderr


@pytest.fixture
def perf() -> str:
    """The path of perf, if it is installed and may sample."""
    path = shutil.which("perf")
    if path is None:
        pytest.skip("needs the program perf: it is not installed")
    probe = subprocess.run(
        [path, "record", "-q", "-e", "cpu-clock:u", "-o", "/dev/null", "--", "true"],
        capture_output=True,
        check=False,
    )
    if probe.returncode != 0:
        pytest.skip("needs perf events: perf record -e cpu-clock:u is refused")
    return path


def perf_samples(perf: str, data: Path) -> list[tuple[int, list[str]]]:
    """Time in ns and user symbols, leaf first, of every sample."""
    text = run_peer(
        [perf, "script", "--no-inline", "-i", data, "-F", "time,ip,sym"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    samples = []
    for block in text.strip().split("\n\n"):
        time, *frames = block.splitlines()
        names = [frame.split(None, 1)[1] for frame in frames]
        samples.append((round(float(time.strip().rstrip(":")) * 1e9), names))
    return samples


@pytest.mark.live
def test_perf_measures_the_reported_shares(kernels: Path, perf: str, tmp_path: Path) -> None:
    data = tmp_path / "perf.data"
    with subprocess.Popen(
        [kernels, "mix", "--duration", "0", "--interval-ms", "20"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the threads run now
        recording = ["-q", "-k", "CLOCK_MONOTONIC", "-F", "999", "-e", "cpu-clock:u", "-g"]
        subprocess.run(
            [perf, "record", *recording, "-p", str(process.pid), "-o", data, "--", "sleep", "3"],
            check=True,
            capture_output=True,
        )
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate()
    samples = perf_samples(perf, data)
    lines = [json.loads(line) for line in output.splitlines()]
    window = [line for line in lines if samples[0][0] <= line["time_ns"] <= samples[-1][0]]
    first, last = window[0], window[-1]
    inside = [names for time, names in samples if first["time_ns"] <= time <= last["time_ns"]]

    spent = {name: last["cpu_ns"][name] - first["cpu_ns"][name] for name in FUNCTIONS}
    leaves = Counter(names[0] for names in inside)
    for name in FUNCTIONS:
        true_share = spent[name] / sum(spent.values())
        chance = five_standard_errors(true_share, len(inside))
        assert leaves[name] / len(inside) == pytest.approx(true_share, abs=0.01 + chance), leaves
    assert sum(leaves[name] for name in FUNCTIONS) / len(inside) > 0.97
    assert sum("start_thread" in names for names in inside) / len(inside) > 0.97
