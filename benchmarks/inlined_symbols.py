"""Source lines and inlined functions of 20,000 addresses: ours, llvm-symbolizer and addr2line.

The library is OpenJDK's libjvm with the debug file of its Debian package, plain (370 MB) and
compressed as it is installed (160 MB). The addresses are random, by the size of functions. Ours is
what `report --inlined` calls, with the start of Python and the limited process. Bar: less CPU than
llvm-symbolizer, and 5 s. The readers' answers are compared in known answers of the tests.
"""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.cases import Bar, Case, ours, ratio
from benchmarks.effort import pairs
from benchmarks.interleaving import interleave
from benchmarks.processes import Cost, checked
from stallscope.regular_file import open_regular
from topdown.stacks.elf.file import SHT_SYMTAB, ElfFile
from topdown.stacks.symbols.source_lines import find_source_lines, loaded_segments
from topdown.stacks.symbols.sources import SymbolSources

if TYPE_CHECKING:
    from stallscope._native import Capture

PAIRS = 5
ADDRESSES = 20_000
FEW_ADDRESSES = 2000  # addr2line is slow
LLVM, BINUTILS = "llvm-symbolizer --inlines", "addr2line -i -f"
PACKAGES = ("openjdk-17-jre-headless", "openjdk-17-dbg")
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"),
     ("value", "<u8"), ("size", "<u8")]
)  # fmt: skip
_FUNCTION = 2


@dataclass(frozen=True, slots=True)
class Library:
    """A library, its build id, and a debug directory with its debug file."""

    path: Path
    build_id: str
    directory: Path

    @property
    def debug_file(self) -> Path:
        """Return the debug file."""
        return self.directory / ".build-id" / self.build_id[:2] / f"{self.build_id[2:]}.debug"


def run() -> list[Case]:
    """Measure CPU time and peak memory; nothing without the packages or a peer."""
    if shutil.which("llvm-symbolizer") is None or shutil.which("apt-get") is None:
        print("llvm-symbolizer or apt-get is not installed")
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packed = _unpacked(folder)
        plain = Library(packed.path, packed.build_id, folder / "plain")
        plain.debug_file.parent.mkdir(parents=True)
        decompress = ["objcopy", "--decompress-debug-sections"]
        subprocess.run([*decompress, packed.debug_file, plain.debug_file], check=True)
        many, few = folder / "addresses", folder / "few-addresses"
        lines = [f"{address:#x}\n" for address in function_addresses(plain.debug_file, ADDRESSES)]
        many.write_text("".join(lines))
        few.write_text("".join(lines[:: ADDRESSES // FEW_ADDRESSES]))
        size_mb = round(plain.debug_file.stat().st_size / 1e6)
        return [
            *_cases(f"{ADDRESSES:,} addresses, {size_mb} MB", plain, many, LLVM),
            *_cases(f"{ADDRESSES:,} addresses, compressed", packed, many, LLVM),
            *_cases(f"{FEW_ADDRESSES:,} addresses, {size_mb} MB", plain, few, BINUTILS),
        ]


def _unpacked(folder: Path) -> Library:
    subprocess.run(["apt-get", "download", "-q", *PACKAGES], cwd=folder, check=True)
    root = folder / "root"
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    path = next(root.glob("usr/lib/jvm/*/lib/server/libjvm.so"))
    with open_regular(path) as file:
        build_id = ElfFile(file).build_id.hex()
    return Library(path, build_id, root / "usr/lib/debug")


def function_addresses(
    debug_file: Path, count: int
) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Return random addresses in functions, sorted, each by the size of its function."""
    with open_regular(debug_file) as file:
        elf = ElfFile(file)
        index = int(np.flatnonzero(elf.sections["type"] == SHT_SYMTAB)[0])
        symbols = np.frombuffer(elf.section_content(index), _SYMBOL)
    is_code = ((symbols["info"] & 15) == _FUNCTION) & (symbols["section"] != 0)
    symbols = symbols[is_code & (symbols["size"] > 0)]
    random = np.random.default_rng(1)
    shares = symbols["size"] / symbols["size"].sum()
    chosen = symbols[random.choice(len(symbols), 2 * count, p=shares)]
    offsets = (random.random(len(chosen)) * chosen["size"]).astype(np.uint64)
    return np.sort(random.permutation(np.unique(chosen["value"] + offsets))[:count])


def _cases(name: str, library: Library, text: Path, peer: str) -> list[Case]:
    words = [str(library.path), str(library.directory), str(text)]
    own = [sys.executable, "-m", "benchmarks.inlined_symbols", *words]
    shell = f"{peer} -e {library.debug_file} < {text}"
    own_costs, peer_costs = interleave(
        pairs(PAIRS), lambda: checked(own), lambda: checked(["sh", "-c", shell])
    )
    bar = (ratio(at_most=1.0), ours(at_most=5.0))

    def case(metric: str, field: str, bar: Bar = ()) -> Case:
        return Case(
            name=f"{name}, {peer.partition(' ')[0]}",
            metric=metric,
            ours_command="python -m benchmarks.inlined_symbols libjvm.so debug < addresses",
            peer_command=f"{peer} -e libjvm.debug < addresses",
            bar=bar,
            ours=_values(own_costs, field),
            peer=_values(peer_costs, field),
        )

    return [case("CPU s", "cpu_s", bar), case("peak MiB", "peak_mib")]


def _values(costs: tuple[Cost, ...], field: str) -> tuple[float, ...]:
    return tuple(getattr(cost, field) for cost in costs)


def locate(path: Path, directory: Path, text: Path) -> None:
    """Look the addresses up as a report does. Raises AssertionError if locations are missing."""
    addresses = np.array([int(line, 16) for line in text.read_text().split()], np.uint64)
    with open_regular(path) as file:
        elf = ElfFile(file)
        build_id, segments = elf.build_id, loaded_segments(elf)
    offsets = addresses.copy()
    for segment in segments:
        start, size = np.uint64(segment["address"]), np.uint64(segment["file_size"])
        inside = (addresses >= start) & (addresses < start + size)
        offsets[inside] = addresses[inside] - start + np.uint64(segment["offset"])
    mapped = SimpleNamespace(
        path=bytes(path), build_id=build_id, kernel=False, pid=0, start=0, length=0,
        inode=0, major=0, minor=0,
    )  # fmt: skip
    capture = SimpleNamespace(
        objects=[mapped],
        frame_object=np.zeros(len(offsets), np.int32),
        frame_address=offsets,
    )
    sources = SymbolSources(debug_directories=(bytes(directory),))
    lines = find_source_lines(
        cast("Capture", capture), np.arange(len(offsets)), sources, budget_s=60.0
    )
    inlined = sum(bool(location.inlined) for location in lines.locations.values())
    if lines.warnings or len(lines.locations) < 0.99 * len(offsets) or inlined < len(offsets) // 4:
        raise AssertionError(
            f"{len(lines.locations)} locations, {inlined} inlined: {lines.warnings}"
        )


if __name__ == "__main__":
    locate(*map(Path, sys.argv[1:4]))
