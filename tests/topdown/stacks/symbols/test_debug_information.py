"""Damaged tables of debug information and call frames: read in part, or refused in words."""

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stallscope.regular_file import MemoryImage, open_regular
from tests.long_tests import long_tests
from topdown.stacks.elf.eh_frame import unwind_functions
from topdown.stacks.elf.file import ElfError, ElfFile
from topdown.stacks.symbols.source_lines import SourceLines, find_source_lines
from topdown.stacks.symbols.sources import SymbolSources

pytestmark = pytest.mark.long
EXAMPLES = long_tests(short=10, long=10_000)
BUDGET_S = 1.0

DEBUG_SECTIONS = (
    b".debug_info", b".debug_abbrev", b".debug_line", b".debug_line_str", b".debug_str",
    b".debug_aranges", b".debug_rnglists", b".debug_ranges",
)  # fmt: skip

FRAME_SECTIONS = (b".eh_frame", b".eh_frame_hdr")
HEADER_BYTES = 64  # mutations prefer the first bytes of a table, which have its sizes


# Bytes of which numbers with extreme values consist, as integers and as LEB128.
BYTES = st.sampled_from((0x00, 0x01, 0x7F, 0x80, 0xFF)) | st.integers(0, 255)
REFUSALS = ("malformed", "limit", "damaged", "not readable")
damage = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def sections_of(path: Path, names: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """The offsets and sizes of these sections."""
    with open_regular(path) as file:
        elf = ElfFile(file)
        rows = [elf.sections[index] for name in names if (index := elf.section(name)) is not None]
    return [(int(row["offset"]), int(row["size"])) for row in rows if row["size"]]


@st.composite
def changes(draw: st.DrawFn, sections: list[tuple[int, int]]) -> dict[int, bytes]:
    """One to eight changes of up to four bytes, by offset, within these sections."""
    changed = {}
    for _ in range(draw(st.integers(1, 8))):
        start, size = draw(st.sampled_from(sections))
        first = st.integers(0, min(size, HEADER_BYTES) - 1)
        place = draw(first | st.integers(0, size - 1))
        changed[start + place] = bytes(draw(st.lists(BYTES, min_size=1, max_size=4)))[
            : size - place
        ]
    return changed


def damaged(content: bytes, changed: dict[int, bytes]) -> bytes:
    """The content with its changes."""
    result = bytearray(content)
    for place, values in changed.items():
        result[place : place + len(values)] = values
    return bytes(result)


@pytest.fixture(scope="module", params=["-gdwarf-4", "-gdwarf-5"])
def program(request: pytest.FixtureRequest, tmp_path_factory, made) -> Path:
    """A program with debug information, of one version of DWARF."""
    folder = tmp_path_factory.mktemp("debug")
    source, path = folder / "program.cc", folder / "program"
    source.write_text(
        "#include <vector>\n"
        "static int sum(const std::vector<int>& all) {\n"
        "  int total = 0;\n"
        "  for (int value : all) total += value;\n"
        "  return total;\n"
        "}\n"
        "int main(int count, char**) { return sum(std::vector<int>(count)); }\n"
    )
    made.run("g++", "-O2", "-g", request.param, source, "-o", path)
    return path


def code_offsets(path: Path) -> range:
    (offset, size), *_ = sections_of(path, (b".text",))
    return range(offset, offset + size, 16)


def locations(path: Path, target: Path, changed: dict[int, bytes], made) -> SourceLines:
    """The source lines of a program after changes to its file."""
    target.write_bytes(damaged(path.read_bytes(), changed))
    frames = [(0, offset, 0) for offset in code_offsets(path)]
    capture = made.Capture(frames, objects=[made.Object(bytes(target))])
    return find_source_lines(
        capture, np.arange(len(frames)), SymbolSources(debug_directories=()), budget_s=BUDGET_S
    )


def test_a_line_range_of_zero_loses_only_its_unit(program: Path, tmp_path: Path, made) -> None:
    (start, _), *_ = sections_of(program, (b".debug_line",))
    version = int.from_bytes(program.read_bytes()[start + 4 : start + 6], "little")
    line_range = start + (16 if version >= 5 else 14)
    assert program.read_bytes()[line_range] in (10, 14)  # those of GNU as
    lines = locations(program, tmp_path / "damaged", {line_range: b"\0"}, made)
    assert [warning.code for warning in lines.warnings] == ["lines-damaged"]
    assert all(place.line is None for place in lines.locations.values())
    assert any(place.inlined for place in lines.locations.values())


def test_names_without_an_end_lose_only_the_names(program: Path, tmp_path: Path, made) -> None:
    changed = {start: b"\xff" * size for start, size in sections_of(program, (b".debug_str",))}
    assert changed
    lines = locations(program, tmp_path / "damaged", changed, made)
    for warning in lines.warnings:
        assert any(refusal in warning.message for refusal in REFUSALS), warning.message
    assert any(place.line is not None for place in lines.locations.values())


@damage
@given(data=st.data())
def test_damaged_debug_information_is_read_in_part_or_refused(
    program: Path, tmp_path_factory: pytest.TempPathFactory, made, data: st.DataObject
) -> None:
    target = tmp_path_factory.getbasetemp() / "damaged"
    sections = sections_of(program, DEBUG_SECTIONS)
    lines = locations(program, target, data.draw(changes(sections)), made)
    for warning in lines.warnings:
        assert any(refusal in warning.message for refusal in REFUSALS), warning.message


@damage
@given(data=st.data())
def test_damaged_call_frames_are_read_in_part_or_refused(
    program: Path, data: st.DataObject
) -> None:
    sections = sections_of(program, FRAME_SECTIONS)
    content = damaged(program.read_bytes(), data.draw(changes(sections)))
    with contextlib.suppress(ElfError):
        symbols = unwind_functions(ElfFile(MemoryImage("damaged", content)))
        assert (symbols.size > 0).all()
