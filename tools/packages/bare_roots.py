"""Bare Debian roots: packages that apt resolves, unpacked but not configured, entered by chroot.

Such a root has what its packages contain and nothing of this machine. For another architecture,
QEMU's user emulation is registered in a private user namespace; the host's table stays as it is.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.packages.source import PackageError, run

COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "clang++", "c99", "ld", "cmake", "ninja", "make")
_FOLDERS = ("usr/bin", "bin", "usr/local/bin", "usr/sbin", "sbin")
_PATH = ":".join(f"/{folder}" for folder in _FOLDERS)
# Scripts of ca-certificates write this file in a configured system.
_CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
_PIP_SETTINGS = ("index-url", "extra-index-url", "cert", "timeout")
_FORMATS = "proc/sys/fs/binfmt_misc"
# First bytes of its ELF files, their mask, and the emulator that starts them
# (Documentation/admin-guide/binfmt-misc.rst).
_EMULATED = {
    "arm64": (
        r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
        r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff",
        "/usr/bin/qemu-aarch64-static",
    )
}


@dataclass(frozen=True, slots=True)
class BareRoot:
    """An unpacked root."""

    path: Path
    architecture: str  # Debian's name

    def compilers(self) -> list[str]:
        """Return the paths of compilers and build tools in the root."""
        return [
            f"{folder}/{name}"
            for folder in _FOLDERS
            for name in COMPILERS
            if os.path.lexists(self.path / folder / name)
        ]

    def run(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        timeout_s: float = 280,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the root with a private table of mounts; returns its output.

        Raises PackageError if it does not end in time, or if chroot(2) is not permitted.
        """
        fixed = {"PATH": _PATH, "HOME": "/root", "LANG": "C.UTF-8"}
        command = [*self._namespace(), "sh", "-euc", self._mounts(), "sh", str(self.path), *words]
        try:
            return subprocess.run(
                command,
                env=fixed | dict(environment or {}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=timeout_s,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PackageError(f"{shlex.join(words)} in {self.path}: {error}") from error

    def _namespace(self) -> list[str]:
        private = ["--user", "--map-root-user"] if self.architecture in _EMULATED else []
        # Root of a user namespace can mount a private table of formats since Linux 6.7.
        return ["unshare", *private, "--mount", "--pid", "--fork", "--kill-child"]

    def _mounts(self) -> str:
        """Return a script that mounts the kernel's file systems and enters the root."""
        lines = ['mount --rbind /proc "$1/proc"', 'mount --rbind /sys "$1/sys"']
        if self.architecture in _EMULATED:
            magic, mask, emulator = _EMULATED[self.architecture]
            entry = f":{self.architecture}:M::{magic}:{mask}:{emulator}:F"
            # It stays mounted: the private table ends with its last mount.
            lines += [
                f'mount -t binfmt_misc none "$1/{_FORMATS}"',
                f'printf %s {shlex.quote(entry)} >"$1/{_FORMATS}/register"',
            ]
        lines.append('root=$1; shift; exec chroot "$root" "$@"')
        return "\n".join(lines)

    def pip_settings(self) -> dict[str, str]:
        """Return the environment by which pip in the root reaches the index of this machine."""
        listed = run(["python3", "-m", "pip", "config", "list"])
        settings = {}
        for name in _PIP_SETTINGS:
            match = re.search(rf"^(?:global|:env:)\.{name}='(.*)'$", listed, re.MULTILINE)
            if match:
                settings["PIP_" + name.upper().replace("-", "_")] = match[1]
        certificates = Path(settings.get("PIP_CERT", f"/{_CERTIFICATES}"))
        if certificates.exists():
            (self.path / _CERTIFICATES).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(certificates, self.path / _CERTIFICATES)
            settings["PIP_CERT"] = f"/{_CERTIFICATES}"
        return settings | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def make_root(
    folder: Path, suite: str, packages: Sequence[str], architecture: str = "amd64"
) -> BareRoot:
    """Return the root in ``folder``, fetched unless it is there with the same content.

    Raises PackageError if the packages cannot be fetched.
    """
    root = BareRoot(folder / "root", architecture)
    content = f"{suite} {architecture} {' '.join(packages)}\n"
    complete = folder / "complete"
    if complete.exists() and complete.read_text() == content:
        return root
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(
        ["mmdebstrap", "--quiet", "--variant=extract", f"--architectures={architecture}",
         f"--include={','.join(packages)}", suite, root.path]
    )  # fmt: skip
    for name in ("root", "proc", "sys", "tmp"):
        (root.path / name).mkdir(exist_ok=True)
    # Since Debian 13 files are in usr only, and the base system's scripts make these links.
    for name in ("bin", "sbin", "lib", "lib64"):
        if (root.path / "usr" / name).exists() and not os.path.lexists(root.path / name):
            (root.path / name).symlink_to(f"usr/{name}")
    complete.write_text(content)
    return root
