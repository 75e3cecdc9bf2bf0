"""Instructions that staging adds to a call, counted by callgrind: they are the same in each run."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("call_cost.cpp")
LIBRARY = "".join(f'#include "{path}"\n' for path in sorted((ROOT / "native/stages").glob("*.cpp")))
COMPILE = ("g++", "-std=c++20", "-O3", "-DNDEBUG", "-fno-omit-frame-pointer")  # as a release
CALLS_PER_ROUND = 64


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("call_cost") / "call_cost"
    library = output.with_name("library.cpp")  # one source, as in a release
    library.write_text(LIBRARY)
    command = [*COMPILE, f"-I{ROOT / 'native'}", PROGRAM, library, "-o", output]
    subprocess.run(command, check=True)
    return output


def instructions(program: Path, kind: str, rounds: int) -> int:
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, kind]
    run = subprocess.run([*words, str(rounds)], capture_output=True, text=True, check=True)
    counted = re.search(r"refs:\s*([\d,]+)", run.stderr)
    assert counted is not None
    return int(counted[1].replace(",", ""))


def instructions_per_call(program: Path, kind: str) -> float:
    """Return the difference of two numbers of rounds: start-up is in both."""
    few, many = 10, 110
    added = instructions(program, kind, many) - instructions(program, kind, few)
    return added / ((many - few) * CALLS_PER_ROUND)


def test_staging_a_call_costs_at_most_35_instructions(program: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs the program valgrind")
    cost = instructions_per_call(program, "staged") - instructions_per_call(program, "direct")
    assert 0 < cost <= 35
