"""CPython 3.13 and 3.14 of Debian testing, unpacked once into a private root: a few megabytes.

They are not installed on the host: every directory of apt is set explicitly, and the interpreters
run with the C library of the same root.
"""

from pathlib import Path

from tests.live.python_targets import Interpreter
from tools.debian_archive import Archive, FetchError

__all__ = ["VERSIONS", "FetchError", "interpreter"]
VERSIONS = ("3.13", "3.14")


def interpreter(folder: Path, version: str, *options: str) -> Interpreter:
    """Return an interpreter below ``folder``, fetched on the first call. Raises FetchError."""
    root = folder / "root"
    if not (root / "complete").exists():
        _fetch(folder, root)
    libraries = next(root.glob("usr/lib/*/libc.so.6")).parent
    loader = next(libraries.glob("ld-linux*.so.*"))
    command = (
        str(loader),
        "--library-path",
        str(libraries),
        str(root / f"usr/bin/python{version}"),
    )
    return Interpreter(version, (*command, "-S", *options), {"PYTHONHOME": str(root / "usr")})


def _fetch(folder: Path, root: Path) -> None:
    packages = [
        f"{kind}{version}-minimal" for version in VERSIONS for kind in ("python", "libpython")
    ]
    archive = Archive(folder / "apt", "testing")
    archive.unpack([*packages, "libc6", "libexpat1", "zlib1g"], root)
    archive.close()
    (root / "complete").touch()
