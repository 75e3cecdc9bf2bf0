"""Packages of any Debian release and architecture, fetched without a change to this host.

Every directory of apt is set by arguments, because an exported APT_CONFIG would affect
installations on the host. apt checks the signatures.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
_DEFAULT_MIRROR = "http://deb.debian.org/debian"
_TIMEOUT_S = 240


class FetchError(Exception):
    """The packages could not be fetched; the text names the step."""


class Archive:
    """One release for one architecture, that of the host if it is empty.

    ``folder`` holds apt's files until ``close``.

    All methods raise FetchError.
    """

    def __init__(self, folder: Path, suite: str, architecture: str = "") -> None:
        self.folder = folder = folder.resolve()
        shutil.rmtree(folder, ignore_errors=True)
        for part in ("lists/partial", "archives/partial"):
            (folder / part).mkdir(parents=True)
        (folder / "status").touch()
        source = f"deb [signed-by={KEYRING}] {_mirror()} {suite} main\n"
        (folder / "sources.list").write_text(source)
        settings: dict[str, str | Path] = {
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
            "Dir::Etc::sourcelist": folder / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::Lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache::archives": folder / "archives",
            "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "",
        }
        if architecture:
            settings |= {"APT::Architecture": architecture, "APT::Architectures": architecture}
        self._options = [
            word for name, value in settings.items() for word in ("-o", f"{name}={value}")
        ]
        self._apt("apt-get", "-qq", "update")

    def depends(self, package: str, pattern: str) -> str:
        """Return the first dependency of a package that begins with a pattern."""
        described = self._apt("apt-cache", "show", "--no-all-versions", package)
        match = re.search(rf"^Depends: (?:.*, )?({pattern}[a-z0-9.+-]*)", described, re.MULTILINE)
        if match is None:
            raise FetchError(f"{package} depends on no {pattern}")
        return match[1]

    def unpack(self, packages: Sequence[str], target: Path) -> None:
        """Unpack packages, without those that they depend on, below ``target``."""
        for package in self.download(packages):
            _run(["dpkg-deb", "--extract", str(package), str(target.resolve())], self.folder)

    def download(self, packages: Sequence[str]) -> list[Path]:
        """Return the files of packages."""
        self._apt("apt-get", "-qq", "download", *packages)
        return sorted((self.folder / "archives").glob("*.deb"))

    def close(self) -> None:
        """Remove apt's files and the packages."""
        shutil.rmtree(self.folder)

    def _apt(self, program: str, *words: str) -> str:
        return _run([program, *self._options, *words], self.folder / "archives")


def _mirror() -> str:
    """Return the address of the host's Debian mirror."""
    listed = _run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(REPO_URI)"], None)
    match = re.search(r"^\S*debian\.org \S+ (\S+/debian)/?$", listed, re.MULTILINE)
    return match[1] if match else _DEFAULT_MIRROR


def _run(command: Sequence[str], folder: Path | None) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, timeout=_TIMEOUT_S
        )
    except subprocess.CalledProcessError as error:
        last = "\n".join(error.stderr.splitlines()[-5:])
        raise FetchError(f"{command[0]} failed with {error.returncode}: {last}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise FetchError(str(error)) from error
    return done.stdout
