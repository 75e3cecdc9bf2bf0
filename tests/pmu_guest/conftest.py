"""The guest, booted once for all its tests."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pmu_guest.guest import Result, boot
from tests.pmu_guest.packages import FetchError, Packages, packages
from tests.pmu_guest.scenarios import COLLECT, IMPOSTOR, scenarios

HERE = Path(__file__).parent
COMPILER = "aarch64-linux-gnu-gcc"


def need_program(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"needs the program {name}: it is not installed")


@pytest.fixture(scope="session")
def guest_folder(checkout: Path) -> Path:
    """Where what is fetched and compiled stays from run to run."""
    folder = checkout / "build" / "pmu-guest"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def guest_packages(guest_folder: Path) -> Packages:
    need_program("qemu-system-aarch64")
    need_program("apt-get")
    try:
        return packages(guest_folder)
    except FetchError:
        pytest.skip("needs the program Debian's arm64 kernel: it could not be fetched")


@pytest.fixture(scope="session")
def known_shares(guest_folder: Path) -> Path:
    """The program with known shares; it lies at the same path in the guest as here."""
    return compiled(guest_folder / "known_shares", "sha1")


@pytest.fixture(scope="session")
def impostor(guest_folder: Path) -> Path:
    """The same program, of another build."""
    return compiled(guest_folder / "impostor", "0x696d706f73746f72")


def compiled(program: Path, build_id: str) -> Path:
    need_program(COMPILER)
    subprocess.run(
        [COMPILER, "-static", "-O1", "-g", "-Wall", "-Werror", f"-Wl,--build-id={build_id}",
         "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer", "-fno-optimize-sibling-calls",
         HERE / "known_shares.c", "-o", program],
        check=True,
    )  # fmt: skip
    return program


@pytest.fixture(scope="session")
def arm64_build(checkout: Path) -> Path:
    """The cross-built programs; ./dev test builds them."""
    folder = Path(os.environ.get("STALLSCOPE_ARM64_BUILD", checkout / "build" / "arm64"))
    assert (folder / "native/programs/collect/stallscope-collect").exists(), "run ./dev build arm64"
    return folder / "native" / "programs"


@pytest.fixture(scope="session")
def guest(
    guest_packages: Packages,
    known_shares: Path,
    impostor: Path,
    arm64_build: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Result]:
    """Each scenario's result."""
    kernels = arm64_build / "kernels" / "stallscope-kernels"
    programs = {
        COLLECT: arm64_build / "collect" / "stallscope-collect",
        str(kernels): kernels,
        str(known_shares): known_shares,
        IMPOSTOR: impostor,
    }
    folder = tmp_path_factory.mktemp("guest")
    return boot(guest_packages, programs, scenarios(str(known_shares), str(kernels)), folder)


@pytest.fixture(scope="session")
def manifest_of(guest: dict[str, Result]) -> Callable[[str], dict[str, Any]]:
    """A function from a scenario that must have succeeded to its recording.json."""

    def read(name: str) -> dict[str, Any]:
        result = guest[name]
        assert result.status == 0, result.stderr
        return json.loads((result.run / "recording.json").read_text())

    return read


@pytest.fixture(scope="session")
def report_of(
    guest: dict[str, Result], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, Any]]:
    """A function from a scenario to what `stallscope report --json` says of it on this host."""
    cache: dict[str, dict[str, Any]] = {}
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("symbols"))}

    def report(name: str) -> dict[str, Any]:
        if name not in cache:
            run = subprocess.run(
                [sys.executable, "-m", "stallscope", "report", guest[name].run, "--json"],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
            )
            assert run.returncode == 0, run.stderr
            cache[name] = json.loads(run.stdout)
        return cache[name]

    return report
