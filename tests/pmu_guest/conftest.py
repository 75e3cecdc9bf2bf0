"""The guest, booted once for all its tests."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.live.counting import Counting
from tests.pmu_guest.counting import Programs, heavy, light, of_arm
from tests.pmu_guest.filtered_scenarios import PROGRAM as SPLIT
from tests.pmu_guest.filtered_scenarios import filtered_scenarios
from tests.pmu_guest.group_scenarios import group_scenarios
from tests.pmu_guest.guest import Machine, Result, boot
from tests.pmu_guest.packages import FetchError, Packages, packages
from tests.pmu_guest.scenarios import COLLECT, IMPOSTOR, MEMORY, scenarios
from tests.pmu_guest.slot_scenarios import slot_scenarios

HERE = Path(__file__).parent
COMPILER = "aarch64-linux-gnu-gcc"
# Prefix of counting scenarios in the boot that they share with sampling scenarios.
COUNTED = "counted_"
SLOTS = "slots_"
FILTERED = "filtered_"


def need_program(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"needs the program {name}: it is not installed")


@pytest.fixture(scope="session")
def guest_folder(checkout: Path) -> Path:
    """The folder of fetched packages and compiled programs, kept between runs."""
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
    """The program with known shares; its path is the same in the guest and on this machine."""
    return compiled("known_shares.c", guest_folder / "known_shares", "sha1")


@pytest.fixture(scope="session")
def impostor(guest_folder: Path) -> Path:
    """Another build of the same program."""
    return compiled("known_shares.c", guest_folder / "impostor", "0x696d706f73746f72")


@pytest.fixture(scope="session")
def known_counts(guest_folder: Path) -> Path:
    """The program with known counts, for the guest."""
    return compiled("known_counts.c", guest_folder / "known_counts", "sha1")


@pytest.fixture(scope="session")
def known_split(guest_folder: Path) -> Path:
    """The program with known shares of user and kernel code, for the guest."""
    return compiled("known_split.c", guest_folder / "known_split", "sha1")


def compiled(source: str, program: Path, build_id: str) -> Path:
    need_program(COMPILER)
    subprocess.run(
        [COMPILER, "-static", "-O1", "-g", "-Wall", "-Werror", f"-Wl,--build-id={build_id}",
         "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer", "-fno-optimize-sibling-calls",
         HERE / source, "-o", program],
        check=True,
    )  # fmt: skip
    return program


@pytest.fixture(scope="session")
def arm64_build(checkout: Path) -> Path:
    """The cross-built programs; ./dev test builds them."""
    folder = Path(os.environ.get("STALLSCOPE_ARM64_BUILD", checkout / "build" / "arm64"))
    assert (folder / "native/programs/collect/stallscope-collect").exists(), "run ./dev build arm64"
    return folder / "native" / "programs"


@dataclass(frozen=True, slots=True)
class InGuest:
    """The files of every boot."""

    built_of: Packages
    programs: dict[str, Path]
    counting: Programs  # paths in the guest


@pytest.fixture(scope="session")
def in_guest(
    guest_packages: Packages,
    known_shares: Path,
    known_counts: Path,
    impostor: Path,
    arm64_build: Path,
) -> InGuest:
    kernels = arm64_build / "kernels" / "stallscope-kernels"
    memory = arm64_build / "memory" / "stallscope-memory"
    programs = {
        COLLECT: arm64_build / "collect" / "stallscope-collect",
        str(kernels): kernels,
        MEMORY: memory,
        str(known_shares): known_shares,
        str(known_counts): known_counts,
        IMPOSTOR: impostor,
    }
    counting = Programs(COLLECT, shlex.quote(str(known_counts)), shlex.quote(str(kernels)))
    return InGuest(guest_packages, programs, counting)


@pytest.fixture(scope="session")
def guest(
    in_guest: InGuest, known_shares: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Result]:
    """The results by scenario."""
    counting = in_guest.counting
    scripts = scenarios(str(known_shares), shlex.split(counting.kernels)[0])
    scripts |= group_scenarios(str(known_shares))
    counted = light(counting) | heavy(counting) | of_arm(counting)
    scripts |= {COUNTED + name: script for name, script in counted.items()}
    folder = tmp_path_factory.mktemp("guest")
    slots = slot_scenarios(counting.kernels, folder)
    scripts |= {SLOTS + name: script for name, script in slots.items()}
    return boot(in_guest.built_of, in_guest.programs, scripts, folder)


@dataclass(frozen=True, slots=True)
class Counted:
    """Countings by scenario, in the guest or on this machine."""

    results: Mapping[str, Result]
    native: bool = False

    def of(self, name: str) -> Counting:
        """The counts of a scenario; empty if the counting was refused."""
        result = self.results[name]
        counting = Counting(result.run, result.status, result.stderr)
        counting.reload()
        return counting

    def good(self, name: str) -> Counting:
        """The counts of a scenario that must have succeeded."""
        counting = self.of(name)
        assert counting.exit_code == 0, counting.messages
        assert counting.document["complete"] is True
        return counting


@pytest.fixture(scope="session")
def guest_at(
    guest: dict[str, Result],
    in_guest: InGuest,
    known_split: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[int], Counted]:
    """A function from an icount shift, 0 or 1, to its countings. A boot takes 10 s of CPU without any
    scenario, so the boot with shift 1 also has those that need instructions of two cycles."""
    first = {
        name.removeprefix(COUNTED): result
        for name, result in guest.items()
        if name.startswith(COUNTED)
    }
    booted: dict[int, Counted] = {0: Counted(first)}

    def at(shift: int) -> Counted:
        if shift not in booted:
            folder = tmp_path_factory.mktemp(f"guest-shift-{shift}")
            filtered = filtered_scenarios(folder)
            scripts = light(in_guest.counting)
            scripts |= {FILTERED + name: script for name, script in filtered.items()}
            programs = in_guest.programs | {SPLIT: known_split}
            machine = Machine(shift=shift)
            booted[shift] = Counted(boot(in_guest.built_of, programs, scripts, folder, machine))
        return booted[shift]

    return at


@pytest.fixture(scope="session")
def natively(
    checkout: Path, guest_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Counted:
    """The same scenarios on this machine's own counters."""
    folder = Path(os.environ.get("STALLSCOPE_PROGRAMS", checkout / "stallscope" / "programs"))
    collect, kernels = folder / "stallscope-collect", folder / "stallscope-kernels"
    if not collect.exists():
        pytest.skip("needs the program stallscope-collect: ./dev build makes it")
    probe = subprocess.run([collect, "--probe"], capture_output=True, text=True, check=True)
    probes = {item["name"]: item["ok"] for item in json.loads(probe.stdout)["probes"]}
    if not (probes["cycles"] and probes["instructions"]):
        pytest.skip("needs hardware counters: this machine has none that this user may use")
    known = guest_folder / "known_counts_native"
    subprocess.run(["gcc", "-O1", "-static", HERE / "known_counts.c", "-o", known], check=True)
    programs = Programs(*(shlex.quote(str(path)) for path in (collect, known, kernels)))
    results = {}
    for name, script in (light(programs) | heavy(programs)).items():
        if name.startswith("held"):
            continue  # it would take the counters from all other users of this machine
        place = tmp_path_factory.mktemp(f"native-{name}")
        words = ["timeout", "60", "sh", "-c", script]
        done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
        for kind, text in (("stdout", done.stdout), ("stderr", done.stderr)):
            (place / kind).write_text(text)
        (place / "status").write_text(str(done.returncode))
        results[name] = Result(place)
    return Counted(results, native=True)


@pytest.fixture(params=["guest", "native"])
def counted(request: pytest.FixtureRequest) -> Counted:
    """The countings in the guest and, if this machine has counters, on this machine."""
    if request.param == "native":
        native: Counted = request.getfixturevalue("natively")
        return native
    guest_at = request.getfixturevalue("guest_at")
    in_guest: Counted = guest_at(0)
    return in_guest


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
    """A function from a scenario to the document of `stallscope report --json` on this host."""
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
