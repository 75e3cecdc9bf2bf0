"""The functions of glibc that end threads, in this machine's own libc."""

import platform
import re
from pathlib import Path

import pytest

from stallscope.regular_file import open_regular
from topdown.stacks.elf.file import ElfFile
from topdown.stacks.elf.glibc_threads import thread_ends


def libc() -> Path:
    paths = re.findall(r"(/\S*/libc\.so\.6|/\S*/libc-2\S*\.so)$", mapped(), re.MULTILINE)
    return Path(paths[0])


def mapped() -> str:
    return Path("/proc/self/maps").read_text()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the code pattern is that of x86-64")
def test_a_stripped_libc_has_two_ends_of_threads() -> None:
    with open_regular(libc()) as content:
        file = ElfFile(content)
        ends = thread_ends(file)
        text = file.section(b".text")
        assert text is not None
        begin = int(file.sections["address"][text])
        size = int(file.sections["size"][text])
    assert 1 <= len(ends) <= 3
    assert all(begin <= address < begin + size for address in ends)


def test_other_files_have_none() -> None:
    with open_regular(Path("/proc/self/exe").resolve()) as content:
        assert thread_ends(ElfFile(content)) == []
