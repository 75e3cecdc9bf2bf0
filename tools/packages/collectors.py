"""The static collector as a file for each architecture, and as a Debian package."""

import shutil
from pathlib import Path

from tools.packages.debs import Deb, build_deb
from tools.packages.elf_needs import needs_of
from tools.packages.source import PackageError, Source, run

# Debian's architecture: ELF machine, name in file names, folder of the built program.
ARCHITECTURES = {
    "amd64": ("EM_X86_64", "x86_64", "stallscope/programs/stallscope-collect", "strip"),
    "arm64": (
        "EM_AARCH64",
        "aarch64",
        "build/arm64/native/programs/collect/stallscope-collect",
        "aarch64-linux-gnu-strip",
    ),
}


def build_collectors(source: Source) -> list[Path]:
    """Return the collectors in the release folder. Raises PackageError if one is not static."""
    source.release.mkdir(parents=True, exist_ok=True)
    return [_collector(source, architecture) for architecture in ARCHITECTURES]


def _collector(source: Source, architecture: str) -> Path:
    machine, name, built, strip = ARCHITECTURES[architecture]
    program = source.root / built
    if not program.exists():
        raise PackageError(f"{built} is missing: run ./dev build and ./dev build arm64")
    path = source.release / f"stallscope-collect-{source.version}-linux-{name}"
    shutil.copyfile(program, path)
    run([strip, "--strip-debug", path])
    path.chmod(0o755)
    needs = needs_of(path.name, path.read_bytes())
    if needs.machine != machine or needs.libraries or needs.loader:
        raise PackageError(f"{path.name} is not one static file for {machine}")
    return path


def build_collector_debs(source: Source) -> list[Path]:
    """Return the Debian packages of the collectors, in the release folder."""
    return [
        build_deb(
            source,
            Deb(
                name="stallscope-collect",
                architecture=architecture,
                summary="collector of stallscope: records where CPU and wall time go",
                description="One static program without dependencies. It records samples,\n"
                "waits and counts into a directory, which stallscope on another machine reads.",
                files={"usr/bin/stallscope-collect": collector},
            ),
        )
        for architecture, collector in zip(ARCHITECTURES, build_collectors(source), strict=True)
    ]
