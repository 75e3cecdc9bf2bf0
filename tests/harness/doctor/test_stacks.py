"""Call chains and debug files of recorded machines."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.doctor.stacks import check_callchains, check_libc_debug
from harness.machine_checks.check import Status
from harness.machine_checks.machine import CheckedMachine
from harness.machine_checks.probes import EventProbes, Probe
from stallscope.system_files import Roots
from tests.harness.doctor.machines import machine

OPENED = Probe(ok=True, error="", detail="")
REFUSED = Probe(ok=False, error="EACCES", detail="")


def system(folder: Path, release: str, **probes: Probe) -> CheckedMachine:
    """Return a machine with this os-release and these results of probes."""
    (folder / "etc").mkdir()
    (folder / "etc" / "os-release").write_text(release)
    base = machine("intel-metal")
    named = {name.replace("_", "-"): probe for name, probe in probes.items()}
    roots = Roots(base.roots.proc, base.roots.sys, folder)
    return replace(base, events=EventProbes(named), roots=roots)


@pytest.mark.parametrize(
    ("release", "text"),
    [
        ("ID=fedora\nVERSION_ID=40\n", "fedora packages have them"),
        ('ID=ubuntu\nVERSION_ID="24.04"\n', "ubuntu packages have them"),
        ('ID=ubuntu\nVERSION_ID="22.04"\n', "most packages of ubuntu lack them"),
        ("ID=debian\nVERSION_ID=12\n", "8 KiB of stack are copied"),
        ("", "most packages of this system lack them"),
    ],
)
def test_frame_pointers_depend_on_the_distribution(tmp_path: Path, release: str, text: str) -> None:
    check = check_callchains(system(tmp_path, release, callchain=OPENED, stack_copy=OPENED))
    assert check.status is Status.AVAILABLE
    assert text in check.detail


def test_without_copied_stacks_chains_end_early(tmp_path: Path) -> None:
    check = check_callchains(system(tmp_path, "ID=debian\n", callchain=OPENED, stack_copy=REFUSED))
    assert check.status is Status.LIMITED
    assert "-fno-omit-frame-pointer" in check.remedy


def test_refused_call_chains_are_unavailable(tmp_path: Path) -> None:
    refused = system(tmp_path, "ID=debian\n", callchain=REFUSED)
    assert check_callchains(refused).status is Status.UNAVAILABLE


@pytest.mark.parametrize(
    ("release", "package"),
    [("ID=debian\n", "libc6-dbg"), ("ID=x\nID_LIKE='rhel fedora'\n", "debuginfo-install glibc")],
)
def test_the_debug_package_is_that_of_the_distribution(
    tmp_path: Path, release: str, package: str
) -> None:
    check = check_libc_debug(system(tmp_path, release))
    assert check.status is Status.UNAVAILABLE
    assert package in check.remedy
