"""benchstat's tables: recorded cases, and the real tool if it is installed."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.harness.bench.compare.benchstat.generated_files import write_case
from tests.harness.bench.compare.benchstat.real_tool import benchstat
from tests.harness.bench.compare.command_line import compare
from tests.long_tests import long_tests

CASES = sorted((Path(__file__).parent / "cases").glob("*/cmd"))


@pytest.mark.parametrize("command", CASES, ids=[command.parent.name for command in CASES])
def test_recorded_cases_are_printed_byte_for_byte(command, monkeypatch):
    monkeypatch.chdir(command.parent)
    run = compare(*ours(shlex.split(command.read_text())[1:]))
    assert run.stdout_bytes == (command.parent / "out").read_bytes()
    assert run.stderr_bytes == (command.parent / "err").read_bytes()


@pytest.mark.long
def test_generated_files_are_printed_as_the_real_tool_does(tmp_path, monkeypatch):
    program = benchstat()
    for seed in range(long_tests(short=20, long=1500)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        arguments = write_case(folder, seed)
        try:
            real = subprocess.run(
                [program, *arguments], cwd=folder, capture_output=True, timeout=20, check=False
            )
        except subprocess.TimeoutExpired:
            continue  # it does not end on some values
        monkeypatch.chdir(folder)
        run = compare(*ours(arguments))
        # A sample with 0 and -0 has no defined order.
        assert run.stdout_bytes.replace(b"-0 ", b"0 ") == real.stdout.replace(b"-0 ", b"0 "), (
            f"seed {seed}: {arguments}"
        )


def ours(arguments: list[str]) -> list[str]:
    """The same options with two hyphens."""
    words = ["--style", "benchstat"]
    place = 0
    while place < len(arguments) and arguments[place].startswith("-"):
        words.append(f"-{arguments[place]}={arguments[place + 1]}")
        place += 2
    return words + arguments[place:]


def test_nan_in_a_comparison_ends_and_is_left_out(tmp_path):
    for name, values in (("a", "NaN 1 2 3 4 5 6"), ("b", "11 12 13 14 15 16")):
        lines = [f"BenchmarkX 1 {value} u" for value in values.split()]
        (tmp_path / name).write_text("\n".join(lines))
    run = compare("--style", "benchstat", tmp_path / "a", tmp_path / "b")
    assert "(p=0.002 n=7+6)" in run.stdout
