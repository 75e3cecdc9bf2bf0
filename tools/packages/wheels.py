"""Wheels: one for the interpreter of .venv, one for CPython 3.12 and later (stable ABI)."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from tools.packages.archives import normalise_zip
from tools.packages.cross import CrossBuild, prepare
from tools.packages.elf_needs import tag_problems
from tools.packages.source import PackageError, Source, run

STABLE_ABI = "cp312"  # nanobind's first
_LATER = ("3.14", "3.13", "3.12")
_BUILD_PACKAGES = ("nanobind", "scikit_build_core", "jinja2")


def build_wheels(source: Source) -> list[Path]:
    """Return the wheels, made in the release folder. Raises PackageError."""
    wheels = []
    if sys.version_info < (3, 12):
        wheels.append(_wheel(source, Path(sys.executable), "python", {}))
    later = _later_python(source)
    if later is None:
        sys.stderr.write("packages: no CPython 3.12 or later with headers: no wheel for it\n")
    else:
        wheels.append(_wheel(source, later, "python-abi3", {"wheel.py-api": STABLE_ABI}))
    return wheels


def build_arm64_wheels(source: Source) -> list[Path]:
    """Return the wheels for arm64, built by a cross compiler. Raises PackageError."""
    wheels = []
    if sys.version_info[:2] == (3, 11):
        cross = prepare(source, "cp311")
        wheels.append(_wheel(source, Path(sys.executable), "python-arm64", {}, cross))
    later = _later_python(source)
    if later is not None:
        cross = prepare(source, f"{STABLE_ABI}-abi3")
        settings = {"wheel.py-api": STABLE_ABI}
        wheels.append(_wheel(source, later, "python-abi3-arm64", settings, cross))
    return wheels


def _wheel(
    source: Source,
    python: Path,
    build: str,
    settings: dict[str, str],
    cross: CrossBuild | None = None,
) -> Path:
    folder = source.root / "build" / f"wheel-{build}"
    shutil.rmtree(folder, ignore_errors=True)
    precompile = "OFF" if os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER") else "ON"
    settings = settings | {
        "build-dir": f"build/{build}",
        "cmake.define.STALLSCOPE_PRECOMPILE": precompile,
    }
    environment = source.environment
    if cross is not None:
        settings |= {f"cmake.define.{name}": value for name, value in cross.defines.items()}
        environment |= cross.environment
    run(
        [python, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-build-isolation",
         "--no-deps", *(f"--config-settings={key}={value}" for key, value in settings.items()),
         "-w", folder, "."],
        source.root,
        environment,
    )  # fmt: skip
    return repair(source, next(folder.glob("*.whl")), environment)


def repair(source: Source, wheel: Path, environment: dict[str, str]) -> Path:
    """Return the wheel as auditwheel tags it, with normal bytes, in the release folder.

    Raises PackageError if a file of the wheel needs more of a system than the tag says.
    """
    folder = wheel.parent / "repaired"
    run(
        [sys.executable, "-m", "auditwheel", "repair", "-w", folder, wheel],
        source.root,
        environment,
    )
    repaired = next(folder.glob("*.whl"))
    normalise_zip(repaired, source.epoch_s)
    check(repaired)
    source.release.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(repaired, source.release / repaired.name))


def check(wheel: Path) -> None:
    """Raise PackageError if a file of the wheel needs more of a system than its tag says."""
    wrong = tag_problems(wheel)
    if wrong:
        raise PackageError("\n".join([f"{wheel.name} needs more than its tag says:", *wrong]))


def _later_python(source: Source) -> Path | None:
    """Return an interpreter of a later CPython with what a build needs, or None."""
    environment = source.root / "build" / "later-python"
    python = environment / "bin" / "python"
    if not python.exists():
        base = _later_base(source)
        if base is None:
            return None
        run([base, "-m", "venv", environment])
        run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
             "-c", source.root / "requirements.txt", *_BUILD_PACKAGES]
        )  # fmt: skip
    return python


def _later_base(source: Source) -> Path | None:
    """Return an interpreter with headers: this one, one on PATH, or one of uv or pyenv."""
    if sys.version_info >= (3, 12) and Path(sysconfig.get_path("include"), "Python.h").exists():
        return Path(sys.executable)
    show = ["-c", "import sys; print(sys.executable)"]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    finds: list[list[str | Path]] = []
    for version in _LATER:
        finds.append([f"python{version}", *show])
        finds += [[path, *show] for path in pyenv.glob(f"{version}.*/bin/python{version}")]
        finds.append(
            [sys.executable, "-m", "uv", "python", "find", "--no-python-downloads", version]
        )
    for find in finds:
        try:
            python = Path(run(find, source.root).strip())
            query = "import sysconfig; print(sysconfig.get_path('include'))"
            header = Path(run([python, "-c", query], source.root).strip(), "Python.h")
        except PackageError:
            continue  # missing, or a link to a version that is not installed
        if header.exists():
            return python
    return None
