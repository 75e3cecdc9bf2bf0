"""Source lines and inlined functions, compared with addr2line; bounded on hostile input."""

import os
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from topdown.stacks.symbols import source_lines
from topdown.stacks.symbols.source_lines import find_source_lines
from topdown.stacks.symbols.sources import SymbolSources
from topdown.stacks.symbols.unit_locations import SourceLocation, UnitLocations

LIBRARY = r"""
#include <algorithm>
#include <map>
#include <string>
#include <vector>
std::vector<int> sorted(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
  return numbers;
}
std::map<std::string, int> counted(const std::vector<std::string>& words) {
  std::map<std::string, int> lines;
  for (const auto& word : words) ++lines[word];
  return lines;
}
int main(int count, char** words) {
  return sorted({count, 2, 1})[0] + (int)counted({words, words + count}).size();
}
"""


def build(folder: Path, made, *options: str) -> Path:
    source, target = folder / "library.cc", folder / "library"
    source.write_text(LIBRARY)
    made.run(options[0], "-O2", "-g", *options[1:], "-no-pie", source, "-o", target)
    return target


def text_section(path: Path, made) -> tuple[int, int, int]:
    """Address, offset and size of .text."""
    rows = made.run("readelf", "-SW", path).splitlines()
    row = next(row.split("]")[1].split() for row in rows if " .text " in row)
    return int(row[2], 16), int(row[3], 16), int(row[4], 16)


def places_of(path: Path, offsets, made, **more) -> tuple[dict[int, SourceLocation], tuple]:
    frames = [(0, int(offset), 0) for offset in offsets]
    capture = made.Capture(frames, objects=[made.Object(os.fsencode(path))])
    rows = np.arange(len(frames))
    lines = find_source_lines(capture, rows, SymbolSources(debug_directories=()), **more)
    return lines.locations, lines.warnings


def plain_line(text: str) -> str:
    """A location as addr2line prints it, without directories and discriminators."""
    return text.split(" (", maxsplit=1)[0].rsplit("/", 1)[-1]


def reference_lines(tool: str, path: Path, addresses: list[int], made) -> list[list[str]]:
    """The locations of each address, the innermost first, as the reference tool prints them."""
    text = made.run(tool, "-a", "-i", "-e", path, *map(hex, addresses))
    locations: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("0x"):
            locations.append([])
        elif line:
            locations[-1].append(plain_line(line))
    assert len(locations) == len(addresses)
    return locations


@pytest.mark.parametrize(
    "options",
    [
        ("g++", "-gdwarf-4"),
        ("g++", "-gdwarf-5"),
        ("clang++", "-gdwarf-5"),
        ("clang++", "-gdwarf-4"),
    ],
    ids=" ".join,
)
def test_two_hundred_addresses_agree_with_addr2line(tmp_path: Path, made, options):
    if shutil.which(options[0]) is None:
        pytest.skip(f"needs the program {options[0]}")
    path = build(tmp_path, made, *options)
    address, offset, size = text_section(path, made)
    steps = np.unique(np.random.default_rng(4).integers(0, size, 200)).tolist()
    places, warnings = places_of(path, [offset + step for step in steps], made)
    assert warnings == ()
    addresses = [address + step for step in steps]
    references = [
        reference_lines(tool, path, addresses, made)
        for tool in ("addr2line", "llvm-addr2line")
        if shutil.which(tool)
    ]
    shares = [agreement(places, lines) for lines in references]
    assert len(places) > 100
    assert sum(len(place.inlined) > 1 for place in places.values()) > 20
    # binutils 2.40 mistakes files of DWARF 5, and leaves out frames in clang's: another reader
    # must be right where it is not.
    assert max(shares) >= (0.99 if len(references) > 1 else 0.6), shares


def agreement(places: dict[int, SourceLocation], reference: list[list[str]]) -> float:
    """The share of addresses with the reference's line and its number of inlined functions."""
    same = []
    for frame, place in places.items():
        lines = reference[frame]
        if not lines[0].endswith(("?", ":0")):
            same.append(
                (plain_line(place.line or "?"), len(place.inlined)) == (lines[0], len(lines) - 1)
            )
    return sum(same) / len(same)


def test_the_debug_file_is_used_for_a_stripped_binary(programs, made):
    address, offset, _ = text_section(programs.full, made)
    start = made.symbol_addresses(programs.full)["plain"]
    capture = made.Capture(
        [(0, offset + start - address, 0)],
        objects=[made.Object(os.fsencode(programs.linked), programs.build_id)],
    )
    lines = find_source_lines(capture, np.array([0]), SymbolSources(debug_directories=()))
    assert lines.locations[0].line.endswith("shop.cc:22")


def test_frames_outside_files_are_skipped(made):
    capture = made.Capture([(-1, 1, 0), (0, 2, 0), (1, 3, 1)], objects=[
        made.Object(b"//anon"), made.Object(b"[kernel.kallsyms]", kernel=True),
    ])  # fmt: skip
    lines = find_source_lines(capture, np.arange(3), SymbolSources())
    assert lines.locations == {}
    assert lines.warnings == ()


def test_addresses_skipped_for_lack_of_time_are_counted(programs, made):
    places, warnings = places_of(programs.full, [0x1000, 0x1100], made, budget_s=0.0)
    assert places == {}
    assert warnings[0].code == "lines-cut"


def test_locations_before_the_time_limit_are_kept(programs, made, monkeypatch):
    def endless(_file, _sources):
        unit = UnitLocations([[0]], [0], [1], [-1], texts=["a.c"])
        yield msgspec.json.encode(unit) + b"\n"
        while True:
            pass

    _, offset, _ = text_section(programs.full, made)
    monkeypatch.setattr(source_lines, "_read_locations", endless)
    places, warnings = places_of(programs.full, [offset, offset + 1], made, budget_s=0.3)
    assert places == {0: SourceLocation("a.c:1")}
    assert warnings[0].code == "lines-cut"
    assert warnings[0].message.startswith("1 addresses have no source lines: the ")
    assert "limit of" in warnings[0].message


def test_the_limit_that_was_reached_is_named(programs, made, monkeypatch):
    def growing(_file, _sources):
        yield bytes(bytearray(16 << 30))

    _, offset, _ = text_section(programs.full, made)
    monkeypatch.setattr(source_lines, "_read_locations", growing)
    places, (warning,) = places_of(programs.full, [offset], made)
    assert places == {}
    assert "MiB of memory was reached" in warning.message


def test_malformed_debug_information_is_survived(programs, tmp_path: Path, made):
    """Sections of debug information with random bytes overwritten."""
    names = (".debug_info", ".debug_line", ".debug_abbrev", ".debug_aranges", ".debug_rnglists")
    rows = made.run("readelf", "-SW", programs.full).splitlines()
    _, offset, size = text_section(programs.full, made)
    rng = np.random.default_rng(7)
    for number in range(12):
        content = bytearray(programs.full.read_bytes())
        for row in rows:
            fields = row.split("]")[-1].split()
            if fields and fields[0] in names:
                start, length = int(fields[3], 16), int(fields[4], 16)
                for at in rng.integers(0, length, 1 + number).tolist():
                    content[start + at] = int(rng.integers(0, 256))
        target = tmp_path / f"hostile{number}"
        target.write_bytes(content)
        places, _ = places_of(target, range(offset, offset + size, 16), made, budget_s=2.0)
        assert all(isinstance(place, SourceLocation) for place in places.values())
