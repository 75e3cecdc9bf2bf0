"""What a wheel's files need of a system: loader, libraries, versions of the C library.

A wheel runs where the C library is at least as new as the highest version that its files need.
PEP 600 puts that version into the tag ``manylinux_X_Y``.

``python -m tools.packages.elf_needs WHEEL...`` compares wheels with their tags.
"""

import io
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.segments import InterpSegment

Version = tuple[int, ...]
ELF_MAGIC = b"\x7fELF"
# What PEP 600 permits, of which every system with a C library has a version.
PERMITTED = frozenset(
    {
        "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2",
        "librt.so.1", "libpthread.so.0", "libutil.so.1", "libgcc_s.so.1", "libstdc++.so.6",
        "libz.so.1",
    }
)  # fmt: skip
# The newest version of GLIBCXX in libstdc++ by PEP 600's profile for glibc 2.34: that of GCC 11.
NEWEST_GLIBCXX: Version = (3, 4, 29)
# The versions of the C library in systems, from their package lists.
SYSTEMS: dict[str, Version] = {
    "RHEL 8": (2, 28),
    "Ubuntu 20.04": (2, 31),
    "Debian 11": (2, 31),
    "RHEL 9": (2, 34),
    "Amazon Linux 2023": (2, 34),
    "Ubuntu 22.04": (2, 35),
    "Debian 12": (2, 36),
    "Ubuntu 24.04": (2, 39),
    "RHEL 10": (2, 39),
    "Debian 13": (2, 41),
}
_TAG = re.compile(r"-manylinux_(\d+)_(\d+)_(x86_64|aarch64)[.-]?.*\.whl$")
_MACHINES = {"x86_64": "EM_X86_64", "aarch64": "EM_AARCH64"}
_VERSION = re.compile(r"^(GLIBC|GLIBCXX)_([0-9.]+)$")


@dataclass(frozen=True, slots=True)
class ElfNeeds:
    """The needs of one file; static files have no library and no loader."""

    name: str
    machine: str  # as in ELF: "EM_X86_64", "EM_AARCH64"
    libraries: tuple[str, ...]
    loader: str | None
    glibc: Version | None
    glibcxx: Version | None


def needs_of(name: str, content: bytes) -> ElfNeeds:
    """Return the needs of an ELF file. Raises ValueError if it is not one."""
    try:
        return _needs_of(name, ELFFile(io.BytesIO(content)))
    except ELFError as error:
        raise ValueError(f"{name} is no ELF file: {error}") from error


def _needs_of(name: str, elf: ELFFile) -> ElfNeeds:
    libraries: list[str] = []
    versions: dict[str, list[Version]] = {"GLIBC": [], "GLIBCXX": []}
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            libraries += [str(vars(tag)["needed"]) for tag in section.iter_tags("DT_NEEDED")]
        elif isinstance(section, GNUVerNeedSection):
            for _, auxiliaries in section.iter_versions():
                for auxiliary in auxiliaries:
                    match = _VERSION.match(auxiliary.name)
                    if match:
                        versions[match[1]].append(_version(match[2]))
    loaders = [part for part in elf.iter_segments() if isinstance(part, InterpSegment)]
    return ElfNeeds(
        name,
        elf["e_machine"],
        tuple(libraries),
        loaders[0].get_interp_name() if loaders else None,
        max(versions["GLIBC"], default=None),
        max(versions["GLIBCXX"], default=None),
    )


def _version(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def wheel_needs(wheel: Path) -> list[ElfNeeds]:
    """Return the needs of all ELF files in a wheel."""
    return list(_wheel_needs(wheel))


def _wheel_needs(wheel: Path) -> Iterator[ElfNeeds]:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                if member.read(len(ELF_MAGIC)) != ELF_MAGIC:
                    continue
            yield needs_of(name, archive.read(name))


def glibc_floor(needs: Sequence[ElfNeeds]) -> Version | None:
    """Return the oldest C library on which all files run; None if all are static."""
    return max((item.glibc for item in needs if item.glibc), default=None)


def problems(needs: Sequence[ElfNeeds], *, machine: str, glibc: Version) -> list[str]:
    """Return a line for each need that a system with this CPU and C library does not satisfy."""
    texts = []
    # auditwheel copies other libraries into NAME.libs, under names with a hash.
    inside = {Path(item.name).name for item in needs if ".libs/" in item.name}
    for item in needs:
        if item.machine != machine:
            texts.append(f"{item.name}: built for {item.machine}, not {machine}")
        if item.name.startswith("stallscope/programs/") and (item.libraries or item.loader):
            texts.append(f"{item.name}: not static")
        texts += [
            f"{item.name}: needs {library}, which a wheel may not expect"
            for library in item.libraries
            if library not in PERMITTED | inside
        ]
        if item.glibc and item.glibc > glibc:
            texts.append(f"{item.name}: needs glibc {_text(item.glibc)}, above {_text(glibc)}")
        if item.glibcxx and item.glibcxx > NEWEST_GLIBCXX:
            texts.append(f"{item.name}: needs GLIBCXX_{_text(item.glibcxx)}")
    return texts


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def systems_with(floor: Version | None) -> tuple[list[str], list[str]]:
    """Return the names of systems whose C library suffices, and of those whose does not."""
    enough = [name for name, version in SYSTEMS.items() if floor is None or version >= floor]
    return enough, [name for name in SYSTEMS if name not in enough]


def tag_problems(wheel: Path) -> list[str]:
    """Return a line for each need of a wheel's files above what its tag says."""
    tag = _TAG.search(wheel.name)
    if tag is None:
        return [f"{wheel.name} has no tag manylinux_X_Y"]
    version = (int(tag[1]), int(tag[2]))
    return problems(wheel_needs(wheel), machine=_MACHINES[tag[3]], glibc=version)


def needs_text(wheel: Path) -> list[str]:
    """Return what a wheel needs, and the systems that have it or are too old."""
    floor = glibc_floor(wheel_needs(wheel))
    enough, too_old = systems_with(floor)
    return [
        f"{wheel.name}: glibc {_text(floor) if floor else 'none'}; for {', '.join(enough)}",
        f"  too old: {', '.join(too_old) or 'none'}",
    ]


def main() -> int:
    """Compare wheels with their tags; returns the exit status."""
    status = 0
    for name in sys.argv[1:]:
        wheel = Path(name)
        wrong = tag_problems(wheel)
        sys.stdout.write("".join(f"{line}\n" for line in needs_text(wheel)))
        sys.stderr.write("".join(f"error: {line}\n" for line in wrong))
        status = 1 if wrong else status
    return status


if __name__ == "__main__":
    sys.exit(main())
