"""Which code objdump disassembles."""

import shutil
from pathlib import Path

import pytest

from stallscope.errors import UnableError
from topdown.slots.modelled.disassembly import MAX_RANGES, _ranges, disassemble


def test_missing_objdump_names_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnableError, match="objdump") as error:
        disassemble(["/bin/true"], {0x1000: 1})
    assert "binutils" in error.value.remedy


def test_untrusted_files_give_no_instructions(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x7fELF" + bytes(100))
    assert (
        disassemble(["???", str(binary), "relative", "/nowhere"], dict.fromkeys(range(4), 1)) == {}
    )


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs the program objdump")
def test_hot_code_is_read_from_its_binary() -> None:
    binary = str(Path("/bin/sh").resolve())
    entry = int.from_bytes(Path(binary).read_bytes()[24:32], "little")
    lines = disassemble([binary], {entry: 10})
    assert entry in lines
    assert 0 < lines[entry].following - entry <= 15


def test_code_far_apart_is_read_in_few_pieces_and_not_beyond_a_size() -> None:
    many = dict.fromkeys(range(0, 2**40, 2**30), 1)
    assert len(_ranges(many)) == MAX_RANGES
    assert _ranges(dict.fromkeys(range(0, 2**30, 2**15), 1)) == []  # one piece of a gigabyte
    few = {0x1000: 1, 0x1004: 1, 0x900000: 50, 0xF0000000: 2}
    assert _ranges(few) == [(0x900000, 0x90000F), (0xF0000000, 0xF000000F), (0x1000, 0x1013)]
