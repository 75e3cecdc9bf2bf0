"""Kernels and busybox of Debian for guests, fetched once without a change to this host."""

import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.debian_archive import Archive, FetchError

__all__ = ["FetchError", "Packages", "copy_files", "packages"]

# By architecture, in loading order: a module needs those before it. Names that a kernel does not
# have are part of another module there.
MODULES = {
    "arm64": ("virtio_ring", "virtio", "virtio_mmio", "virtio_blk"),
    "amd64": (
        "virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
        "virtio_blk",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Packages:
    """The files of a guest."""

    architecture: str  # Debian's name
    kernel: Path
    busybox: Path
    modules: tuple[Path, ...]


def packages(folder: Path, suite: str = "bookworm", architecture: str = "arm64") -> Packages:
    """Return the files in ``folder``, fetched on the first call. Raises FetchError."""
    if not (folder / "complete").exists():
        _fetch(folder, suite, architecture)
    paths = (folder / f"{name}.ko" for name in MODULES[architecture])
    modules = tuple(path for path in paths if path.exists())
    return Packages(architecture, folder / "vmlinuz", folder / "busybox", modules)


def _fetch(folder: Path, suite: str, architecture: str) -> None:
    archive = Archive(folder / "apt", suite, architecture)
    kernel = archive.depends(f"linux-image-cloud-{architecture}", "linux-image-")
    unpacked = folder / "unpacked"
    archive.unpack([kernel, "busybox-static"], unpacked)
    archive.close()
    files = {path.stem: path for path in unpacked.rglob("*.ko")}
    chosen = [files[name] for name in MODULES[architecture] if name in files]
    chosen += [*unpacked.glob("boot/vmlinuz-*"), *unpacked.glob("**/bin/busybox")]
    for path in chosen:
        name = "vmlinuz" if path.name.startswith("vmlinuz-") else path.name
        shutil.copyfile(path, folder / name)
    shutil.rmtree(unpacked)
    missing = [
        name for name in ("vmlinuz", "busybox", "virtio_blk.ko") if not (folder / name).exists()
    ]
    if missing:
        raise FetchError(f"the packages hold no {', '.join(missing)}")
    (folder / "complete").touch()


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
