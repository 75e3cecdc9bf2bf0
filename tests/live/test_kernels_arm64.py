"""stallscope-kernels for arm64 computes the same results as on this machine."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from stallscope.programs import program


@pytest.fixture(scope="module")
def emulated(checkout: Path) -> tuple[str, Path]:
    """The command that emulates the cross-built program; ./dev test builds it."""
    emulator = shutil.which("qemu-aarch64-static")
    if emulator is None:
        pytest.skip("needs the program qemu-aarch64-static: it is not installed")
    cross_built = checkout / "build/arm64/native/programs/kernels/stallscope-kernels"
    assert cross_built.exists(), "run ./dev build arm64"
    return emulator, cross_built


def result_of(*command: str | Path) -> int:
    run = subprocess.run([*command, "--iterations", "200"], capture_output=True, check=True)
    return json.loads(run.stdout)["result"]


@pytest.mark.parametrize(
    "name",
    [
        "independent-adds",
        "dependent-chain",
        "divide-chain",
        "random-branches",
        "periodic-branches",
        "store-forwarding",
        "false-sharing",
        "contended-mutex",
        "thundering-herd",
        "o-n-critical-section",
        "hash-under-lock",
        "spin-convoy",
        "page-faults",
        "system-calls",
        "sleep-wake",
        "multiply-chain",
        "mixed-generators",
        "opcode-dispatch",
        "merge-lists",
    ],
)
def test_results_equal_those_of_this_machine(emulated: tuple[str, Path], name: str) -> None:
    here = result_of(program("stallscope-kernels"), name)
    assert result_of(*emulated, name) == here


def test_products_in_place_of_divisions_equal_those_of_this_machine(
    emulated: tuple[str, Path],
) -> None:
    words = ("divide-chain", "--cured")
    assert result_of(*emulated, *words) == result_of(program("stallscope-kernels"), *words)


@pytest.mark.parametrize(("name", "additions"), [("straight", 524_288), ("branchy", 65_536)])
def test_large_code_is_executed_completely(
    emulated: tuple[str, Path], name: str, additions: int
) -> None:
    assert result_of(*emulated, f"large-{name}-code") == 200 * additions


def test_cured_large_code_does_as_many_additions(emulated: tuple[str, Path]) -> None:
    assert result_of(*emulated, "large-branchy-code", "--cured") == 200 * 65_536
