"""Frames of Debian's Node, Java, Ruby and PHP for arm64, compared with programs that know their shares.

The guest's time is that of this host, so on a busy one more samples are read too late. Reports are
made on this host, where the files of the programs have the same paths.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chance import five_standard_errors
from tests.long_tests import VARIABLE
from tests.pmu_guest.conftest import need_program
from tests.pmu_guest.guest import Machine, Result, boot
from tests.pmu_guest.packages import Packages
from tests.pmu_guest.scenarios import COLLECT
from tools.debian_archive import Archive, FetchError

pytestmark = [pytest.mark.pmu, pytest.mark.long]
CHECKOUT = Path(__file__).parents[2]
TARGETS = CHECKOUT / "tests" / "live" / "targets"
KNOWN_JAVA = CHECKOUT / "benchmarks" / "runtimes" / "KnownJava.java"
PACKAGES = [
    "libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libcrypt1", "libssl3", "libicu72", "libxml2", "liblzma5",
    "nodejs", "libnode108", "node-acorn", "node-cjs-module-lexer", "node-undici", "libbrotli1", "libc-ares2", "libnghttp2-14", "libuv1",
    "openjdk-17-jre-headless",
    "ruby3.1", "libruby3.1", "libgmp10", "libyaml-0-2",
    "php8.2-cli", "libargon2-1", "libedit2", "libpcre2-8-0", "libsodium23", "libbsd0", "libmd0", "libtinfo6",
]  # fmt: skip
FIXED_PLACES = (
    "lib/ld-linux-aarch64.so.1",
    "usr/share/nodejs",
    "usr/lib/ruby",
    "usr/lib/aarch64-linux-gnu/ruby",
)
MAX_LINKS = 8
RATE_HZ = 199
SECONDS = 6
# The programs count the compilers' CPU time as well, of which emulation needs more.
NEAR = 0.05
# Each: runtime, and the least shares of samples with all names and with whole stacks. Frames of Ruby
# and PHP move on until an emulated helper has read them, and PHP is recognised after a second.
EXPECTED = {
    "node": ("v8", 0.9, 0.9),
    "java": ("hotspot", 0.9, 0.9),
    "ruby": ("ruby", 0.8, 0.9),
    "php": ("php", 0.7, 0.9),
}


@pytest.fixture(scope="module")
def runtimes(checkout: Path) -> Path:
    """The folder with the runtimes and their libraries, fetched once."""
    if os.environ.get(VARIABLE) != "1":
        pytest.skip("needs emulated runtimes: ./dev fuzz runs them")
    folder = checkout / "build" / "guest-runtimes"
    if not (folder / "complete").exists():
        try:
            archive = Archive(folder / "apt", "bookworm", "arm64")
            archive.unpack(PACKAGES, folder)
            archive.close()
        except FetchError:
            pytest.skip("needs the program Debian's runtimes for arm64: they could not be fetched")
        (folder / "complete").touch()
    return folder


def files_of(root: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a root by their path, with the path of their content."""
    for top in ("lib", "usr/lib", "usr/bin", "usr/share/nodejs"):
        for path in (root / top).rglob("*"):
            content = path
            for _ in range(MAX_LINKS):
                if not content.is_symlink():
                    break
                target = content.readlink()
                content = (
                    root / str(target).lstrip("/")
                    if target.is_absolute()
                    else content.parent / target
                )
            if content.is_file():
                yield path, content


def commands(root: Path, classes: Path) -> dict[str, str]:
    """Return the command of each program."""
    java = next((root / "usr/lib/jvm").glob("java-17-*")) / "bin" / "java"
    options = "-Xmx256m -XX:+UseSerialGC -XX:CompileCommand=quiet"
    interpreted = "-XX:CompileCommand=exclude,KnownJava::interpreted"
    programs = root / "usr" / "bin"
    return {
        "node": f"{programs}/node {TARGETS}/known_shares.js {SECONDS}",
        "java": f"{java} {options} {interpreted} -cp {classes} KnownJava {SECONDS}",
        "ruby": f"{programs}/ruby3.1 --disable-gems {TARGETS}/known_shares.rb {SECONDS}",
        "php": f"{programs}/php8.2 -n {TARGETS}/known_shares.php {SECONDS}",
    }


@pytest.fixture(scope="module")
def results(
    runtimes: Path,
    guest_packages: Packages,
    arm64_build: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Result]:
    need_program("javac")
    classes = tmp_path_factory.mktemp("classes")
    subprocess.run(["javac", "--release", "17", "-d", classes, KNOWN_JAVA], check=True, timeout=120)
    files = {str(path): content for path, content in files_of(runtimes)}
    # Where programs look for them.
    files |= {
        f"/{path.relative_to(runtimes)}": content
        for path, content in files_of(runtimes)
        if str(path.relative_to(runtimes)).startswith(FIXED_PLACES)
    }
    files |= {str(path): path for path in (*TARGETS.glob("known_shares.*"), *classes.iterdir())}
    files[COLLECT] = arm64_build / "collect" / "stallscope-collect"
    libraries = f"{runtimes}/lib/aarch64-linux-gnu:{runtimes}/usr/lib/aarch64-linux-gnu"
    collect = f"{COLLECT} -F {RATE_HZ} -o run --"
    scenarios = {
        name: f"export LD_LIBRARY_PATH={libraries}\n{collect} {command}\n"
        for name, command in commands(runtimes, classes).items()
    }
    machine = Machine(shift=None, cpus=2, memory_mib=3072)
    return boot(guest_packages, files, scenarios, tmp_path_factory.mktemp("guest"), machine)


@pytest.mark.parametrize("name", EXPECTED)
def test_shares_of_functions_agree_with_the_program(
    results: dict[str, Result], name: str, tmp_path: Path
) -> None:
    result = results[name]
    assert result.status == 0, result.stderr
    document = report_of(result)
    runtime_name, named, whole = EXPECTED[name]
    runtime = next(runtime for runtime in document["runtimes"] if runtime["name"] == runtime_name)
    assert runtime["samples"] > RATE_HZ
    assert runtime["named"] >= named * runtime["samples"], runtime
    assert document["stacks"]["complete_share"] >= whole
    used = used_time(result)
    totals = total_shares(document, used)
    ours, theirs = sum(totals.values()), sum(used.values())
    for function, value in used.items():
        share = value / theirs
        allowed = NEAR + five_standard_errors(share, int(document["samples"] * ours))
        assert abs(totals[function] / ours - share) <= allowed, function


def report_of(result: Result) -> dict[str, Any]:
    words = [sys.executable, "-m", "stallscope", "report", str(result.run), "--json"]
    run = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    document: dict[str, Any] = json.loads(run.stdout)
    return document


def used_time(result: Result) -> dict[str, float]:
    """Return the last account that the program printed."""
    lines = [*result.stdout.splitlines(), *result.stderr.splitlines()]
    used: dict[str, float] = json.loads([line for line in lines if line.startswith("{")][-1])
    return used


def total_shares(document: dict[str, Any], names: dict[str, float]) -> dict[str, float]:
    """Return the shares of the program's functions, which have its class in Java and Ruby."""
    totals = dict.fromkeys(names, 0.0)
    for function in document["functions"]:
        name = function["name"].split("#")[-1].split(".")[-1]
        if name in totals:
            totals[name] = max(totals[name], function["total_share"])
    return totals
