"""Wheels for arm64, built on another machine: libraries and headers of Debian's arm64 packages.

The interpreter of this machine runs the build; the module is compiled with the headers of the
interpreter that loads it.
"""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.debian_archive import Archive, FetchError
from tools.packages.source import PackageError, Source

# Without libc6-dev: the cross compiler has the C library's headers.
_LIBRARIES = (
    "libpfm4", "libpfm4-dev", "libzstd1", "libzstd-dev", "zlib1g", "zlib1g-dev", "libiberty-dev",
    "liburing-dev", "liburing2", "libssl-dev", "libsqlite3-dev",
)  # fmt: skip
_TRIPLE = "aarch64-linux-gnu"


@dataclass(frozen=True, slots=True)
class Headers:
    """The package with an interpreter's headers."""

    suite: str
    package: str
    folder: str  # below usr/include


# By the tag of the wheel. The stable ABI is the same in all later versions.
HEADERS = {
    "cp311": Headers("bookworm", "libpython3.11-dev", "python3.11"),
    "cp312-abi3": Headers("trixie", "libpython3.13-dev", "python3.13"),
}


@dataclass(frozen=True, slots=True)
class CrossBuild:
    """The environment and the settings of a build of one wheel."""

    environment: dict[str, str]
    defines: dict[str, str]


def prepare(source: Source, tag: str) -> CrossBuild:
    """Return the cross build of the wheel with this tag. Raises PackageError."""
    root = source.root / "build" / "arm64-wheel-root"
    headers = HEADERS[tag]
    try:
        _fetch(root, "libraries", "bookworm", _LIBRARIES)
        python = root.with_name(f"arm64-{headers.folder}")
        _fetch(python, headers.package, headers.suite, (headers.package,))
    except FetchError as error:
        raise PackageError(f"packages for arm64 cannot be fetched: {error}") from error
    version = headers.folder.removeprefix("python").replace(".", "")
    suffix = ".abi3.so" if tag.endswith("abi3") else f".cpython-{version}-{_TRIPLE}.so"
    return CrossBuild(
        environment={
            "STALLSCOPE_ARM64_ROOT": str(root),
            "_PYTHON_HOST_PLATFORM": "linux-aarch64",
            "SETUPTOOLS_EXT_SUFFIX": suffix,
            "AUDITWHEEL_LD_LIBRARY_PATH": f"{root}/usr/lib/{_TRIPLE}:{root}/lib/{_TRIPLE}"
            f":/usr/{_TRIPLE}/lib",
        },
        defines={
            "CMAKE_TOOLCHAIN_FILE": str(source.root / "native/cmake/aarch64-linux-gnu.cmake"),
            "Python_INCLUDE_DIR": str(python / "usr/include" / headers.folder),
            # Debian's pyconfig.h includes that of the architecture, below usr/include.
            "CMAKE_CXX_FLAGS": f"-isystem {python}/usr/include "
            f"-isystem {root}/usr/include/{_TRIPLE}",
        },
    )


def _fetch(root: Path, name: str, suite: str, packages: tuple[str, ...]) -> None:
    complete = root / f"complete-{name}"
    if complete.exists() and complete.read_text().split() == list(packages):
        return
    sys.stderr.write(f"packages: fetching {name} for arm64\n")
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    archive = Archive(root / "apt", suite, "arm64")
    archive.unpack(packages, root)
    for link in root.rglob("*.so"):
        if link.is_symlink() and link.readlink().is_absolute():
            target = root / link.readlink().relative_to("/")
            link.unlink()
            link.symlink_to(target)
    archive.close()
    complete.write_text(" ".join(packages))
