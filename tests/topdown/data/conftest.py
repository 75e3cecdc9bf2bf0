"""The program with known loads, compiled once."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.elf.elffile import ELFFile

SOURCE = Path(__file__).with_name("fields.c")


@pytest.fixture(scope="session")
def fields_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BinaryIO]:
    """The program, optimized, with debug information."""
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc")
    path = tmp_path_factory.mktemp("fields") / "program"
    subprocess.run(["gcc", "-g", "-O2", SOURCE, "-o", path], check=True)
    with path.open("rb") as file:
        yield file


@pytest.fixture
def dwarf(fields_file: BinaryIO) -> DWARFInfo:
    """The debug information of the program."""
    return ELFFile(fields_file).get_dwarf_info()


@pytest.fixture
def unit(dwarf: DWARFInfo) -> CompileUnit:
    """The unit of the program's source."""
    return next(
        unit
        for unit in dwarf.iter_CUs()
        if unit.get_top_DIE().attributes["DW_AT_name"].value.endswith(b"fields.c")
    )
