"""The collector for arm64 is static and runs; stacks of arm64 are walked."""

import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from stallscope import __version__


@pytest.fixture(scope="module")
def collector(checkout: Path) -> Path:
    """The cross-built collector; ./dev test builds it."""
    path = checkout / "build/arm64/native/programs/collect/stallscope-collect"
    assert path.exists(), "run ./dev build arm64"
    return path


def test_is_one_static_arm64_file(collector: Path) -> None:
    with collector.open("rb") as file:
        elf = ELFFile(file)
        assert elf["e_machine"] == "EM_AARCH64"
        assert not [segment for segment in elf.iter_segments() if segment["p_type"] == "PT_INTERP"]


def test_runs_and_knows_its_version(collector: Path) -> None:
    emulator = shutil.which("qemu-aarch64-static")
    if emulator is None:
        pytest.skip("needs the program qemu-aarch64-static: it is not installed")
    run = subprocess.run(
        [emulator, collector, "--version"], capture_output=True, text=True, check=True
    )
    assert __version__ in run.stdout
    wrong = subprocess.run(
        [emulator, collector, "-p", "nonsense", "-o", "x"], capture_output=True, check=False
    )
    assert wrong.returncode == 2


def test_walks_stacks_of_arm64_as_the_compilers_runtime_does(checkout: Path) -> None:
    emulator = shutil.which("qemu-aarch64-static")
    if emulator is None:
        pytest.skip("needs the program qemu-aarch64-static: it is not installed")
    check = checkout / "build/arm64/tests/native/unwind/emulated/unwind_check_own_stacks"
    assert check.exists(), "run ./dev build arm64"
    run = subprocess.run([emulator, check], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
