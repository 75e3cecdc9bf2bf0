"""Installs a wheel by pipx in a bare Debian root without compilers, and runs it there.

``python -m tools.packages.installation WHEEL [--suite SUITE] [--architecture ARCHITECTURE]``
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.packages.bare_roots import BareRoot, make_root
from tools.packages.source import ROOT, PackageError

# A bare Debian has libstdc++6, because apt needs it.
PACKAGES = ("python3", "python3-venv", "pipx", "libstdc++6")
_PROGRAM = "/root/.local/bin/stallscope"
_BUSY = "import time\nend = time.thread_time() + 0.5\nwhile time.thread_time() < end: pass"
_TMP = "/tmp"  # noqa: S108 a folder of the root
# The emulator has no perf_event_open: nothing can be recorded there.
_EMULATED = ("arm64",)


@dataclass(frozen=True, slots=True)
class Installation:
    """What an installed stallscope did in a root."""

    python: str  # version of the interpreter
    pip_names: tuple[str, ...]  # names of the installed distributions
    version: str
    doctor_checks: int
    samples: int | None  # of a program that is busy for half a second; None if nothing is recorded


def bare_root(folder: Path, suite: str, architecture: str = "amd64") -> BareRoot:
    """Return a root with Python and pipx alone. Raises PackageError if it has a compiler."""
    root = make_root(folder / f"{suite}-{architecture}", suite, PACKAGES, architecture)
    compilers = root.compilers()
    if compilers:
        raise PackageError(f"the root is not bare: {', '.join(compilers)}")
    return root


def install(root: BareRoot, wheel: Path, *, timeout_s: float = 280) -> Installation:
    """Install the wheel with its dependencies, from the index of this machine, and run it.

    Raises PackageError with the messages of the step that failed.
    """
    shutil.rmtree(root.path / "root" / ".local", ignore_errors=True)
    shutil.copyfile(wheel, root.path / "tmp" / wheel.name)
    shutil.copyfile(ROOT / "requirements.txt", root.path / "tmp" / "requirements.txt")
    pip = root.pip_settings() | {
        "PIP_ONLY_BINARY": ":all:",
        "PIP_CONSTRAINT": f"{_TMP}/requirements.txt",
        "PIP_NO_CACHE_DIR": "1",
    }
    # Bytecode of the dependencies would cost ten seconds of CPU time and be used for two starts.
    _checked(
        root,
        ["pipx", "install", "--pip-args=--no-compile", f"{_TMP}/{wheel.name}"],
        pip,
        timeout_s,
    )
    environment = root.path / "root/.local/pipx/venvs/stallscope"
    if not environment.exists():  # since pipx 1.3
        environment = root.path / "root/.local/share/pipx/venvs/stallscope"
    site = next(environment.glob("lib/python3.*/site-packages"))
    python = _checked(root, ["python3", "-c", "import platform; print(platform.python_version())"])
    version = _checked(root, [_PROGRAM, "--version"])
    doctor = json.loads(_checked(root, [_PROGRAM, "doctor", "--json"]))
    return Installation(
        python=python.strip(),
        pip_names=tuple(sorted(path.name.split("-")[0] for path in site.glob("*.dist-info"))),
        version=version.split()[-1],
        doctor_checks=len(doctor["checks"]),
        samples=None if root.architecture in _EMULATED else _samples(root),
    )


def _samples(root: BareRoot) -> int:
    """Return the number of samples of a busy Python program."""
    shutil.rmtree(root.path / "tmp" / "run", ignore_errors=True)
    words = [_PROGRAM, "profile", "--json", "-o", f"{_TMP}/run"]
    document = json.loads(_checked(root, [*words, "--", "/usr/bin/python3", "-c", _BUSY]))
    return int(document["samples"])


def _checked(
    root: BareRoot,
    words: Sequence[str],
    environment: dict[str, str] | None = None,
    timeout_s: float = 280,
) -> str:
    done = root.run(words, environment, timeout_s=timeout_s)
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise PackageError(f"{words[0]} in the root ended with {done.returncode}:\n{last}")
    return done.stdout


def main() -> int:
    """Install a wheel and print what was seen; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="./dev try", description="Install a wheel by pipx in a bare Debian root."
    )
    parser.add_argument("wheel", type=Path, help="wheel to install")
    parser.add_argument("--suite", default="bookworm", help="release of Debian; default: bookworm")
    parser.add_argument(
        "--architecture", choices=("amd64", "arm64"), default="amd64", help="default: amd64"
    )
    parser.add_argument(
        "--timeout", type=float, default=900.0, help="limit of the installation in s; default: 900"
    )
    arguments = parser.parse_args()
    try:
        root = bare_root(ROOT / "build" / "bare-roots", arguments.suite, arguments.architecture)
        installation = install(root, arguments.wheel, timeout_s=arguments.timeout)
    except PackageError as error:
        sys.stderr.write(f"try: error: {error}\n")
        return 3
    recorded = f"{installation.samples} samples" if installation.samples else "nothing recorded"
    sys.stdout.write(
        f"{arguments.wheel.name}: installed by pipx in Debian {arguments.suite} "
        f"{arguments.architecture}, Python {installation.python}, no compiler\n"
        f"stallscope {installation.version}, doctor: {installation.doctor_checks} checks, "
        f"profile: {recorded}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
