"""CPython 3.13 and 3.14 of Debian testing, unpacked once into a private root: a few megabytes.

They are not installed on the host: every directory of apt is set explicitly, and the interpreters
run with the C library of the same root.
"""

import re
import shutil
import subprocess
from pathlib import Path

from tests.live.python_targets import Interpreter

VERSIONS = ("3.13", "3.14")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
TIMEOUT_S = 120


class FetchError(Exception):
    """The packages could not be fetched; the text names the step."""


def interpreter(folder: Path, version: str, *options: str) -> Interpreter:
    """Return an interpreter below ``folder``, fetched on the first call. Raises FetchError."""
    root = folder / "root"
    if not (root / "complete").exists():
        try:
            _fetch(folder, root)
        except (OSError, subprocess.SubprocessError) as error:
            raise FetchError(str(error)) from error
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
    apt = folder / "apt"
    shutil.rmtree(apt, ignore_errors=True)
    for part in ("lists/partial", "archives/partial"):
        (apt / part).mkdir(parents=True)
    (apt / "status").touch()
    listed = _run("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(REPO_URI)")
    match = re.search(r"^\S*debian\.org \S+ (\S+/debian)/?$", listed, re.MULTILINE)
    source = match[1] if match else "http://deb.debian.org/debian"
    (apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {source} testing main\n")
    settings = {
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::Lists": apt / "lists",
        "Dir::State::status": apt / "status",
        "Dir::Cache::archives": apt / "archives",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        "APT::Sandbox::User": "root",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    packages = [
        f"{kind}{version}-minimal" for version in VERSIONS for kind in ("python", "libpython")
    ]
    _run("apt-get", *options, "-qq", "update")
    _run(
        "apt-get", *options, "-qq", "download", *packages, "libc6", "libexpat1", "zlib1g",
        folder=apt / "archives",
    )  # fmt: skip
    for package in (apt / "archives").glob("*.deb"):
        _run("dpkg-deb", "--extract", str(package), str(root))
    (root / "complete").touch()
    shutil.rmtree(apt)


def _run(*command: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    return done.stdout
