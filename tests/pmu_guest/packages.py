"""Debian's arm64 kernel and busybox, fetched once into a private apt root.

No foreign architecture is added to the host: the directories and the architecture of apt are set by
arguments only, because an exported APT_CONFIG would affect installations on the host.
"""

import io
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

META_PACKAGE = "linux-image-cloud-arm64"
# In loading order: a module needs those before it.
MODULES = ("virtio_ring", "virtio", "virtio_mmio", "virtio_blk")
TIMEOUT_S = 120


class FetchError(Exception):
    """The packages could not be fetched; the text names the step."""


@dataclass(frozen=True, slots=True)
class Packages:
    """The files of a guest."""

    kernel: Path
    busybox: Path
    modules: tuple[Path, ...]


def packages(folder: Path) -> Packages:
    """Return the files in ``folder``, fetched on the first call. Raises FetchError."""
    files = Packages(
        kernel=folder / "vmlinuz",
        busybox=folder / "busybox",
        modules=tuple(folder / f"{name}.ko" for name in MODULES),
    )
    if all(path.exists() for path in (files.kernel, files.busybox, *files.modules)):
        return files
    apt = folder / "apt"
    try:
        for deb in _download(apt):
            _unpack(deb, folder)
    except (OSError, subprocess.SubprocessError, tarfile.TarError) as error:
        raise FetchError(str(error)) from error
    shutil.rmtree(apt)
    missing = [
        path.name for path in (files.kernel, files.busybox, *files.modules) if not path.exists()
    ]
    if missing:
        raise FetchError(f"the packages hold no {', '.join(missing)}")
    return files


def _download(apt: Path) -> list[Path]:
    """Return the fetched packages; apt itself checks their signatures."""
    archives = apt / "archives"
    for directory in (apt / "lists" / "partial", archives / "partial"):
        directory.mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    _apt(apt, "apt-get", "-qq", "update")
    described = _apt(apt, "apt-cache", "show", "--no-all-versions", META_PACKAGE)
    kernel = re.search(r"^Depends: (linux-image-[a-z0-9.+-]+)", described, re.MULTILINE)
    if kernel is None:
        raise FetchError(f"{META_PACKAGE} names no kernel")
    _apt(apt, "apt-get", "-qq", "download", kernel[1], "busybox-static")
    return sorted(archives.glob("*.deb"))


def _apt(apt: Path, program: str, *words: str) -> str:
    """Return what an apt program printed, run on the private root."""
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
        "Dir::State::Lists": apt / "lists",
        "Dir::State::status": apt / "status",
        "Dir::Cache::archives": apt / "archives",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
    }
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    run = subprocess.run(
        [program, *options, *words],
        cwd=apt / "archives",
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )
    return run.stdout


def _unpack(deb: Path, folder: Path) -> None:
    """Copies a package's kernel, busybox and modules into ``folder``."""
    content = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", deb], capture_output=True, check=True, timeout=TIMEOUT_S
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        copy_files(archive, _place, folder)


def _place(name: str) -> str | None:
    """Return the name under which a package's file is stored, or None if it is not needed."""
    path = Path(name)
    if path.parent.name == "boot" and path.name.startswith("vmlinuz-"):
        return "vmlinuz"
    if path.parent.name == "bin" and path.name == "busybox":
        return "busybox"
    return path.name if path.suffix == ".ko" and path.stem in MODULES else None


def copy_files(archive: tarfile.TarFile, place: Callable[[str], str | None], folder: Path) -> None:
    """Copies the regular files of an archive to the paths that ``place`` returns; None omits a file."""
    for member in archive:
        name = place(member.name) if member.isreg() else None
        source = archive.extractfile(member)
        if name is None or source is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        with source, partial.open("wb") as sink:
            shutil.copyfileobj(source, sink)
        partial.replace(path)
