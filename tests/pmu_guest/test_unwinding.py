"""Copied stacks of arm64: a program without frame pointers, whose return addresses are signed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pmu_guest.conftest import COMPILER, HERE, need_program
from tests.pmu_guest.guest import Machine, Result, boot
from tests.pmu_guest.packages import Packages
from tests.pmu_guest.scenarios import COLLECT, PERIOD

pytestmark = pytest.mark.pmu
# All features of this QEMU; return addresses are signed with its fast, non-architected algorithm.
SIGNING_CPU = "max,pauth-impdef=on"
ROUNDS = 400
START = "known_chains;_start;__libc_start_main_impl;__libc_start_call_main;main"
THREAD = "known_chains;thread_start;start_thread;in_thread"
# A sample may be before main or after it.
BEGINNINGS = ("known_chains;_start;__libc_start_main_impl", THREAD)
# From the outermost function, and the share of all samples.
CHAINS = {
    f"{START};work;direct;spin": 0.3,
    f"{START};work;variable_local;spin": 0.2,
    f"{START};work;raised;[vdso];on_signal;handled;spin": 0.2,
    f"{THREAD};threads_work;spin": 0.3,
}


@pytest.fixture(scope="module")
def known_chains(guest_folder: Path) -> Path:
    """The program; its path is the same in the guest and on this machine."""
    need_program(COMPILER)
    program = guest_folder / "known_chains"
    subprocess.run(
        [COMPILER, "-static", "-O2", "-g0", "-Wall", "-Werror", "-pthread", "-fomit-frame-pointer",
         "-mbranch-protection=standard", HERE / "known_chains.c", "-o", program],
        check=True,
    )  # fmt: skip
    return program


@pytest.fixture(scope="module")
def recorded(
    guest_packages: Packages,
    known_chains: Path,
    arm64_build: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Result:
    """A recording of the program, with copied stacks."""
    collector = arm64_build / "collect" / "stallscope-collect"
    options = f"-o run -c {PERIOD} --user --stacks dwarf"
    scripts = {"copied": f"exec {COLLECT} {options} -- {known_chains} {ROUNDS}\n"}
    programs = {COLLECT: collector, str(known_chains): known_chains}
    folder = tmp_path_factory.mktemp("signing-guest")
    return boot(guest_packages, programs, scripts, folder, Machine(SIGNING_CPU))["copied"]


def folded(recording: Path) -> dict[str, int]:
    """Samples by chain, outermost function first."""
    run = subprocess.run(
        [sys.executable, "-m", "stallscope", "flame", recording, "--format", "folded", "-o", "-"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    lines = (line.rpartition(" ") for line in run.stdout.splitlines())
    return {re.sub(r"\+0x[0-9a-f]+", "", chain): int(count) for chain, _, count in lines}


def test_return_addresses_are_signed(recorded: Result) -> None:
    assert recorded.status == 0, recorded.stderr
    assert recorded.stdout == "signed\n"


def test_chains_match_the_known_chains(recorded: Result) -> None:
    result = folded(recorded.run)
    samples = sum(result.values())
    assert samples > 500
    for chain, share in CHAINS.items():
        assert result[chain] / samples == pytest.approx(share, abs=0.02), chain
    known = sum(result[chain] for chain in CHAINS)
    assert known / samples > 0.98, result


def test_every_chain_starts_at_the_outermost_function(recorded: Result) -> None:
    """Including samples in a function prologue."""
    assert {chain for chain in folded(recorded.run) if not chain.startswith(BEGINNINGS)} == set()
