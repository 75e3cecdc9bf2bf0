"""Shares of Python functions, compared with py-spy on the same program at the same time."""

import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.conftest import Recording
from tests.live.python_targets import Interpreter, chains_of, profile_of
from tests.long_tests import long_tests

pytestmark = [pytest.mark.live, pytest.mark.long]
PY_SPY = Path(sys.executable).with_name("py-spy")
SECONDS = long_tests(short=5, long=10)
# py-spy stops the program while it reads, longer for deeper stacks. If it reads often, it samples
# the place at which it stopped the program.
WORDS = ("plain", "untimed", "shallow")
RUNS = 3
NEAR = 0.03
# Functions with a sufficient share; py-spy reports short names.
FUNCTIONS = ("spin", "summing", "numbers", "sorting", "key", "deep", "naïve", "<lambda>", "square",
             "up_and_down", "up", "down")  # fmt: skip


def shares(stacks: Counter[tuple[str, ...]]) -> dict[str, tuple[float, float]]:
    """Return the shares of every function as innermost function and anywhere, by short name."""
    count = stacks.total()
    innermost: Counter[str] = Counter()
    anywhere: Counter[str] = Counter()
    for stack, samples in stacks.items():
        innermost[stack[-1]] += samples
        for name in set(stack):
            anywhere[name] += samples
    return {name: (innermost[name] / count, anywhere[name] / count) for name in FUNCTIONS}


def of_py_spy(text: str) -> Counter[tuple[str, ...]]:
    """Return the stacks of py-spy's raw format: frames as "name (file)", outermost first."""
    stacks: Counter[tuple[str, ...]] = Counter()
    for line in text.splitlines():
        frames, _, count = line.rpartition(" ")
        names = [re.sub(r" \([^()]*\)$", "", frame) for frame in frames.split(";")]
        names = [name.rpartition(".")[2] for name in names]
        if "main" in names:
            stacks[tuple(names)] += int(count)
    return stacks


def observed_by_both(
    record: Callable[..., Recording], python: Interpreter, folder: Path
) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """Return the stacks below main of stallscope and of py-spy in the same run."""
    raw = folder / "raw.txt"
    process = python.start(str(SECONDS + 20), *WORDS)
    words = ["record", "-p", str(process.pid), "-d", str(SECONDS), "-r", "100", "-f", "raw", "-F"]
    try:
        with subprocess.Popen(
            [PY_SPY, *words, "-o", raw], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as py_spy:
            run = record("-p", process.pid, "--stacks", "dwarf", "--duration", SECONDS, "--force")
            assert py_spy.wait() == 0
        assert run.exit_code == 0, run.messages
    finally:
        with process:
            process.kill()
    ours: Counter[tuple[str, ...]] = Counter()
    for chain in chains_of(profile_of(run.directory)):
        names = [name.rpartition(".")[2] for name in chain.python()]
        if "main" in names:
            ours[tuple(names)] += chain.samples
    return ours, of_py_spy(raw.read_text())


def differences(
    ours: Counter[tuple[str, ...]], theirs: Counter[tuple[str, ...]]
) -> dict[str, tuple[tuple[float, float], tuple[float, float]]]:
    """Return the functions whose shares differ by more than NEAR and the sampling error."""
    actual, expected = shares(ours), shares(theirs)
    different = {}
    for name in FUNCTIONS:
        for our_share, their_share in zip(actual[name], expected[name], strict=True):
            spread = math.sqrt(their_share * (1 - their_share) / theirs.total())
            if abs(our_share - their_share) > max(NEAR, 3 * spread):
                different[name] = actual[name], expected[name]
    return different


def test_shares_agree_with_py_spy(
    record: Callable[..., Recording], system_python: Interpreter, tmp_path: Path
) -> None:
    """py-spy samples by wall clock: if a busy machine delays the program, many samples are at the
    same place. A delayed run may therefore be repeated.
    """
    if not PY_SPY.exists():
        pytest.skip("needs the program py-spy: it is not installed")
    for _ in range(RUNS):
        ours, theirs = observed_by_both(record, system_python, tmp_path)
        enough = min(ours.total(), theirs.total()) > 400
        different = differences(ours, theirs) if enough else {}
        if enough and not different:
            return
    assert enough, (ours.total(), theirs.total())
    assert not different, (ours.total(), theirs.total())
